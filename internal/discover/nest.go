package discover

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// addNestedBases adds a base for each directory below the project root that contains one of the
// profile's roots. Like Claude Code, it skips directories that git ignores.
func (p *Plan) addNestedBases() {
	if p.Project == nil {
		return
	}
	n := nestedFinder{plan: p, first: p.firstElements()}
	for _, b := range p.bases[host.InProject] {
		n.known = append(n.known, b.dir)
	}
	p.Diagnostics = append(p.Diagnostics, p.walkBelow(p.ctx, []string{"."}, p.env.Limits, n.first, n.addBase)...)
}

// searchLimits limits [Plan.Search], whose results are only suggestions.
var searchLimits = Limits{Directories: 3000, Entries: 10_000, Nested: 12}

// Search calls visit for each file below the given project directories, breadth-first, until visit
// returns false. It does not follow symlinks, skips files and directories that git ignores, and
// reads at most a few thousand directories.
func (p *Plan) Search(ctx context.Context, from []string, visit func(file string) bool) {
	if p.Project == nil {
		return
	}
	p.walkBelow(ctx, from, searchLimits, nil, func(dir string, entries []vfs.Entry) bool {
		for _, e := range entries {
			if e.Type == vfs.File && !visit(path.Join(dir, e.Name)) {
				return false
			}
		}
		return true
	})
}

// firstElements returns the first path elements of the profile's project roots, manifests and
// marketplaces. A directory that contains one of them is a nested base.
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

type nestedFinder struct {
	plan  *Plan
	first map[string]bool
	known []string
}

// walkBelow walks the project breadth-first, starting at the directories in from. It calls visit
// for each directory until visit returns false. It skips .git, node_modules, directories that git
// ignores, and hidden directories whose names are in skip. It returns diagnostics for exceeded
// limits and unreadable directories.
func (p *Plan) walkBelow(ctx context.Context, from []string, limits Limits, skip map[string]bool,
	visit func(dir string, entries []vfs.Entry) bool) (out []diag.Diagnostic) {
	type level struct {
		dir    string
		depth  int
		ignore *pathmatch.Ignore
	}
	var next []level
	for _, dir := range from {
		next = append(next, level{dir: dir})
	}
	for n := 0; n < len(next) && ctx.Err() == nil; n++ {
		at := next[n]
		if n == limits.Directories {
			return append(out, diag.For(at.dir, diag.DirLimit, "only %d directories are searched for nested definitions", n).
				WithFix("to list the definitions that apply in a subdirectory, run: vade list -C SUBDIRECTORY"))
		}
		if at.depth > limits.Nested {
			out = append(out, diag.For(at.dir, diag.DepthLimit, "the search for nested definitions stops at a depth of %d directories", limits.Nested).
				WithFix("to list the definitions that apply in a subdirectory, run: vade list -C SUBDIRECTORY"))
			continue
		}
		entries, truncated, err := p.Project.ReadDir(at.dir, limits.Entries)
		if err != nil {
			out = append(out, Unreadable(at.dir, err))
			continue
		}
		if truncated {
			out = append(out, diag.For(at.dir, diag.FileLimit, "only the first %d entries are read", limits.Entries))
		}
		if !visit(at.dir, entries) {
			return out
		}
		ignore := p.gitIgnore(at.dir, entries, at.ignore)
		for _, e := range entries {
			child := path.Join(at.dir, e.Name)
			if e.Type != vfs.Dir || e.Name == ".git" || e.Name == "node_modules" || skip[e.Name] && strings.HasPrefix(e.Name, ".") {
				continue
			}
			if ignore == nil || !ignore.Ignored(child, true) {
				next = append(next, level{child, at.depth + 1, ignore})
			}
		}
		next[n] = level{}
	}
	return out
}

func (p *Plan) gitIgnore(dir string, entries []vfs.Entry, ignore *pathmatch.Ignore) *pathmatch.Ignore {
	for _, e := range entries {
		if e.Name != ".gitignore" {
			continue
		}
		if data, err := p.Project.ReadFile(path.Join(dir, e.Name), maxConfig); err == nil {
			return ignore.Enter(dir, data)
		}
	}
	return ignore
}

func (n *nestedFinder) addBase(dir string, entries []vfs.Entry) bool {
	if slices.Contains(n.known, dir) {
		return true
	}
	var present []string
	for _, e := range entries {
		if n.first[e.Name] {
			present = append(present, e.Name)
		}
	}
	if len(present) > 0 {
		// Nested bases come last because their distance is greater than that of any ancestor.
		n.plan.bases[host.InProject] = append(n.plan.bases[host.InProject],
			base{tree: n.plan.Project, dir: dir, distance: nestedDistance + strings.Count(dir, "/"), nested: dir, present: present})
	}
	return true
}

// firstElement returns the first element of a root's path. If the root is a file directly in the
// base, that is the file's name.
func firstElement(r *host.Root) string {
	if r.Dir == "" {
		return r.Rules[0].File
	}
	name, _, _ := strings.Cut(r.Dir, "/")
	return name
}

// nestedDistance is greater than the distance of any ancestor directory.
const nestedDistance = 1000
