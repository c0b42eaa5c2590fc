package discover

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// worker does tasks one after the other, with one buffer.
type worker struct {
	*scanner
	buf   []byte
	found []*definition.Definition
	// visited are the directories that links of the task led to.
	visited map[string]bool
	// one is the file that is being parsed; a parser does not keep it.
	one Found
}

// head is the buffer for the beginning of a file, which a worker without one to read
// does not make.
func (w *worker) head() []byte {
	if w.buf == nil {
		w.buf = make([]byte, maxHead)
	}
	return w.buf[:headSize]
}

func (w *worker) do(t *task) {
	w.entry(t.place, t.at, t.entry)
}

// entry looks at one entry of a directory of a place.
func (w *worker) entry(pl *Place, at *directory, e vfs.Entry) {
	if at.ignored(e) {
		if !w.plan.env.Account {
			return
		}
		at = at.without(&leftOut{
			format: "%s does not read what its files of patterns leave out: %s", detail: strings.Join(w.plan.Profile.Walk.Ignores, ", "),
			fix: "take it out of the patterns if it is meant to be loaded",
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

// link follows a link to a directory or a file.
func (w *worker) link(pl *Place, at *directory, name string) {
	child := at.child(name)
	tree, rel, err := at.tree.Resolve(child.rel)
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
			at = at.without(noFileLinks())
		}
		w.file(pl, at, &directory{tree: tree, rel: path.Dir(rel), linked: true}, name, path.Base(rel))
		return
	}
	if w.plan.Profile.Walk.NoDirLinks {
		if !w.plan.env.Account {
			return
		}
		child = *child.without(noDirLinks())
	}
	child.tree, child.rel, child.linked = tree, rel, true
	if holds(tree.RealPath(rel), at.chain) {
		w.report(diag.For(child.shown, diag.LinkLoop, "the link leads back to a directory that holds it").WithFix("remove the link"))
		return
	}
	if real := tree.RealPath(rel); w.visited[real] {
		w.report(diag.For(child.shown, diag.SameFile, "another link led to this directory already").WithFix("remove one of the links"))
		return
	} else if w.visited == nil {
		w.visited = map[string]bool{real: true}
	} else {
		w.visited[real] = true
	}
	w.subdirectory(pl, &child)
}

// holds reports whether dir is one of the directories or above one of them.
func holds(dir string, chain []string) bool {
	return slices.ContainsFunc(chain, func(c string) bool {
		return c == dir || strings.HasPrefix(c, strings.TrimSuffix(dir, "/")+"/")
	})
}

// badLink accounts for a link that can not be followed, if what it is named
// would have been a definition.
func (w *worker) badLink(pl *Place, at *directory, name string, err error) {
	if at.out != nil {
		return
	}
	shown := joinShown(at.shown, name)
	code, fix := whyUnreadable(err)
	d := diag.For(shown, code, "the link is not followed: it %v", reason(err)).WithFix("%s", fix)
	if isNotExist(err) {
		d.Message = "the link leads nowhere"
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

// subdirectory looks at a directory below a root: as one definition if it has
// the file that makes it one, else as a directory of others.
func (w *worker) subdirectory(pl *Place, at *directory) {
	depth := len(at.parts)
	if out := w.leavesOut(pl, at); out != nil {
		if !w.plan.env.Account {
			return
		}
		at = at.without(out)
	}
	if w.isSkill(pl, at) {
		w.inside(pl, at)
		return
	}
	switch name := at.parts[depth-1]; {
	case name == ".git":
		return
	case name == "node_modules" && !w.plan.Profile.Walk.Modules:
		w.report(diag.For(at.shown, diag.DirSkipped, "not looked into: it holds installed packages"))
		return
	}
	reach := w.reach(pl)
	if depth > reach {
		if reach > 1 {
			w.once(diag.For(at.shown, diag.DepthLimit, "not looked into: it is more than %d directories deep", reach).
				WithFix("move the definitions up"))
		}
		return
	}
	if !w.spend(pl, at) {
		return
	}
	entries, ok := w.list(at)
	if !ok {
		return
	}
	w.ignores(at, entries)
	at.skill = at.skill || isSkillDir(pl, entries, depth)
	if r := boundary(pl, entries, depth); r != nil {
		for _, e := range entries {
			if fits, _ := r.Fits(e.Name, depth); fits && e.Type != vfs.Dir {
				w.entry(pl, at, e)
				return
			}
		}
	}
	for _, e := range entries {
		w.entry(pl, at, e)
	}
}

// isSkill reads the file that makes a directory one definition, without listing
// the directory: the usual case, and the only one in which each of thousands
// of directories costs one call.
func (w *worker) isSkill(pl *Place, at *directory) bool {
	depth := len(at.parts)
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Boundary || depth < r.Min || depth > r.Max {
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
		w.take(pl, r, at, at, r.File, rel, shown, n, size, err, true)
		return true
	}
	return false
}

// reach is the depth to which directories below a root are listed.
func (w *worker) reach(pl *Place) int {
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

// match returns the rule of a file's name, and whether a rule would fit if the
// file were less deep.
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

// file looks at a file: at is the directory by which it was reached, in the one
// that holds it, where its name may be another.
func (w *worker) file(pl *Place, at, in *directory, name string, target ...string) {
	rule, exact, deep := match(pl, name, len(at.parts))
	if rule == nil {
		if at.out == nil && (!at.skill || deep) {
			w.unread(pl, at, name)
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
	n, size, err := in.tree.ReadHead(rel, w.head())
	if isLink(err) && len(target) == 0 {
		w.link(pl, at, name)
		return
	}
	if isNotExist(err) && pl.single() {
		return
	}
	w.take(pl, rule, at, in, name, rel, shown, n, size, err, exact)
}

// unread accounts for a file that looks like a definition and fits no rule.
func (w *worker) unread(pl *Place, at *directory, name string) {
	switch path.Ext(strings.ToLower(name)) {
	case ".md", ".mdc", ".toml":
	default:
		return
	}
	rule := &pl.Root.Rules[len(pl.Root.Rules)-1]
	_, _, deep := match(pl, name, len(at.parts))
	d := diag.For(joinShown(at.shown, name), diag.NotRead, "%s", w.wanted(pl)).WithFix("rename or move the file if it is meant to be loaded")
	if deep {
		d.Message = "not read at this depth: " + d.Message
	}
	w.drop(pl, rule, at, name, at.tree.RealPath(path.Join(at.rel, name)), d)
}

// wanted says which files a place takes.
func (w *worker) wanted(pl *Place) string {
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
	return pl.Shown + " is read for " + strings.Join(forms, ", ")
}

// take hands the file with the name rel in the tree of in to the parser, or drops it.
func (w *worker) take(pl *Place, r *host.Rule, at, in *directory, name, rel, shown string, n int, size int64, err error, exact bool) {
	real := in.tree.RealPath(rel)
	switch {
	case at.out != nil:
		w.drop(pl, r, at, name, real, at.out.diagnostic(shown, w.plan.Profile.Name))
		return
	case err != nil:
		w.drop(pl, r, at, name, real, unreadable(shown, err))
		return
	case r.Skip != "":
		w.drop(pl, r, at, name, real, diag.For(shown, diag.NotRead, "%s", r.Skip).WithFix("rename the file if it is meant to be loaded"))
		return
	case size > w.plan.Profile.MaxFile:
		w.drop(pl, r, at, name, real, diag.For(shown, diag.FileTooLarge, "the file has %d bytes; %s reads at most %d", size, w.plan.Profile.Name, w.plan.Profile.MaxFile).
			WithFix("move parts of it to files beside it"))
		return
	}
	// A walk that came through a link ends elsewhere than where its steps say.
	linked := in.linked || at.linked || in.tree != pl.Tree
	if hidden := w.plan.env.Hidden; linked && hidden != nil && hidden(in.tree, rel) != nil {
		w.drop(pl, r, at, name, real, diag.For(shown, diag.FileProtected, "it leads to a file that the policy protects, since such files hold secrets").
			WithFix("remove the link"))
		return
	}
	f := &w.one
	*f = Found{
		Place: pl, Rule: r, Path: shown, Real: real, Size: size,
		Head: w.buf[:n], Whole: int64(n) >= size, Inexact: !exact, Depth: len(at.parts),
		tree: in.tree, rel: rel, buf: w.buf,
	}
	f.Name, f.Prefix = nameOf(pl, r, at.parts, name, shown)
	f.linked = linked
	f.deep = r.Naming == host.ByDir && len(at.parts) > 1 || r.Naming == host.ByStem && len(at.parts) > 0
	if d := w.parse(f); d != nil {
		w.found = append(w.found, d)
	}
}

// drop records a file that is met and not read, with its canonical path.
func (w *worker) drop(pl *Place, r *host.Rule, at *directory, name, real string, why diag.Diagnostic) {
	d := &definition.Definition{
		Kind: r.Kind, Format: r.Format, State: definition.Dropped, Reason: why.Message, ReasonCode: why.Code,
		Origin:      pl.origin(joinShown(at.shown, name), real),
		Diagnostics: []diag.Diagnostic{why},
	}
	// A file that fits no rule, and a link in the place of a directory, have
	// no name but their own.
	d.Name = name
	if fits, _ := r.Fits(name, len(at.parts)); fits {
		d.Name, _ = nameOf(pl, r, at.parts, name, d.Origin.Path)
	}
	d.Title = d.Name
	w.found = append(w.found, d)
}

func isLink(err error) bool { return errors.Is(err, vfs.ErrLink) }
