package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
)

// verdict returns how one host treats one file.
func (e *explainer) verdict(v *view, s *subject) Verdict {
	d := v.definition(s.real)
	var x Verdict
	switch importer := v.imported[s.path]; {
	case importer != "" && (d == nil || d.State != definition.Loaded):
		x = Verdict{
			State: definition.Loaded.String(), Name: s.name, Kind: s.kind.String(), Path: s.path,
			Notes: []string{"imported by " + importer},
		}
		x.setBasis(v.profile, host.CellInstructions)
	case d == nil || v.unread(d):
		x = e.explainUnread(v, s, d)
	case d.State == definition.Loaded:
		x = v.loaded(d)
		x.Ignored, x.Lost = e.ignored(s, d)
	default:
		x = v.inactive(d)
		e.clearCopyFix(&x, s)
	}
	x.Host = v.profile.Name
	return x
}

// setBasis sets the evidence for the verdict.
func (x *Verdict) setBasis(p *host.Profile, cell host.Cell) {
	x.Cell, x.Basis = cell.String(), p.Basis(cell).String()
}

// describe returns a verdict with the properties that the definition has in the host's view.
func (v *view) describe(d *definition.Definition) Verdict {
	x := Verdict{State: d.State.String(), Name: d.Name, Kind: d.Kind.String(), Path: d.Origin.Path}
	for _, y := range d.Diagnostics {
		if y.Severity > diag.Info {
			x.Diagnostics = append(x.Diagnostics, y)
		}
	}
	if d.Origin.Layer == definition.Project && v.profile.Trust.Needed {
		x.Trust = v.profile.Trust.How
	}
	if line, ok := v.lines[d]; ok {
		x.Listed, x.Listing, x.ListedWhy = line.Listed, line.Text, line.Why
	}
	return x
}

// loaded returns the verdict for an active definition.
func (v *view) loaded(d *definition.Definition) Verdict {
	x := v.describe(d)
	x.setBasis(v.profile, cellOfKind(d.Kind))
	x.Shadows = paths(v.shadows[d], d)
	if d.Kind != definition.Instruction {
		x.Beside = paths(v.byName[kindName{d.Kind, d.Name}], d)
	}
	if len(x.Shadows) > 0 {
		x.noteRandom(v, d.Kind)
	}
	if len(x.Beside) > 0 {
		x.Notes = append(x.Notes, "all files with this name are active")
	}
	x.Activation = d.Fields.Paths()
	x.UserCall, x.ModelCall = v.profile.Calls(d)
	return x
}

// noteRandom sets Random if the host's choice among files with the same name is unpredictable.
func (x *Verdict) noteRandom(v *view, k definition.Kind) {
	if v.profile.Clash != nil && v.profile.Clash(k) == host.AnyWins {
		x.Random = true
		x.Notes = append(x.Notes, "the host uses whichever file with this name it read last, which varies between runs")
	}
}

// inactive returns the verdict for a definition that the host reads but does not use.
func (v *view) inactive(d *definition.Definition) Verdict {
	x := v.describe(d)
	x.Reason, x.Code, x.Fix = d.Reason, d.ReasonCode, fixOf(d)
	x.setBasis(v.profile, cellOf(d))
	switch {
	case d.State == definition.Shadowed && d.ReplacedBy != nil:
		if !slices.ContainsFunc(d.Diagnostics, func(y diag.Diagnostic) bool { return y.Fix == x.Fix && y.Code == d.ReasonCode }) {
			x.Fix = ""
		}
		x.ShadowedBy = d.ReplacedBy.Origin.Path
		x.noteRandom(v, d.Kind)
		x.Fix = cmp.Or(x.Fix, "rename or remove one of the two definitions")
	case d.State == definition.Dropped && v.profile.Silent:
		x.Notes = append(x.Notes, "the host does not report this problem")
	}
	return x
}

// fixOf returns the fix from the diagnostic that explains the definition's state. If that
// diagnostic has no fix, fixOf returns the fix from the first warning or error that has one.
func fixOf(d *definition.Definition) string {
	fix := ""
	if d == nil {
		return ""
	}
	for _, y := range d.Diagnostics {
		if y.Code == d.ReasonCode && y.Fix != "" {
			return y.Fix
		}
		if fix == "" && y.Severity > diag.Info {
			fix = y.Fix
		}
	}
	return fix
}

