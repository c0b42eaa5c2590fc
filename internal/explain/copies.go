package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// instead says which file a host has under the name of one that it does not look at.
func (e *explainer) instead(s *subject, loaded *definition.Definition) string {
	p := loaded.Origin.Path
	switch mine, other := e.truth.Copies[s.path], e.truth.Copies[p]; {
	case other == s.path:
		return "; it loads its copy " + p
	case mine == p:
		return "; it loads its source " + p
	case mine != "" && mine == other:
		return "; it loads another copy of " + mine + ", " + p
	}
	return "; it loads " + p + " under this name"
}

// settled takes the fix away where the two files of a name are one and its copy.
func (e *explainer) settled(x *Verdict, s *subject) {
	if x.ShadowedBy == "" || x.ShadowedBy == s.path || e.truth.Source(x.ShadowedBy) != e.truth.Source(s.path) {
		return
	}
	note := "one of the two is the other's copy: nothing is to be done"
	if e.truth.Copies[s.path] != "" && e.truth.Copies[x.ShadowedBy] != "" {
		note = "both are copies of " + e.truth.Source(s.path) + ": nothing is to be done"
	}
	x.Fix, x.Notes = "", append(x.Notes, note)
}

// bySync makes the fix one of the source of truth, where the project has one: the source
// is mended, and [materialize.Sync] makes what hosts read.
func (w *whyUnread) bySync() {
	t, s := &w.e.truth, w.s
	if !t.Kept || s.layer != definition.Project || s.nested != "" || vfs.IsAbs(s.path) || s.own || w.same() != nil {
		return
	}
	if t.Copies[s.path] != "" {
		w.byHand("")
		return
	}
	p := w.served()
	if p == nil || s.format == definition.Package {
		return
	}
	first := ""
	switch d := w.e.neutral.of(s.real); {
	case catalog.InOneOf(t.Project.Sources(), s.path):
		if d == nil || d.State == definition.Dropped {
			// Nothing is made of it as it is; what is wrong in it is said of itself.
			w.byHand("")
			return
		}
	case s.kind == definition.Instruction && w.single():
		first = "put its text into the source of truth, " + catalog.Either(t.Project.Sources())
	case slices.ContainsFunc(w.e.known, func(p *host.Profile) bool { return p.Export != nil && p.Mine(s.path) }):
		first = "vade import"
		if dir, _, below := strings.Cut(s.path, "/"); below && strings.HasPrefix(dir, ".") {
			first += " --from " + shown(dir)
		}
	default:
		first = "move it into the source of truth, " + catalog.Either(t.Project.Sources())
	}
	w.byHand(joinFix(first, brings(t, p, s.kind)))
}

// byHand replaces the fix by one after which nothing more is known of the file.
func (w *whyUnread) byHand(fix string) { w.fix, w.to, w.copied = fix, catalog.Placement{}, "" }

func joinFix(first, rest string) string {
	switch {
	case first == "":
		return rest
	case strings.Contains(rest, ", then: "):
		return first + "; " + rest
	}
	return first + ", then: " + rest
}

// served is the host by whose copies this one gets a kind: itself, or one whose place it
// reads, nil for none.
func (w *whyUnread) served() *host.Profile {
	if w.p.Export != nil {
		if copyPlace(w.p, w.s.kind) == "" {
			return nil
		}
		return w.p
	}
	for _, p := range w.e.known {
		if p.Export == nil || !p.Program() {
			continue
		}
		if at := copyPlace(p, w.s.kind); at != "" && w.p.Mine(at+"/x") {
			return p
		}
	}
	return nil
}

// copyPlace is the directory in which a host gets files of a kind, "" for none.
func copyPlace(p *host.Profile, k definition.Kind) string {
	x := p.Export
	switch {
	case k == definition.Instruction && x.Instructions == nil:
	case k == definition.Instruction:
		return cmp.Or(x.Instructions.Dir, x.Instructions.Whole)
	case x.Place(k) != nil:
		return x.Place(k).Dir
	case k == definition.Command && x.CommandAsSkill:
		return cmp.Or(x.CommandDir, x.Place(definition.Skill).Dir)
	}
	return ""
}

// brings says how a host gets its copies of a kind.
func brings(t *catalog.SourceOfTruth, p *host.Profile, k definition.Kind) string {
	const run = "vade sync"
	switch {
	case t.Project.Excludes(p.Name, k):
		return "take " + k.String() + "s of " + p.Name + " out of sync.exclude in " + config.File + ", then: " + run
	case slices.Contains(t.Project.Hosts, p.Name), len(t.Project.Hosts) == 0 && slices.Contains(t.Made, p.Name):
		return run
	case len(t.Project.Hosts) > 0:
		return "add " + p.Name + " to hosts: in " + config.File + ", then: " + run
	}
	return run + " --hosts " + p.Name
}
