package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// Client is the part of a host program's state that affects discovery: its command-line switches
// and the files that its session has touched. The zero value changes nothing.
type Client struct {
	// Sources lists the settings sources to read, by their names in package
	// host; nil means all. The managed source is always read.
	Sources []string
	// If Bare is set, all roots are skipped. If NoCommands is set, the roots for skills and
	// commands are skipped.
	Bare, NoCommands bool
	// Added lists the absolute paths of additional directories. Vade reads only the roots there
	// that the profile allows; see [host.Root.Added].
	Added []string
	// Touched lists the files that the session has read or edited, as absolute paths or relative to
	// the working directory. For each file, Vade searches its directory, and all parent directories
	// below the working directory, for the roots marked with [host.Root.Touched].
	Touched []string
}

// excludes reports whether a source is skipped.
func (c *Client) excludes(source string) bool {
	return c.Sources != nil && source != host.SourceManaged && !slices.Contains(c.Sources, source)
}

// excludesRoot reports whether a root is skipped.
func (c *Client) excludesRoot(r *host.Root) bool {
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
	if source != "" && c.excludes(source) {
		return true
	}
	return c.NoCommands && slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
		return rule.Kind == definition.Skill || rule.Kind == definition.Command
	})
}

// includes reports whether a root is read in the base. All roots are read in a regular base. In a
// special base, such as the directory of a touched file, only certain roots are read.
func (b *base) includes(r *host.Root, getenv func(string) string) bool {
	switch {
	case b.above:
		return r.Above
	case b.fsRoot:
		return !r.Above
	case b.added:
		return r.Added || r.AddedIf != "" && isOn(getenv(r.AddedIf))
	case b.touched:
		return r.Touched && slices.Contains(b.present, firstElement(r))
	case b.nested != "":
		return slices.Contains(b.present, firstElement(r))
	}
	return true
}

// addedDistance puts the client's additional directories after the working directory's ancestors
// and before all directories below it.
const addedDistance = nestedDistance / 2

// isOn reports whether Claude Code interprets an environment variable's value as true.
func isOn(value string) bool {
	on, problem := frontmatter.Bool(definition.Value{Kind: definition.String, Text: value})
	return on && problem == ""
}

// IsAdded reports whether a definition is in one of the client's additional directories.
func IsAdded(o *definition.Origin) bool { return o.Distance >= addedDistance && o.Nested == "" }

// addDirectories adds the client's additional directories as bases.
func (p *Plan) addDirectories() {
	for i, dir := range p.env.Client.Added {
		b := base{dir: ".", distance: addedDistance + min(i, addedDistance-1), added: true}
		if p.Project != nil {
			if rel, ok := p.Project.Rel(dir); ok {
				b.tree, b.dir = p.Project, rel
			}
		}
		reported := len(p.Diagnostics)
		if b.tree == nil {
			b.tree = p.open(dir, vfs.Options{})
		}
		if b.tree == nil && len(p.Diagnostics) > reported {
			continue
		}
		if b.tree == nil {
			p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.FileNotFound, "the additional directory does not exist").
				WithFix("specify an existing directory"))
			continue
		}
		p.addBase(b)
	}
}

// addBase adds a project base unless there is already one for the same directory.
func (p *Plan) addBase(b base) {
	real := b.tree.RealPath(b.dir)
	if !slices.ContainsFunc(p.bases[host.InProject], func(o base) bool { return !o.above && o.tree.RealPath(o.dir) == real }) {
		p.bases[host.InProject] = append(p.bases[host.InProject], b)
	}
}

// addTouched adds bases for the touched files. For each file, these are its directory and all
// parent directories below the working directory. addTouched skips directories that git ignores
// (Claude Code 2.1.329, case m27).
func (p *Plan) addTouched() {
	if p.Project == nil {
		return
	}
	for _, file := range p.env.Client.Touched {
		rel, ok := p.Below(file)
		if !ok {
			continue
		}
		for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
			p.addTouchedDirectory(joinShown(p.WorkDir, dir))
		}
	}
}

func (p *Plan) addTouchedDirectory(dir string) {
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

// ignored reports whether git ignores a project directory, according to the
// .gitignore files between the project root and the directory.
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

// Below returns a file's path relative to the working directory. file is absolute or relative to
// the working directory. Below returns false if the file is not below that directory.
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
