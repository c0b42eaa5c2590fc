package explain

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// unread is the verdict on a file that the host does not look at. d is what its
// view says of the file, nil for nothing.
func (e *explainer) unread(v *view, s *subject, d *definition.Definition) Verdict {
	w := whyUnread{e: e, v: v, s: s, p: v.profile, cell: host.CellRoots}
	w.find()
	switch {
	case w.reason != "":
	case d != nil && d.State == definition.Dropped:
		w.reason, w.fix = d.Reason, fixOf(d)
	default:
		w.say(host.CellWalk, "does not come to it")
	}
	w.bySync()
	if w.fix != "" && strings.ContainsFunc(s.path, unicode.IsControl) {
		// A command with such a name can not be shown as it would have to be typed.
		w.fix = "take the control characters out of its name"
	}
	x := Verdict{State: StateNotRead, Code: diag.NotRead, Reason: w.reason, Fix: w.fix, Reads: w.reads}
	x.rest(w.p, w.cell)
	if others := v.byName[kindName{s.kind, s.name}]; len(others) > 0 && s.kind != definition.Instruction {
		x.Reason += e.instead(s, others[0])
		x.Fix, x.Reads = "", nil
	}
	if x.Fix != "" {
		x.Fix, x.Then = w.then(x.Fix)
	}
	return x
}

// whyUnread finds out, from the tables of a profile, why it does not look at a
// file, and what the least is that would change it.
type whyUnread struct {
	e *explainer
	v *view
	s *subject
	p *host.Profile

	reason, fix string
	cell        host.Cell
	// reads are the places that the host looks into instead, to is where the fix
	// puts the file, copied the fix that makes a file of its own there.
	reads  []string
	to     catalog.Placement
	copied string
}

func (w *whyUnread) say(cell host.Cell, format string, args ...any) {
	w.cell, w.reason = cell, w.p.Name+" "+fmt.Sprintf(format, args...)
}

func (w *whyUnread) find() {
	switch r := w.same(); {
	case w.s.own:
		w.reason = "it comes with Vade, and no host has it"
	case w.s.layer == definition.Plugin:
		w.plugin()
	case r != nil && w.s.nested != "":
		w.say(host.CellRoots, "reads no %ss below the working directory", w.s.kind)
		w.fix = "work in " + w.s.nested + ", or " + lower(w.link(r))
	case r != nil:
		if !w.walked(r) {
			w.reason, w.fix = "", ""
		}
	default:
		w.elsewhere()
		return
	}
	if r := w.same(); r != nil && w.to.Root == nil {
		w.stands(r, w.s.path)
	}
}

func lower(fix string) string {
	if fix == "" {
		return "move it to the top of the project"
	}
	return fix
}

// same returns the root of the profile that is the place of the file, nil where it
// has none.
func (w *whyUnread) same() *host.Root {
	if w.s.root == nil {
		return nil
	}
	label := w.s.root.Label()
	for i := range w.p.Roots {
		if r := &w.p.Roots[i]; r.Label() == label && (r.Layer == w.s.layer || r.Base == w.s.root.Base) {
			return r
		}
	}
	return nil
}

func (w *whyUnread) plugin() {
	if w.p.Plugins == nil {
		w.say(host.CellRoots, "loads no plugins of this form, as far as is known")
		return
	}
	w.say(host.CellRoots, "does not load the plugin %s here", w.s.plugin)
	w.fix = "install the plugin in " + w.p.Name
}

// walked says why a file is not met though its place is looked at, false where
// nothing is known to keep it out.
func (w *whyUnread) walked(r *host.Root) bool {
	label := r.Label()
	pl := w.place()
	if pl == nil {
		w.say(host.CellRoots, "reads %s in the working directory only, not in the directories above it", label)
		w.fix = "start it in the directory that has " + label
		return w.s.distance > 0
	}
	rel, ok := strings.CutPrefix(w.s.path, w.s.rootShown+"/")
	if w.s.rootShown == "." {
		rel, ok = w.s.path, true
	}
	if !ok {
		return false
	}
	parts := strings.Split(rel, "/")
	dirs, base := parts[:len(parts)-1], parts[len(parts)-1]
	return w.passes(pl, r, dirs) || w.linked(pl, dirs, base) || w.inside(pl, r, dirs) || w.deep(r, dirs, base) || w.named(r, dirs, base) || w.many()
}

