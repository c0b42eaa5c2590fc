package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// homeDir resolves a directory below the home directory. If the value of the environment variable
// env is an absolute path, it replaces dir's first element.
func (p *Plan) homeDir(b base, dir, env string) (*vfs.Tree, string) {
	return p.movedDir(b, dir, env, 0)
}

// movedDir is like homeDir, but the value of the environment variable replaces the first depth
// elements of the path; see [host.Root.EnvDepth].
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

// maxListed is the maximum number of directories to read from one environment variable.
const maxListed = 64

// listed opens the directories in an environment variable, which is a comma-separated list.
// Relative paths are resolved against the working directory.
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
			p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.DirLimit, "%s: only the first %d directories are read", env, maxListed).
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

// outside opens a directory whose path comes from an environment variable. It opens each directory
// only once. Symlinks in the directory may point into the project and into the trees in others.
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
