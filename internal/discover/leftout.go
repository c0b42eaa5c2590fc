package discover

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// leftOut says why a host does not read what a walk meets.
type leftOut struct {
	// format is the reason, about the host's name and detail.
	format, detail string
	fix            string
}

func (o *leftOut) diagnostic(shown, name string) diag.Diagnostic {
	args := []any{name}
	if o.detail != "" {
		args = append(args, o.detail)
	}
	return diag.For(shown, diag.NotRead, o.format, args...).WithFix("%s", o.fix)
}

func noFileLinks() *leftOut {
	return &leftOut{format: "%s does not follow a link in the place of a file", fix: "make the directory that holds the file the link, or copy the file"}
}

func noDirLinks() *leftOut {
	return &leftOut{format: "%s does not follow a link in the place of a directory", fix: "copy the directory"}
}

// leavesOut returns why the host does not walk into a directory, nil where it does.
func (w *worker) leavesOut(pl *Place, at *directory) *leftOut {
	walk := &w.plan.Profile.Walk
	if name := at.parts[len(at.parts)-1]; strings.HasPrefix(name, ".") && walk.SkipHidden && !pl.Root.Hidden {
		return &leftOut{format: "%s does not look into directories whose name begins with a dot", fix: "give the directory a name without the dot"}
	}
	return nil
}

// without is the directory, with a reason for which nothing in it is read; one that it
// has already stays.
func (d *directory) without(why *leftOut) *directory {
	if d.out != nil {
		return d
	}
	out := *d
	out.out = why
	return &out
}

// ignored reports whether the patterns of the walked directories leave out an entry.
func (d *directory) ignored(e vfs.Entry) bool {
	return d.ignore != nil && d.ignore.Ignored(path.Join(path.Join(d.parts...), e.Name), e.Type == vfs.Dir)
}

// inside accounts for the skills in the directory of another one.
func (w *worker) inside(pl *Place, at *directory) {
	if !w.plan.env.Account || !w.plan.Profile.Walk.Stops || at.out != nil || len(at.parts) > w.reach(pl) {
		return
	}
	entries, ok := w.list(at)
	if !ok {
		return
	}
	inner := at.without(&leftOut{
		format: "%s does not look below the directory of a skill, which is %s", detail: at.shown, fix: "move the skill out of the other one",
	})
	for _, e := range entries {
		if e.Type == vfs.Dir {
			child := inner.child(e.Name)
			w.subdirectory(pl, &child)
		}
	}
}

// isSkillDir reports whether one of the entries is a file that a rule names, so that
// the other files of the directory belong to it.
func isSkillDir(pl *Place, entries []vfs.Entry, depth int) bool {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if r.File == "" || r.Boundary || r.Skip != "" || r.Max == 0 {
			continue
		}
		for _, e := range entries {
			if fits, _ := r.Fits(e.Name, depth); fits && e.Type != vfs.Dir {
				return true
			}
		}
	}
	return false
}

// alone returns the rule by which a file in the root itself is all that the host reads
// of the root.
func alone(pl *Place, entries []vfs.Entry) *host.Rule {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Alone {
			continue
		}
		for _, e := range entries {
			if fits, _ := r.Fits(e.Name, 0); fits && e.Type != vfs.Dir {
				return r
			}
		}
	}
	return nil
}

// hides reports whether a file in the root itself hides the one at the path, or the
// walk's patterns leave it out.
func (w *worker) hides(pl *Place, at *directory, rel string) bool {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Alone || rel == r.File {
			continue
		}
		if typ, err := at.tree.Lstat(joinShown(at.rel, r.File)); err == nil && typ != vfs.Dir {
			return true
		}
	}
	if len(w.plan.Profile.Walk.Ignores) == 0 {
		return false
	}
	above := directory{tree: at.tree, rel: at.rel}
	for _, part := range strings.Split(rel, "/") {
		w.ignoresIn(&above)
		if above.ignored(vfs.Entry{Name: part, Type: vfs.Dir}) {
			return true
		}
		above = above.child(part)
	}
	return false
}

// alone returns the one entry that the host reads; with an account the others follow,
// as what it does not read.
func (s *scanner) alone(pl *Place, at *directory, r *host.Rule, entries []vfs.Entry) []vfs.Entry {
	var one []vfs.Entry
	name := ""
	for _, e := range entries {
		if fits, _ := r.Fits(e.Name, 0); fits && e.Type != vfs.Dir && one == nil {
			one, name = []vfs.Entry{e}, e.Name
		}
	}
	if !s.plan.env.Account {
		return one
	}
	hidden := at.without(&leftOut{
		format: "%s reads nothing else in a directory of skills that has a %s itself", detail: name,
		fix: "move " + joinShown(at.shown, name) + " into a directory of its own",
	})
	for _, e := range entries {
		if e.Name != name {
			s.tasks = append(s.tasks, task{place: pl, at: hidden, entry: e})
		}
	}
	return one
}

// ignores reads the files with patterns that are among the entries of a directory.
func (s *scanner) ignores(at *directory, entries []vfs.Entry) {
	for _, e := range entries {
		if e.Type == vfs.File && slices.Contains(s.plan.Profile.Walk.Ignores, e.Name) {
			s.ignoresIn(at)
			return
		}
	}
}

// ignoresIn reads them by their names.
func (s *scanner) ignoresIn(at *directory) {
	for _, name := range s.plan.Profile.Walk.Ignores {
		if data, err := at.tree.ReadFile(path.Join(at.rel, name), maxConfig); err == nil {
			at.ignore = at.ignore.Enter(path.Join(at.parts...), data)
		}
	}
}

// purse counts the directories below one root, where the host's walk has a limit.
type purse struct{ left atomic.Int64 }

// firstDirectories leaves out the directories right below a root that are more than
// the host walks. The host goes by levels, so that they come before all deeper ones.
func (s *scanner) firstDirectories(pl *Place, at *directory, entries []vfs.Entry) []vfs.Entry {
	most := s.plan.Profile.Walk.MaxDirs
	if most == 0 {
		return entries
	}
	left := most - 1
	kept := entries[:0:0]
	for _, e := range entries {
		if e.Type == vfs.File {
			kept = append(kept, e)
			continue
		}
		if strings.HasPrefix(e.Name, ".") && s.plan.Profile.Walk.SkipHidden && !pl.Root.Hidden {
			kept = append(kept, e)
			continue
		}
		if left--; left >= 0 {
			kept = append(kept, e)
		}
	}
	if s.purses == nil {
		s.purses = map[*Place]*purse{}
	}
	p := &purse{}
	p.left.Store(int64(max(left, 0)))
	s.purses[pl] = p
	if left < 0 {
		s.report(s.tooMany(at))
	}
	return kept
}

// spend takes a directory more than one level down from what the host's walk may
// still look into.
func (w *worker) spend(pl *Place, at *directory) bool {
	p := w.purses[pl]
	if p == nil || len(at.parts) < 2 || at.out != nil {
		return true
	}
	if p.left.Add(-1) >= 0 {
		return true
	}
	w.once(w.tooMany(at))
	return false
}

func (s *scanner) tooMany(at *directory) diag.Diagnostic {
	return diag.For(at.shown, diag.DirLimit, "not all is read: %s looks into %d directories below one root", s.plan.Profile.Name, s.plan.Profile.Walk.MaxDirs).
		WithFix("remove what is not meant to be loaded from the directory")
}
