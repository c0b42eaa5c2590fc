package discover

import (
	"path"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// nest adds, as bases of the project's roots, each directory below the project
// that has one of them. Directories that git ignores are left out, as Claude
// Code leaves them out.
func (p *Plan) nest() {
	if p.Project == nil {
		return
	}
	n := nester{plan: p, first: p.firstElements(), left: p.env.Limits.Directories}
	for _, b := range p.bases[host.InProject] {
		n.known = append(n.known, b.dir)
	}
	n.walk(".", 0, nil)
}

// firstElements are the names whose presence in a directory makes it a base.
func (p *Plan) firstElements() map[string]bool {
	first := map[string]bool{}
	add := func(dir string) {
		name, _, _ := strings.Cut(dir, "/")
		first[name] = true
	}
	for i := range p.Profile.Roots {
		r := &p.Profile.Roots[i]
		if r.Base != host.InProject {
			continue
		}
		if r.Dir != "" {
			add(r.Dir)
			continue
		}
		for j := range r.Rules {
			add(r.Rules[j].File)
		}
	}
	if pl := p.Profile.Plugins; pl != nil && pl.InProject {
		for _, m := range pl.Manifests {
			add(m.Path)
		}
		for _, m := range pl.Marketplaces {
			add(m)
		}
	}
	return first
}

type nester struct {
	plan  *Plan
	first map[string]bool
	known []string
	left  int
}

func (n *nester) walk(dir string, depth int, ignore *pathmatch.Ignore) {
	p := n.plan
	if n.left--; n.left < 0 || p.ctx.Err() != nil {
		return
	}
	if depth > p.env.Limits.Nested {
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.DepthLimit, "nested definitions are looked for %d directories deep", p.env.Limits.Nested).
			WithFix("run vade with -C in a directory further down"))
		return
	}
	entries, more, err := p.Project.ReadDir(dir, p.env.Limits.Entries)
	if err != nil {
		p.Diagnostics = append(p.Diagnostics, unreadable(dir, err))
		return
	}
	if more {
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.FileLimit, "only the first %d entries are looked at", p.env.Limits.Entries))
	}
	ignore = n.ignore(dir, entries, ignore)
	n.base(dir, entries)
	for _, e := range entries {
		child := path.Join(dir, e.Name)
		if e.Type != vfs.Dir || e.Name == ".git" || e.Name == "node_modules" || n.first[e.Name] && strings.HasPrefix(e.Name, ".") {
			continue
		}
		if ignore == nil || !ignore.Ignored(child, true) {
			n.walk(child, depth+1, ignore)
		}
	}
	if n.left == 0 {
		p.Diagnostics = append(p.Diagnostics, diag.For(dir, diag.DirLimit, "nested definitions are looked for in %d directories", p.env.Limits.Directories).
			WithFix("run vade with -C in a directory further down"))
	}
}

func (n *nester) ignore(dir string, entries []vfs.Entry, ignore *pathmatch.Ignore) *pathmatch.Ignore {
	for _, e := range entries {
		if e.Name != ".gitignore" {
			continue
		}
		if data, err := n.plan.Project.ReadFile(path.Join(dir, e.Name), maxConfig); err == nil {
			return ignore.Enter(dir, data)
		}
	}
	return ignore
}

func (n *nester) base(dir string, entries []vfs.Entry) {
	for _, k := range n.known {
		if k == dir {
			return
		}
	}
	var present []string
	for _, e := range entries {
		if n.first[e.Name] {
			present = append(present, e.Name)
		}
	}
	if len(present) > 0 {
		// Nested bases come after all others: they are less near than any
		// ancestor.
		n.plan.bases[host.InProject] = append(n.plan.bases[host.InProject],
			base{tree: n.plan.Project, dir: dir, distance: nestedDistance + strings.Count(dir, "/"), nested: dir, present: present})
	}
}

// firstElement is the name in a base by which a root is reached.
func firstElement(r *host.Root) string {
	if r.Dir == "" {
		return r.Rules[0].File
	}
	name, _, _ := strings.Cut(r.Dir, "/")
	return name
}

// nestedDistance is more than the distance of any ancestor.
const nestedDistance = 1000
