package explain

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
)

// unread is the verdict on a file that the host does not look at. d is what its
// view says of the file, nil for nothing.
func (e *explainer) unread(v *view, s *subject, d *definition.Definition) Verdict {
	w := whyUnread{e: e, v: v, s: s, p: v.profile, cell: host.CellRoots}
	w.find(d)
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

// whyUnread finds out why a host does not look at a file, from what discovery has
// recorded and from the roots of its profile, and what the least is that would change it.
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

func (w *whyUnread) find(d *definition.Definition) {
	switch r := w.same(); {
	case w.s.own:
		w.reason = "it comes with Vade, and no host has it"
	case w.s.layer == definition.Plugin:
		w.plugin()
	case r != nil && w.s.nested != "":
		w.say(host.CellRoots, "reads no %ss below the working directory", w.s.kind)
		w.fix = "work in " + w.s.nested + ", or " + cmp.Or(w.link(r), "move it to the top of the project")
	case r != nil:
		w.recorded(r, d)
		if w.to.Root == nil {
			w.stands(r, w.s.path)
		}
	default:
		w.elsewhere()
	}
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

// recorded reports what discovery noted of a file in a directory that the host reads.
func (w *whyUnread) recorded(r *host.Root, d *definition.Definition) {
	w.cell = host.CellWalk
	if d != nil && d.State == definition.Dropped {
		w.reason, w.fix = d.Reason, fixOf(d)
		if !w.taken(r) {
			w.fix = w.link(r)
		}
		return
	}
	if x := w.above(); x != nil {
		w.reason, w.fix = x.Message, x.Fix
		return
	}
	for _, other := range w.v.all {
		dir, skill := strings.CutSuffix(other.Origin.Path, "/"+catalog.SkillFileName)
		if skill && strings.HasPrefix(w.s.path, dir+"/") {
			w.reason, w.fix = "it is a file of the skill in "+dir, "move it out of "+dir
			return
		}
	}
	if w.s.distance > 0 {
		w.say(host.CellWalk, "reads %s in the working directory only, not in the directories above it", r.Label())
		w.fix = "start it in the directory that has " + r.Label()
		return
	}
	w.say(host.CellWalk, "does not come to it")
}

// taken reports whether a rule of the root takes the file as it stands, so that
// neither its name nor its depth is what keeps it out.
func (w *whyUnread) taken(r *host.Root) bool {
	rel := strings.TrimPrefix(w.s.path, w.s.rootShown+"/")
	return slices.ContainsFunc(r.Rules, func(rule host.Rule) bool {
		fits, _ := rule.Fits(path.Base(rel), strings.Count(rel, "/"))
		return fits
	})
}

// above returns what the scan of the host reported of the file, or of the nearest
// directory above it; nil for nothing.
func (w *whyUnread) above() *diag.Diagnostic {
	for at := w.s.path; len(at) >= len(w.s.rootShown) && at != "." && at != "/"; at = path.Dir(at) {
		for i := range w.v.c.ScanDiagnostics {
			if x := &w.v.c.ScanDiagnostics[i]; x.File == at {
				return x
			}
		}
	}
	return nil
}
