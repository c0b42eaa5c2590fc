package discover

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// worker runs tasks sequentially and reuses one buffer.
type worker struct {
	*scanner
	buf   []byte
	found []*definition.Definition
	// visited holds the targets of the directory symlinks that the task has followed.
	visited map[string]bool
	// one is the file being parsed. Parsers must not keep it.
	one Found
}

// head returns the buffer for the beginnings of files. It allocates the buffer on the first call.
func (w *worker) head() []byte {
	if w.buf == nil {
		w.buf = make([]byte, maxHead)
	}
	return w.buf[:headSize]
}

func (w *worker) do(t *task) {
	if c := t.place.command; c != nil && c.source == "" {
		w.inline(t.place, c)
		return
	}
	w.entry(t.place, t.at, t.entry)
}

// inline parses a command whose text is in a plugin manifest.
func (w *worker) inline(pl *Place, c *namedCommand) {
	prefix := pl.Plugin.Name + ":"
	w.one = Found{
		Place: pl, Rule: &host.Rule{Kind: definition.Command, Format: definition.Package}, Name: prefix + c.name, Prefix: prefix,
		// All commands are in the same file, so the command's name makes the path unique.
		Path: pl.Plugin.Manifest, Real: pl.Plugin.Manifest + "#commands/" + c.name, Size: int64(len(c.content)),
		Head: []byte(c.content), Whole: true, Description: c.description, tree: pl.Tree,
	}
	if d := w.parse(&w.one); d != nil {
		w.found = append(w.found, d)
	}
}

// entry examines one directory entry.
func (w *worker) entry(pl *Place, at *directory, e vfs.Entry) {
	if at.ignored(e) {
		if !w.plan.env.Account {
			return
		}
		at = at.withExclusion(&exclusion{
			format: "%s does not read files excluded by its ignore files (%s)", detail: strings.Join(w.plan.Profile.Walk.Ignores, ", "),
			fix: "to load the file, remove the pattern that excludes it",
		})
	}
	switch e.Type {
	case vfs.Dir:
		child := at.child(e.Name)
		w.subdirectory(pl, &child)
	case vfs.Link:
		w.link(pl, at, e.Name)
	default:
		w.file(pl, at, at, e.Name)
	}
}

// link follows a symlink to a directory or a file.
func (w *worker) link(pl *Place, at *directory, name string) {
	child := at.child(name)
	tree, rel, err := w.plan.resolve(at.tree, child.rel)
	if err != nil {
		w.badLink(pl, at, name, err)
		return
	}
	typ, err := tree.Lstat(rel)
	if err != nil {
		w.badLink(pl, at, name, err)
		return
	}
	if typ != vfs.Dir {
		if w.plan.Profile.Walk.NoFileLinks && !pl.single() {
			at = at.withExclusion(noFileLinks())
		}
		w.file(pl, at, &directory{tree: tree, rel: path.Dir(rel), linked: true}, name, path.Base(rel))
		return
	}
	if w.plan.Profile.Walk.NoDirLinks {
		if !w.plan.env.Account {
			return
		}
		child = *child.withExclusion(noDirLinks())
	}
	child.tree, child.rel, child.linked = tree, rel, true
	inside := w.plan.unapproved(at.tree)
	if w.plan.unapproved(tree) && !inside {
		if !pl.mayListUnapproved() {
			w.report(notApproved(child.shown, tree.RealPath(rel), tree.RealPath(rel)))
			return
		}
		child.entry = child.shown
	}
	if problem := w.visit(tree.RealPath(rel), at, child.shown); problem == nil {
		w.subdirectory(pl, &child)
	} else if !inside {
		w.report(*problem)
	}
}

// visit records the target of a directory symlink. It returns a diagnostic if the symlink must not
// be followed.
func (w *worker) visit(real string, at *directory, shown string) *diag.Diagnostic {
	if isLoop(real, at.chain) {
		d := diag.For(shown, diag.LinkLoop, "the symlink points to one of its parent directories").WithFix("remove the symlink")
		return &d
	}
	if w.visited[real] {
		d := diag.For(shown, diag.SameFile, "another symlink already points to this directory").WithFix("remove one of the symlinks")
		return &d
	}
	if w.visited == nil {
		w.visited = map[string]bool{}
	}
	w.visited[real] = true
	return nil
}

