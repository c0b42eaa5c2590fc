package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// homeDir returns where a directory below the home is: an environment variable
// may have moved its first element.
func (p *Plan) homeDir(b base, dir, env string) (*vfs.Tree, string) {
	return p.movedDir(b, dir, env, 0)
}

// movedDir is homeDir for a variable that stands for more elements, or for none; see
// [host.Root.EnvDepth].
func (p *Plan) movedDir(b base, dir, env string, depth int) (*vfs.Tree, string) {
	if env == "" || p.env.Only {
		return b.tree, dir
	}
	moved := p.env.Getenv(env)
	if moved == "" || !vfs.IsAbs(moved) {
		return b.tree, dir
	}
	elements := 1
	switch {
	case depth == host.EnvHome:
		elements = 0
	case depth > 0:
		elements = depth
	}
	rest := dir
	for range elements {
		_, rest, _ = strings.Cut(rest, "/")
	}
	if rest == "" {
		rest = "."
	}
	return p.outside(moved, b.tree), rest
}

// maxListed bounds the directories that one variable lists.
const maxListed = 64

// listed opens the directories that an environment variable lists, with commas
// between them. One that is not absolute is below the working directory.
func (p *Plan) listed(env string) []*vfs.Tree {
	if p.env.Only {
		return nil
	}
	var trees []*vfs.Tree
	for _, dir := range strings.Split(p.env.Getenv(env), ",") {
		if dir = strings.TrimSpace(dir); dir == "" {
			continue
		}
		if len(trees) == maxListed {
			p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.DirLimit, "%s: only the first %d directories are looked at", env, maxListed).
				WithFix("list fewer directories"))
			break
		}
		if !vfs.IsAbs(dir) {
			if p.env.WorkDir == "" {
				continue
			}
			dir = path.Join(p.env.WorkDir, dir)
		}
		if t := p.outside(path.Clean(dir)); t != nil && !slices.Contains(trees, t) {
			trees = append(trees, t)
		}
	}
	return trees
}

// outside opens a directory that the user's environment names, once. Links in it may
// lead into the project and into the other trees.
func (p *Plan) outside(dir string, others ...*vfs.Tree) *vfs.Tree {
	for _, t := range p.trees {
		if t.Dir() == dir {
			return t
		}
	}
	t := p.open(dir, vfs.Options{HardLinks: true})
	if t != nil && p.Project != nil {
		t.Allow(append(others, p.Project)...)
	}
	return t
}