// cellOfKind returns the topic of the evidence on whether a host reads definitions of a kind.
func cellOfKind(k definition.Kind) host.Cell {
	switch k {
	case definition.Command:
		return host.CellCommands
	case definition.Agent:
		return host.CellAgents
	case definition.Instruction:
		return host.CellInstructions
	}
	return host.CellRoots
}

// cellOf returns the topic of the evidence for the reason for a definition's state.
func cellOf(d *definition.Definition) host.Cell {
	code := string(d.ReasonCode)
	switch {
	case d.State == definition.Shadowed:
		return host.CellClashes
	case strings.HasPrefix(code, "FM_"):
		return host.CellDelimiters
	case strings.HasPrefix(code, "YAML_"), strings.HasPrefix(code, "TOML_"), strings.HasPrefix(code, "ENCODING_"):
		return host.CellYAML
	case strings.HasPrefix(code, "NAME_"):
		return host.CellNames
	case strings.HasPrefix(code, "FIELD_"), strings.HasPrefix(code, "DESC_"), strings.HasPrefix(code, "METADATA_"):
		return host.CellFields
	case strings.HasPrefix(code, "SYMLINK_"), strings.HasPrefix(code, "FILE_"), d.ReasonCode == diag.SameFile:
		return host.CellWalk
	}
	return host.CellRoots
}

// ignored returns the fields that the host ignores. lost lists the keys of the ignored fields that
// some other host honors.
func (e *explainer) ignored(s *subject, d *definition.Definition) (all []IgnoredField, lost []string) {
	for _, x := range d.Fields.Ignored() {
		all = append(all, IgnoredField{x.Key, x.Reason})
		honors := func(p *host.Profile) bool {
			r, ok := p.Rule(s.kind, x.Key)
			return ok && !r.Inert
		}
		if slices.ContainsFunc(e.profiles, honors) && !slices.Contains(lost, x.Key) {
			lost = append(lost, x.Key)
		}
	}
	return all, lost
}

// ListingState describes what a model sees of a definition before loading it. Listed is one of the
// Listed… constants, or "" if the kind is not listed. Text is the entry in the host's format. Why
// explains why the entry is cut or missing.
type ListingState struct{ Listed, Text, Why string }

// ListingStateOf returns what the model sees of d before loading it.
func ListingStateOf(ctx context.Context, d catalog.Definition) (ListingState, error) {
	all, err := listingStates(ctx, d.Catalog(), []*definition.Definition{d.Record()})
	return all[d.Record()], err
}

// listingStates returns what the model sees of the wanted definitions. It omits
// definitions that are neither listed nor reported as not listed.
func listingStates(ctx context.Context, c *catalog.Catalog, wanted []*definition.Definition) (map[*definition.Definition]ListingState, error) {
	lines, l, err := c.ListingLines(ctx)
	if err != nil {
		return nil, err
	}
	type place struct{ name, path string }
	notes := make(map[place]ListingState, len(l.Cut)+len(l.Skipped))
	for _, x := range l.Cut {
		notes[place{x.Name, x.Path}] = ListingState{Listed: ListedCut, Why: x.Reason}
	}
	for _, x := range l.Skipped {
		notes[place{x.Name, x.Path}] = ListingState{Listed: ListedNot, Why: x.Reason}
	}
	found := map[*definition.Definition]ListingState{}
	for _, d := range wanted {
		if d.Kind == definition.Instruction {
			continue
		}
		text, shown := lines[catalog.ListingKey(d)]
		one, noted := notes[place{d.Name, d.Origin.Path}]
		switch {
		case shown && !noted:
			one.Listed = ListedWhole
		case !shown && noted:
			one.Listed = ListedNot
		case !shown:
			continue
		}
		one.Text = text
		found[d] = one
	}
	return found, nil
}

// addAudit adds the audit's reason for rejecting a definition to its problems, because Vade does
// not load a rejected definition for any host. It audits only definitions that are requested by
// name; [scan.Run] audits all of them.
func (e *explainer) addAudit(x *Explanation, subjects []*subject) error {
	if e.request.All {
		return nil
	}
	for i, s := range subjects {
		d := e.neutral.definition(s.real)
		if d == nil || d.State == definition.Dropped {
			continue
		}
		problem, blocked := e.neutral.c.Handle(d).AuditProblem(e.ctx)
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		if blocked {
			problem.File = s.path
			x.Definitions[i].Problems = append(x.Definitions[i].Problems, problem)
		}
	}
	return nil
}