// isLoop reports whether dir is one of the directories in chain or a parent of one.
func isLoop(dir string, chain []string) bool {
	return slices.ContainsFunc(chain, func(c string) bool {
		return c == dir || strings.HasPrefix(c, strings.TrimSuffix(dir, "/")+"/")
	})
}

// badLink reports a symlink that cannot be followed. If the symlink could be a definition, badLink
// records that definition as dropped.
func (w *worker) badLink(pl *Place, at *directory, name string, err error) {
	if at.exclusion != nil || w.plan.unapproved(at.tree) {
		return
	}
	shown := joinShown(at.shown, name)
	code, fix := whyUnreadable(err)
	d := diag.For(shown, code, "cannot follow the symlink: %v", reason(err)).WithFix("%s", fix)
	if isNotExist(err) {
		d.Message = "the symlink is broken"
	}
	if rule, _, _ := match(pl, name, len(at.parts)); rule != nil {
		w.drop(pl, rule, at, name, at.tree.RealPath(path.Join(at.rel, name)), d)
		return
	}
	if rule := &pl.Root.Rules[0]; rule.Boundary {
		w.drop(pl, rule, at, name, at.tree.RealPath(path.Join(at.rel, name)), d)
		return
	}
	w.report(d)
}

// subdirectory examines a directory below a root. If one of the directory's files makes the whole
// directory a definition, only that file is examined. Otherwise, the directory may contain any
// number of definitions.
func (w *worker) subdirectory(pl *Place, at *directory) {
	depth := len(at.parts)
	if w.plan.unapproved(at.tree) && w.plan.forbids(at.tree, at.rel) != nil {
		return
	}
	if out := w.excludes(pl, at); out != nil {
		if !w.plan.env.Account {
			return
		}
		at = at.withExclusion(out)
	}
	if w.isSkill(pl, at) {
		w.reportNestedSkills(pl, at)
		return
	}
	switch name := at.parts[depth-1]; {
	case name == ".git" && !w.plan.Profile.Walk.Git:
		return
	case name == "node_modules" && !w.plan.Profile.Walk.Modules:
		if !w.plan.unapproved(at.tree) {
			w.report(diag.For(at.shown, diag.DirSkipped, "skipped: node_modules contains installed packages"))
		}
		return
	}
	maxDepth := w.maxDepth(pl)
	if depth > maxDepth {
		if maxDepth > 1 && !w.plan.unapproved(at.tree) {
			w.reportOnce(diag.For(at.shown, diag.DepthLimit, "skipped: the directory is more than %d levels deep", maxDepth).
				WithFix("move the definitions to a parent directory"))
		}
		return
	}
	if !w.countDirectory(pl, at) {
		return
	}
	entries, ok := w.list(pl, at)
	if !ok {
		return
	}
	w.readIgnoreFiles(at, entries)
	at.skill = at.skill || isSkillDir(pl, entries, depth)
	if r := boundary(pl, entries, depth); r != nil && !r.Covers {
		for _, e := range entries {
			if fits, _ := r.Fits(e.Name, depth); fits && e.Type != vfs.Dir {
				w.entry(pl, at, e)
				return
			}
		}
	}
	for _, e := range uncovered(pl, entries, depth) {
		w.entry(pl, at, e)
	}
}

// uncovered returns a directory's entries without those that another file hides; see
// [host.Rule.Covers].
func uncovered(pl *Place, entries []vfs.Entry, depth int) []vfs.Entry {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Covers {
			continue
		}
		at := -1
		for j, e := range entries {
			if covers(r, e, depth) && (at < 0 || r.Collated && host.Collate(e.Name, entries[at].Name) < 0) {
				at = j
			}
		}
		if at < 0 {
			continue
		}
		left := []vfs.Entry{entries[at]}
		for _, e := range entries {
			rule, _, _ := match(pl, e.Name, depth)
			if !r.Boundary && (e.Type == vfs.Dir || rule == nil) {
				left = append(left, e)
			}
		}
		return left
	}
	return entries
}