// many: the host stops walking a root that has too much in it.
func (w *whyUnread) many() bool {
	if n := w.p.Walk.MaxDirs; n > 0 {
		w.say(host.CellWalk, "walks %s directories below one root and no more", catalog.Thousands(n))
		w.fix = "take some of what is in " + w.s.rootShown + " away, or move it to another directory that " + w.p.Name + " reads"
		return true
	}
	return false
}

// place returns the place of the host's plan that has the directory of the file.
func (w *whyUnread) place() *discover.Place {
	for i := range w.v.c.Quick.Places {
		if pl := &w.v.c.Quick.Places[i]; pl.Shown == w.s.rootShown {
			return pl
		}
	}
	return nil
}

// passes: directories that the host passes by.
func (w *whyUnread) passes(pl *discover.Place, r *host.Root, dirs []string) bool {
	for i, dir := range dirs {
		switch {
		case dir == "node_modules" && !w.p.Walk.Modules:
			w.say(host.CellWalk, "does not look into node_modules")
			w.fix = "link it from where it looks: ln -s " + shown(path.Join(dirs...)) + " " + shown(path.Join(w.s.rootShown, dirs[len(dirs)-1]))
			return true
		case strings.HasPrefix(dir, ".") && w.p.Walk.SkipHidden && !r.Hidden:
			at := path.Join(w.s.rootShown, path.Join(dirs[:i]...))
			w.say(host.CellWalk, "skips directories whose name begins with a dot, such as %s", dir)
			w.fix = "mv " + shown(path.Join(at, dir)) + " " + shown(path.Join(at, strings.TrimLeft(dir, ".")))
			return true
		}
	}
	return false
}

// linked: links that the host does not follow.
func (w *whyUnread) linked(pl *discover.Place, dirs []string, base string) bool {
	at := pl.Dir
	for _, dir := range dirs {
		at = path.Join(at, dir)
		if typ, err := pl.Tree.Lstat(at); err == nil && typ == vfs.Link && w.p.Walk.NoDirLinks {
			w.say(host.CellWalk, "does not follow links to directories")
			w.fix = "put a copy of the directory in the place of the link"
			return true
		}
	}
	if typ, err := pl.Tree.Lstat(path.Join(at, base)); err == nil && typ == vfs.Link && w.p.Walk.NoFileLinks {
		w.say(host.CellWalk, "does not follow links to files")
		w.fix = "put a copy of the file in the place of the link"
		if !w.p.Walk.NoDirLinks && len(dirs) > 0 && base == catalog.SkillFileName {
			w.fix = "link the directory that holds the file, not the file itself"
		}
		return true
	}
	return false
}

// inside: a file further up makes all that is below it one definition.
func (w *whyUnread) inside(pl *discover.Place, r *host.Root, dirs []string) bool {
	for depth := range dirs {
		at := path.Join(dirs[:depth]...)
		for i := range r.Rules {
			rule := &r.Rules[i]
			if depth == 0 && !rule.Alone || !rule.Boundary && !rule.Alone || depth < rule.Min || depth > rule.Max {
				continue
			}
			if typ, err := pl.Tree.Lstat(path.Join(pl.Dir, at, rule.File)); err != nil || typ == vfs.Dir {
				continue
			}
			dir := path.Join(w.s.rootShown, at)
			w.say(host.CellWalk, "takes %s for one %s because of %s, and reads nothing else in it", dir, rule.Kind, path.Join(dir, rule.File))
			w.fix = "take " + path.Join(dir, rule.File) + " away, or give it a directory of its own"
			if depth > 0 {
				w.fix = "move it out of " + dir
			}
			return true
		}
	}
	return false
}

