package discover

import (
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/vfs"
)

// headSize is the number of bytes to read from a file at first, which is enough for the frontmatter
// of nearly all files. maxHead is the maximum length of [Found.Head] after a call to [Found.More].
const (
	headSize = 4 << 10
	maxHead  = 72 << 10
)

// Found is a file selected by one of the profile's rules.
type Found struct {
	Place *Place
	Rule  *host.Rule
	// Name is the name that the path implies. Prefix is the part of Name before its last element.
	Name, Prefix string
	// Path is the displayed path, and Real is the canonical path.
	Path, Real string
	Size       int64
	// Head is the beginning of the file. Whole is set if Head is the entire file. Head is valid
	// only until the [Parser] returns.
	Head  []byte
	Whole bool
	// Depth is the number of directories between the root and the file.
	Depth int
	// Itself is set if the file is directly in the directory that a manifest names, or in the
	// plugin's own directory.
	Itself bool
	// Description is the description in a plugin manifest, or "".
	Description string
	// Inexact is set if the file name differs in case from the name in the rule.
	Inexact bool

	tree         *vfs.Tree
	rel          string
	buf          []byte
	linked, deep bool
}

// More extends Head with more of the file, up to the maximum length.
func (f *Found) More() error {
	if f.Whole || f.buf == nil {
		return nil
	}
	n, size, err := f.tree.ReadHead(f.rel, f.buf[:maxHead])
	if err != nil {
		return err
	}
	f.Head, f.Size, f.Whole = f.buf[:n], size, int64(n) >= size
	return nil
}

// All returns the entire file. If Head is not the entire file, it fails for files larger than limit
// bytes.
func (f *Found) All(limit int64) ([]byte, error) {
	if f.Whole {
		return f.Head, nil
	}
	return f.tree.ReadFile(f.rel, limit)
}

// Parser parses a file as a definition. It must be safe for concurrent use.
type Parser func(*Found) *definition.Definition

// Filter selects the places to scan. A nil Filter selects all of them.
type Filter func(*Place) bool

// Scan calls parse for every definition file in the selected places, and returns the definitions
// that it creates. They are ordered by place and then in the host's reading order, and include
// files that the host does not read. Scan also returns the problems that do not concern a
// definition.
func (p *Plan) Scan(ctx context.Context, parse Parser, only Filter) ([]*definition.Definition, []diag.Diagnostic, error) {
	s := &scanner{ctx: ctx, plan: p, parse: parse, meter: meter{limits: p.env.Limits}}
	for i := range p.Places {
		if only == nil || only(&p.Places[i]) {
			s.addTasks(&p.Places[i])
		}
	}
	if err := s.run(ctx); err != nil {
		return nil, nil, err
	}
	found := slices.Concat(s.slots...)
	for i, d := range found {
		if row := int(d.Origin.Row); row < len(p.Profile.Roots) && p.Profile.Roots[row].DiskOrder {
			d.Origin.Order = int32(i)
		}
	}
	return found, s.diagnostics, nil
}

// scanner scans places in parallel. It splits them into tasks, usually one for each entry in a
// place's directory. Each task has its own slot for results, so their order does not depend on
// which task finishes first.
type scanner struct {
	meter
	ctx   context.Context
	plan  *Plan
	parse Parser
	tasks []task
	slots [][]*definition.Definition
	// budgets maps each place to its budget if the host limits how many directories are walked
	// there.
	budgets map[*Place]*dirBudget
	// outsideDirs and outsideEntries count the directories and entries that were read through
	// symlinks without approval.
	outsideDirs, outsideEntries atomic.Int64
}

// task is one entry in a place's directory.
type task struct {
	place *Place
	at    *directory
	entry vfs.Entry
}

