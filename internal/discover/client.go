package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// Client are the switches of a host's program that change where it looks, and
// what its session has touched. The zero value changes nothing.
type Client struct {
	// Sources are the sources that are read, as package host names them; nil
	// reads all. Managed ones always are.
	Sources []string
	// Bare leaves out every place, NoCommands those of skills and commands.
	Bare, NoCommands bool
	// Added are further directories, absolute, in which the roots that the
	// profile marks so are looked for.
	Added []string
	// Touched are files, absolute or relative to the working directory: the
	// roots that the profile marks so are looked for in their directories.
	Touched []string
}

// leavesOut reports whether a source is not read.
func (c *Client) leavesOut(source string) bool {
	return c.Sources != nil && source != host.SourceManaged && !slices.Contains(c.Sources, source)
}

// leavesOutRoot reports whether the places of a root are not looked at.
func (c *Client) leavesOutRoot(r *host.Root) bool {
	if c.Bare {
		return true
	}
	source := ""
	switch {
	case r.Local:
		source = host.SourceLocal
	case r.Layer == definition.User:
		source = host.SourceUser
	case r.Layer == definition.Project:
		source = host.SourceProject
	}
	if source != "" && c.leavesOut(source) {
		return true
	}
	return c.NoCommands && slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
		return rule.Kind == definition.Skill || rule.Kind == definition.Command
	})
}

// wants reports whether a base has places of a root: all of the usual ones, and
// of the others those that it is there for.
func (b *base) wants(r *host.Root) bool {
	switch {
	case b.above:
		return r.Above
	case b.summit:
		return !r.Above
	case b.added:
		return r.Added
	case b.touched:
		return r.Touched && slices.Contains(b.present, firstElement(r))
	case b.nested != "":
		return slices.Contains(b.present, firstElement(r))
	}
	return true
}

// addedDistance is more than the distance of any directory above the working
// directory, and less than that of those below it.
const addedDistance = nestedDistance / 2

// addDirectories adds the further directories of the client as bases.
func (p *Plan) addDirectories() {
	for i, dir := range p.env.Client.Added {
		b := base{dir: ".", distance: addedDistance + min(i, addedDistance-1), added: true}
		if p.Project != nil {
			if rel, ok := p.Project.Rel(dir); ok {
				b.tree, b.dir = p.Project, rel
			}
		}
		if b.tree == nil {
			b.tree = p.open(dir, vfs.Options{})
		}
		if b.tree == nil {
			p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.FileNotFound, "the further directory does not exist").
				WithFix("name an existing directory"))
			continue
		}
		p.addBase(b)
	}
}

// addBase adds a base of the project unless its directory is one already.
func (p *Plan) addBase(b base) {
	real := b.tree.RealPath(b.dir)
	if !slices.ContainsFunc(p.bases[host.InProject], func(o base) bool { return !o.above && o.tree.RealPath(o.dir) == real }) {
		p.bases[host.InProject] = append(p.bases[host.InProject], b)
	}
}

// touch adds, for each file that the session has touched, the directories from
// its own up to the working directory, without this, as bases; those that git
// ignores are left out (Claude Code 2.1.329, case m27).
func (p *Plan) touch() {
	if p.Project == nil {
		return
	}
	for _, file := range p.env.Client.Touched {
		rel, ok := p.Below(file)
		if !ok {
			continue
		}
		for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
			p.touchDirectory(joinShown(p.WorkDir, dir))
		}
	}
}

func (p *Plan) touchDirectory(dir string) {
	var present []string
	for i := range p.Profile.Roots {
		r := &p.Profile.Roots[i]
		if !r.Touched {
			continue
		}
		name := firstElement(r)
		if _, err := p.Project.Lstat(path.Join(dir, name)); err == nil && !slices.Contains(present, name) {
			present = append(present, name)
		}
	}
	if len(present) == 0 || p.ignored(dir) {
		return
	}
	p.addBase(base{
		tree: p.Project, dir: dir, distance: nestedDistance + strings.Count(dir, "/"), nested: dir, present: present, touched: true,
	})
}

// ignored reports whether git ignores a directory of the project, by the
// .gitignore files between its top and it.
func (p *Plan) ignored(dir string) bool {
	var ignore *pathmatch.Ignore
	at := "."
	for _, part := range strings.Split(dir, "/") {
		if data, err := p.Project.ReadFile(path.Join(at, ".gitignore"), maxConfig); err == nil {
			ignore = ignore.Enter(at, data)
		}
		at = path.Join(at, part)
		if part == ".git" || ignore.Ignored(at, true) {
			return true
		}
	}
	return false
}

// Below returns the path of a file below the working directory, by its absolute
// path or that from the working directory; false where it is not below it.
func (p *Plan) Below(file string) (string, bool) {
	if file == "" {
		return "", false
	}
	if vfs.IsAbs(file) {
		if p.Project == nil {
			return "", false
		}
		rel, ok := p.Project.Rel(path.Clean(file))
		if ok && p.WorkDir != "." {
			rel, ok = strings.CutPrefix(rel, p.WorkDir+"/")
		}
		return rel, ok && rel != "."
	}
	rel := path.Clean(file)
	return rel, rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
}