// deep: a file of the right name at the wrong depth.
func (w *whyUnread) deep(r *host.Root, dirs []string, base string) bool {
	least, most := -1, -1
	for i := range r.Rules {
		rule := &r.Rules[i]
		fits, _ := rule.Named(base)
		if !fits || rule.Skip != "" {
			continue
		}
		if ok, _ := rule.Fits(base, len(dirs)); ok {
			return false
		}
		if least < 0 || rule.Min < least {
			least = rule.Min
		}
		most = max(most, rule.Max)
	}
	switch {
	case most < 0:
		return false
	case len(dirs) < least:
		w.say(host.CellWalk, "wants a directory of its own for each %s: %s/NAME/%s", w.s.kind, w.s.rootShown, base)
		w.fix = w.ownDirectory(r, base)
		return true
	case most == 0:
		w.say(host.CellWalk, "reads the files directly in %s only; this one is %s below it", w.s.rootShown, levels(len(dirs)))
		w.stands(r, path.Join(w.s.rootShown, base))
		w.fix = "mv " + shown(w.s.path) + " " + shown(path.Join(w.s.rootShown, base))
	default:
		w.say(host.CellWalk, "looks %s below %s, and this one is %s below it", levels(most), w.s.rootShown, levels(len(dirs)))
		at := path.Join(w.s.rootShown, dirs[len(dirs)-1])
		w.stands(r, path.Join(at, base))
		w.fix = "ln -s " + shown(path.Join(dirs...)) + " " + shown(at)
		if w.p.Walk.NoDirLinks {
			w.fix = "mv " + shown(path.Join(w.s.rootShown, path.Join(dirs...))) + " " + shown(w.s.rootShown+"/")
		}
	}
	w.fix = w.atTop(w.fix)
	return true
}

// ownDirectory is how a file that stands in the place of a directory gets one.
func (w *whyUnread) ownDirectory(r *host.Root, base string) string {
	name := w.s.name
	if name == path.Base(w.s.rootShown) || strings.EqualFold(name+path.Ext(base), base) && base == catalog.SkillFileName {
		name = "NAME"
	}
	dir := path.Join(w.s.rootShown, name)
	w.stands(r, path.Join(dir, base))
	return w.atTop("mkdir " + shown(dir) + " && mv " + shown(w.s.path) + " " + shown(dir+"/"))
}

func levels(n int) string {
	switch n {
	case 0:
		return "no directory"
	case 1:
		return "one directory"
	}
	return fmt.Sprintf("%d directories", n)
}

// named: a file of another name than the host takes.
func (w *whyUnread) named(r *host.Root, dirs []string, base string) bool {
	var forms []string
	for i := range r.Rules {
		rule := &r.Rules[i]
		if fits, _ := rule.Fits(base, len(dirs)); fits && rule.Skip == "" {
			return false
		}
		if rule.Skip != "" {
			continue
		}
		if rule.File != "" && rule.File != base && strings.EqualFold(rule.File, base) {
			w.say(host.CellWalk, "takes the name %s only with these capitals", rule.File)
			w.stands(r, path.Join(path.Dir(w.s.path), rule.File))
			w.fix = w.atTop("mv " + shown(w.s.path) + " " + shown(path.Join(path.Dir(w.s.path), rule.File)))
			return true
		}
		form := "*" + rule.Suffix
		if rule.File != "" {
			form = rule.File
			if rule.Max > 0 {
				form = "NAME/" + form
			}
		}
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	w.say(host.CellWalk, "takes only %s in %s", catalog.Either(forms), w.s.rootShown)
	if len(forms) == 1 && forms[0] == "NAME/"+catalog.SkillFileName && strings.EqualFold(path.Ext(base), ".md") && len(dirs) == 0 && !strings.EqualFold(check.NameOf(base), "readme") {
		dir := path.Join(w.s.rootShown, check.NameOf(base))
		w.stands(r, path.Join(dir, catalog.SkillFileName))
		w.fix = w.atTop("mkdir " + shown(dir) + " && mv " + shown(w.s.path) + " " + shown(dir+"/"+catalog.SkillFileName))
	}
	return true
}