func (s *scanner) run(ctx context.Context) error {
	s.slots = make([][]*definition.Definition, len(s.tasks))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, max(1, len(s.tasks)/16)) {
		wg.Go(func() {
			w := worker{scanner: s}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(s.tasks) {
					return
				}
				from := len(w.found)
				w.visited = nil
				w.do(&s.tasks[i])
				s.slots[i] = w.found[from:len(w.found):len(w.found)]
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// addTasks creates a place's tasks.
func (s *scanner) addTasks(pl *Place) {
	at := &directory{tree: pl.Tree, rel: pl.Dir, shown: pl.Shown}
	if pl.command != nil && pl.command.source == "" {
		s.tasks = append(s.tasks, task{place: pl, at: at})
		return
	}
	if pl.single() {
		s.tasks = append(s.tasks, task{place: pl, at: at, entry: vfs.Entry{Name: pl.Root.Rules[0].File}})
		return
	}
	up := &directory{tree: at.tree, rel: path.Dir(at.rel), shown: path.Dir(at.shown)}
	if pl.itself && isFile(at) {
		s.tasks = append(s.tasks, task{place: pl, at: up, entry: vfs.Entry{Name: path.Base(at.rel)}})
		return
	}
	entries, ok := s.list(pl, at)
	if !ok {
		return
	}
	s.readIgnoreFiles(at, entries)
	if r := soleFileRule(pl, entries); r != nil {
		entries = s.keepSoleFile(pl, at, r, entries)
	} else {
		entries = s.firstDirectories(pl, at, entries)
	}
	if pl.itself && at.rel != "." && boundary(pl, entries, 1) != nil {
		// The manifest lists the skill's own directory, so read it as an entry in its parent.
		s.tasks = append(s.tasks, task{place: pl, at: up, entry: vfs.Entry{Name: path.Base(at.rel), Type: vfs.Dir}})
		return
	}
	entries = uncovered(pl, entries, 0)
	s.tasks = slices.Grow(s.tasks, len(entries))
	for _, e := range entries {
		s.tasks = append(s.tasks, task{place: pl, at: at, entry: e})
	}
}

// list reads a directory. If the directory is a symlink into an allowed tree, list reads the target
// and updates at to refer to it.
func (s *scanner) list(pl *Place, at *directory) ([]vfs.Entry, bool) {
	if s.ctx.Err() != nil || !s.countDirectory(at.named()) || !s.mayList(at) {
		return nil, false
	}
	entries, truncated, err := s.readDir(pl, at)
	if isLink(err) {
		tree, rel, broken := s.plan.resolve(at.tree, at.rel)
		if isNotExist(broken) {
			s.report(diag.For(at.shown, diag.LinkBroken, "the symlink is broken").WithFix("remove the symlink, or create its target"))
			return nil, false
		}
		if err = broken; err == nil {
			if s.plan.unapproved(tree) && !s.plan.unapproved(at.tree) {
				at.entry = at.shown
			}
			at.tree, at.rel, at.linked = tree, rel, true
			if !s.mayList(at) {
				return nil, false
			}
			entries, truncated, err = s.readDir(pl, at)
		}
	}
	switch {
	case err != nil && isNotExist(err):
		if isFile(at) {
			s.report(diag.For(at.shown, diag.NotRead, "expected a directory of definitions, but found a file").
				WithFix("replace it with a directory, or rename it"))
		}
		return nil, false
	case err != nil:
		if !s.plan.unapproved(at.tree) {
			s.report(Unreadable(at.shown, err))
		}
		return nil, false
	case truncated && s.plan.unapproved(at.tree):
		s.reportOnce(partiallyReadDiagnostic(at))
	case truncated:
		s.report(diag.For(at.shown, diag.FileLimit, "only the first %d entries are read", len(entries)).
			WithFix("split the directory into smaller ones"))
	}
	if !s.countEntries(at.named(), len(entries)) {
		return nil, false
	}
	at.chain = append(at.chain[:len(at.chain):len(at.chain)], at.tree.RealPath(at.rel))
	return entries, true
}

// readDir returns a directory's entries in the host's reading order, up to the limit.
func (s *scanner) readDir(pl *Place, at *directory) (entries []vfs.Entry, truncated bool, err error) {
	limit, outside := s.limits.Entries, s.plan.unapproved(at.tree)
	if outside {
		limit = min(limit, maxOutsideEntries)
	}
	if pl.Root.DiskOrder {
		entries, truncated, err = at.tree.ReadDirUnsorted(at.rel, limit)
		if s.plan.env.Order != nil {
			s.plan.env.Order(at.tree.RealPath(at.rel), entries)
		}
	} else {
		entries, truncated, err = at.tree.ReadDir(at.rel, limit)
	}
	if outside {
		n := int64(len(entries))
		if left := max(0, maxOutsideEntries-s.outsideEntries.Add(n)+n); left < n {
			entries, truncated = entries[:left], true
		}
	}
	return entries, truncated, err
}

// mayList reports whether a directory may be listed. In an approved tree, every directory may be
// listed. In an unapproved tree, the directory must not be protected or a system directory, and the
// limits on directories and entries must not have been reached.
func (s *scanner) mayList(at *directory) bool {
	if !s.plan.unapproved(at.tree) {
		return true
	}
	if s.outsideDirs.Add(1) > maxOutsideDirs || s.outsideEntries.Load() >= maxOutsideEntries {
		s.reportOnce(partiallyReadDiagnostic(at))
		return false
	}
	return s.plan.forbids(at.tree, at.rel) == nil
}

// partiallyReadDiagnostic returns the diagnostic for exceeding the limits on reading unapproved
// directories.
func partiallyReadDiagnostic(at *directory) diag.Diagnostic {
	const text = "Vade reads at most %d directories and %d entries through symlinks that leave the project; the rest was skipped"
	return diag.For(at.named(), diag.DirLimit, text, maxOutsideDirs, maxOutsideEntries).
		WithFix("point the symlink at a single skill's directory")
}

// boundary returns the rule that makes a directory a single definition because of one of its
// entries, or nil if there is none. depth is the directory's depth below the root.
func boundary(pl *Place, entries []vfs.Entry, depth int) *host.Rule {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Boundary {
			continue
		}
		for _, e := range entries {
			if fits, _ := r.Fits(e.Name, depth); fits && e.Type != vfs.Dir {
				return r
			}
		}
	}
	return nil
}

// directory is a directory in a walk.
type directory struct {
	tree *vfs.Tree
	// rel is the directory's path in tree, without symlinks. shown is the displayed path by which
	// the walk reached it.
	rel, shown string
	// entry is the displayed path at which the walk entered an unapproved tree, or "".
	entry string
	// parts holds the names of the directories from the root to this one.
	parts []string
	// linked is set if the walk reached the directory through a symlink.
	linked bool
	// chain holds the canonical paths of the directory and its ancestors.
	chain []string
	// exclusion explains why the host does not read the directory. It is nil if the host reads the
	// directory.
	exclusion *exclusion
	// skill is set if the directory is inside a skill's directory, so its other files belong to
	// that skill.
	skill bool
	// ignore holds the ignore patterns that apply to the directory's entries.
	ignore *pathmatch.Ignore
}

func (d *directory) child(name string) directory {
	rel, shown := d.join(name)
	return directory{
		tree: d.tree, rel: rel, shown: shown, entry: d.entry,
		parts: append(d.parts[:len(d.parts):len(d.parts)], name), chain: d.chain, linked: d.linked,
		exclusion: d.exclusion, skill: d.skill, ignore: d.ignore,
	}
}

// named returns the path to use in diagnostics. For a directory in an unapproved tree, it returns
// the path at which the walk entered the tree, so that names in the tree are not disclosed.
func (d *directory) named() string { return cmp.Or(d.entry, d.shown) }

// join returns an entry's name in the tree and its displayed path. In the project, these are the
// same string.
func (d *directory) join(name string) (rel, shown string) {
	rel = joinShown(d.rel, name)
	if d.rel == d.shown {
		return rel, rel
	}
	return rel, joinShown(d.shown, name)
}

func joinShown(dir, name string) string {
	if dir == "." || dir == "" {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

func isFile(at *directory) bool {
	typ, err := at.tree.Lstat(at.rel)
	return err == nil && typ == vfs.File
}