func covers(r *host.Rule, e vfs.Entry, depth int) bool {
	fits, _ := r.Fits(e.Name, depth)
	return fits && e.Type != vfs.Dir
}

// isSkill reports whether a directory is a skill and, if so, examines its file. It tries to read
// the file without listing the directory, which is faster if there are thousands of directories.
func (w *worker) isSkill(pl *Place, at *directory) bool {
	depth := len(at.parts)
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Boundary || r.Covers || depth < r.Min || depth > r.Max {
			continue
		}
		rel, shown := at.join(r.File)
		n, size, err := at.tree.ReadHead(rel, w.head())
		if isNotExist(err) || errors.Is(err, vfs.ErrDirectory) {
			continue
		}
		if isLink(err) {
			w.link(pl, at, r.File)
			return true
		}
		w.accept(pl, r, at, at, r.File, rel, shown, n, size, err, true)
		return true
	}
	return false
}

// maxDepth returns the maximum depth below a root at which directories are listed.
func (w *worker) maxDepth(pl *Place) int {
	deepest := 0
	for i := range pl.Root.Rules {
		deepest = max(deepest, pl.Root.Rules[i].Max)
	}
	if w.plan.env.Account {
		return max(deepest, 8)
	}
	if only := pl.Root.Rules; len(only) == 1 && only[0].Boundary && !only[0].FoldCase {
		return deepest - 1
	}
	return deepest
}

// match returns the rule that a file name matches at the given depth. exact reports whether the
// name also matches in case. If no rule matches, deep reports whether the name matches a rule at
// another depth.
func match(pl *Place, name string, depth int) (rule *host.Rule, exact, deep bool) {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if fits, exact := r.Fits(name, depth); fits {
			return r, exact, false
		}
		if named, _ := r.Named(name); named {
			deep = true
		}
	}
	return nil, false, deep
}

// file examines a file. at is the directory in which the walk found the file, and in is the
// directory that actually contains it. The two differ if the walk followed a symlink; in this case,
// target is the base name of the symlink's target.
func (w *worker) file(pl *Place, at, in *directory, name string, target ...string) {
	rule, exact, deep := match(pl, name, len(at.parts))
	if rule == nil {
		if at.exclusion == nil && (!at.skill || deep) && !w.plan.unapproved(in.tree) {
			w.reportUnmatched(pl, at, name)
		}
		return
	}
	base := name
	if len(target) > 0 {
		base = target[0]
	}
	rel, shown := in.join(base)
	if in != at || base != name {
		shown = joinShown(at.shown, name)
	}
	if w.plan.unapproved(in.tree) && !listable(rule, rel) {
		if w.plan.unapproved(at.tree) {
			// Do not disclose the names of other files in an unapproved directory.
			return
		}
		why := notApproved(shown, in.tree.RealPath(rel), in.tree.RealPath(path.Dir(rel)))
		if at.exclusion != nil {
			why = at.exclusion.diagnostic(shown, w.plan.Profile.Name)
		}
		w.drop(pl, rule, at, name, in.tree.RealPath(rel), why)
		return
	}
	n, size, err := in.tree.ReadHead(rel, w.head())
	if isLink(err) && len(target) == 0 {
		w.link(pl, at, name)
		return
	}
	if isNotExist(err) && pl.single() {
		return
	}
	w.accept(pl, rule, at, in, name, rel, shown, n, size, err, exact)
}

// reportUnmatched reports a file that looks like a definition but does not match any rule.
func (w *worker) reportUnmatched(pl *Place, at *directory, name string) {
	switch path.Ext(strings.ToLower(name)) {
	case ".md", ".mdc", ".toml":
	default:
		return
	}
	rule := &pl.Root.Rules[len(pl.Root.Rules)-1]
	_, _, deep := match(pl, name, len(at.parts))
	d := diag.For(joinShown(at.shown, name), diag.NotRead, "%s", w.acceptedNames(pl)).WithFix("to load the file, rename or move it")
	if deep && len(at.parts) > 0 {
		d.Message = "the file is at the wrong directory depth; " + d.Message
	}
	w.drop(pl, rule, at, name, at.tree.RealPath(path.Join(at.rel, name)), d)
}

