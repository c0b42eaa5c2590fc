package materialize

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/resolve"
)

// sayNames reports sources of one name, of which one is taken, and the skills of
// agents that are not among the sources.
func (y *Syncer) sayNames(all *resolve.Catalog) {
	report := func(d diag.Diagnostic) {
		d.Severity = diag.Warning
		y.Result.Diagnostics = append(y.Result.Diagnostics, d)
	}
	for _, d := range all.All {
		if d.State == definition.Shadowed && d.By != nil {
			report(diag.For(d.Origin.Path, diag.SyncClash, "%s is the %s %s already: no copies are made of this file", d.By.Origin.Path, d.By.Kind, d.By.Name).
				WithFix("rename one of the two, or remove it"))
		}
		if d.State != definition.Loaded || d.Kind != definition.Agent {
			continue
		}
		for _, x := range missingSkills(d, all) {
			report(x)
		}
	}
}

// missingSkills reports the skills that an agent begins with and that are not there.
func missingSkills(d *definition.Definition, all *resolve.Catalog) []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, name := range d.Fields.Skills() {
		if all.Get(definition.Skill, name) != nil {
			continue
		}
		list = append(list, prompt.NoSuchSkill(d, name, all))
	}
	return list
}
