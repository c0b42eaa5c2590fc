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

// exclusion is the reason why a host does not read a file or directory.
type exclusion struct {
	// format is the reason's format string. Its arguments are the host's name and detail.
	format, detail string
	fix            string
}

func (o *exclusion) diagnostic(shown, name string) diag.Diagnostic {
	args := []any{name}
	if o.detail != "" {
		args = append(args, o.detail)
	}
	return diag.For(shown, diag.NotRead, o.format, args...).WithFix("%s", o.fix)
}

func noFileLinks() *exclusion {
	return &exclusion{format: "%s does not follow symlinks to files", fix: "symlink the file's directory instead, or copy the file"}
}

func noDirLinks() *exclusion {
	return &exclusion{format: "%s does not follow symlinks to directories", fix: "copy the directory"}
}

// excludes returns the reason why the host does not search a directory, or nil if it does.
func (w *worker) excludes(pl *Place, at *directory) *exclusion {
	walk := &w.plan.Profile.Walk
	if name := at.parts[len(at.parts)-1]; strings.HasPrefix(name, ".") && walk.SkipHidden && !pl.Root.Hidden {
		return &exclusion{format: "%s does not read hidden directories", fix: "remove the dot at the start of the directory name"}
	}
	return nil
}

// withExclusion returns d marked as unread for the given reason. If d is already marked, it keeps
// its reason.
func (d *directory) withExclusion(reason *exclusion) *directory {
	if d.exclusion != nil {
		return d
	}
	out := *d
	out.exclusion = reason
	return &out
}

// ignored reports whether an ignore file in the walked directories excludes an entry.
func (d *directory) ignored(e vfs.Entry) bool {
	return d.ignore != nil && d.ignore.Ignored(path.Join(path.Join(d.parts...), e.Name), e.Type == vfs.Dir)
}

// reportNestedSkills reports skills inside another skill's directory.
func (w *worker) reportNestedSkills(pl *Place, at *directory) {
	if !w.plan.env.Account || !w.plan.Profile.Walk.Stops || at.exclusion != nil || len(at.parts) > w.maxDepth(pl) {
		return
	}
	entries, ok := w.list(pl, at)
	if !ok {
		return
	}
	inner := at.withExclusion(&exclusion{
		format: "%s does not search inside another skill's directory (%s)", detail: at.shown, fix: "move the skill out of the other skill's directory",
	})
	for _, e := range entries {
		if e.Type == vfs.Dir {
			child := inner.child(e.Name)
			w.subdirectory(pl, &child)
		}
	}
}

// isSkillDir reports whether one of the entries makes the directory a skill. The directory's other
// files then belong to the skill.
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

// soleFileRule returns the exclusive rule that one of the entries matches, or nil if there is none.
// If a file directly in the root matches an exclusive rule, the host reads nothing else in the
// root.
func soleFileRule(pl *Place, entries []vfs.Entry) *host.Rule {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Exclusive {
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

// hides reports whether the host skips the file at rel, either because of an exclusive file in the
// root or because an ignore file excludes it.
func (w *worker) hides(pl *Place, at *directory, rel string) bool {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Exclusive || rel == r.File {
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
		w.readIgnoreFilesIn(&above)
		if above.ignored(vfs.Entry{Name: part, Type: vfs.Dir}) {
			return true
		}
		above = above.child(part)
	}
	return false
}

// keepSoleFile returns the only entry that the host reads, which is the one that r matches. If
// env.Account is set, the other entries are reported as unread.
func (s *scanner) keepSoleFile(pl *Place, at *directory, r *host.Rule, entries []vfs.Entry) []vfs.Entry {
	var kept []vfs.Entry
	name := ""
	for _, e := range entries {
		if fits, _ := r.Fits(e.Name, 0); fits && e.Type != vfs.Dir && kept == nil {
			kept, name = []vfs.Entry{e}, e.Name
		}
	}
	if !s.plan.env.Account {
		return kept
	}
	hidden := at.withExclusion(&exclusion{
		format: "%s ignores everything else in a skills directory that directly contains a %s", detail: name,
		fix: "move " + joinShown(at.shown, name) + " into its own directory",
	})
	for _, e := range entries {
		if e.Name != name {
			s.tasks = append(s.tasks, task{place: pl, at: hidden, entry: e})
		}
	}
	return kept
}

// readIgnoreFiles reads the ignore files among a directory's entries.
func (s *scanner) readIgnoreFiles(at *directory, entries []vfs.Entry) {
	for _, e := range entries {
		if e.Type == vfs.File && slices.Contains(s.plan.Profile.Walk.Ignores, e.Name) {
			s.readIgnoreFilesIn(at)
			return
		}
	}
}

// readIgnoreFilesIn reads a directory's ignore files by name.
func (s *scanner) readIgnoreFilesIn(at *directory) {
	for _, name := range s.plan.Profile.Walk.Ignores {
		if data, err := at.tree.ReadFile(path.Join(at.rel, name), maxConfig); err == nil {
			at.ignore = at.ignore.Enter(path.Join(at.parts...), data)
		}
	}
}

// dirBudget holds the number of directories that the host would still read below one root.
type dirBudget struct{ left atomic.Int64 }

// firstDirectories removes the directories directly below a root that exceed the host's limit. The
// host walks breadth-first, so these directories count toward the limit before deeper ones.
// firstDirectories stores what remains of the limit in s.budgets.
func (s *scanner) firstDirectories(pl *Place, at *directory, entries []vfs.Entry) []vfs.Entry {
	limit := s.plan.Profile.Walk.MaxDirs
	if limit == 0 {
		return entries
	}
	left := limit - 1
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
	if s.budgets == nil {
		s.budgets = map[*Place]*dirBudget{}
	}
	p := &dirBudget{}
	p.left.Store(int64(max(left, 0)))
	s.budgets[pl] = p
	if left < 0 {
		s.report(s.tooMany(at))
	}
	return kept
}

// countDirectory counts a directory toward the host's limit if it is more than one level below the
// root. If the limit is exceeded, countDirectory reports this once and returns false.
func (w *worker) countDirectory(pl *Place, at *directory) bool {
	p := w.budgets[pl]
	if p == nil || len(at.parts) < 2 || at.exclusion != nil {
		return true
	}
	if p.left.Add(-1) >= 0 {
		return true
	}
	w.reportOnce(w.tooMany(at))
	return false
}

func (s *scanner) tooMany(at *directory) diag.Diagnostic {
	return diag.For(at.named(), diag.DirLimit, "%s reads at most %d directories per root and ignores the rest",
		s.plan.Profile.Name, s.plan.Profile.Walk.MaxDirs).WithFix("to reduce the count, move subdirectories that should not be loaded to another location")
}