// acceptedNames describes the names of the files that hosts read in a place.
func (w *worker) acceptedNames(pl *Place) string {
	var forms []string
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		form := r.File
		switch {
		case r.Skip != "":
			continue
		case r.File == "":
			form = "*" + r.Suffix
		case r.Min > 0 || r.Max > 0:
			form = "<name>/" + r.File
		}
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return "only files named " + strings.Join(forms, ", ") + " are read in " + pl.Shown
}

// accept passes a file to the parser or drops it. rel is the file's path in the tree in.tree.
func (w *worker) accept(pl *Place, r *host.Rule, at, in *directory, name, rel, shown string, n int, size int64,
	err error, exact bool) {
	real, limit := in.tree.RealPath(rel), cmp.Or(r.Limit, w.plan.Profile.MaxFile)
	switch {
	case at.exclusion != nil:
		w.drop(pl, r, at, name, real, at.exclusion.diagnostic(shown, w.plan.Profile.Name))
		return
	case err != nil:
		w.drop(pl, r, at, name, real, Unreadable(shown, err))
		return
	case r.Skip != "":
		w.drop(pl, r, at, name, real, diag.For(shown, diag.NotRead, "%s", r.Skip).WithFix("to load the file, rename it"))
		return
	case size > limit:
		why := diag.For(shown, diag.FileTooLarge, "the file is too large: %d bytes; the limit is %d bytes", size, limit).
			WithFix("move parts of the file to separate files that the model can read when it needs them")
		why.Problem, why.Effect = why.Message, diag.NotLoaded
		w.drop(pl, r, at, name, real, why)
		return
	}
	// If a symlink was followed, the displayed path differs from the canonical path.
	linked := in.linked || at.linked || in.tree != pl.Tree
	if linked && w.plan.protects(in.tree, rel) {
		w.drop(pl, r, at, name, real, diag.For(shown, diag.FileProtected, "cannot follow the symlink: %v", errProtected).
			WithFix("remove the symlink"))
		return
	}
	f := &w.one
	*f = Found{
		Place: pl, Rule: r, Path: shown, Real: real, Size: size,
		Head: w.buf[:n], Whole: int64(n) >= size, Inexact: !exact, Depth: len(at.parts),
		tree: in.tree, rel: rel, buf: w.buf,
	}
	f.Name, f.Prefix = nameOf(pl, r, at.parts, name, shown)
	if w.plan.namedByPlugin(pl, r.Kind) {
		if plugin := w.plan.enclosingPlugin(in.tree, path.Dir(rel)); plugin != "" {
			f.Prefix = plugin + ":"
			f.Name = f.Prefix + f.Name
		}
	}
	f.linked = linked
	if c := pl.command; c != nil && rel == pl.Dir {
		f.Prefix = pl.Plugin.Name + ":"
		f.Name, f.Description = f.Prefix+c.name, c.description
	}
	f.Itself = pl.Plugin != nil && path.Dir(rel) == path.Clean(pl.Dir)
	f.deep = r.Naming == host.ByDir && len(at.parts) > 1 || r.Naming == host.ByStem && len(at.parts) > 0
	if d := w.parse(f); d != nil {
		if w.plan.unapproved(in.tree) {
			listOnly(d, in.tree, rel, f.Name)
		}
		w.found = append(w.found, d)
	}
}

// drop records a definition that is not loaded. real is its canonical path, and why is the reason.
func (w *worker) drop(pl *Place, r *host.Rule, at *directory, name, real string, why diag.Diagnostic) {
	d := &definition.Definition{
		Kind: r.Kind, Format: r.Format, State: definition.Dropped, Reason: why.Message, ReasonCode: why.Code,
		Origin:      pl.origin(joinShown(at.shown, name), real),
		Diagnostics: []diag.Diagnostic{why},
	}
	// If the name does not match the rule, such as that of a symlink in place of a skill's
	// directory, use the name itself.
	d.Name = name
	if fits, _ := r.Fits(name, len(at.parts)); fits {
		d.Name, _ = nameOf(pl, r, at.parts, name, d.Origin.Path)
	}
	d.Title = d.Name
	w.found = append(w.found, d)
}

func isLink(err error) bool { return errors.Is(err, vfs.ErrLink) }
