package check

import (
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/materialize"
)

// outOfSync reports copies that differ from those that vade sync would create now. o holds the
// caller's options.
func (k *checker) outOfSync(o catalog.Options) ([]rules.Finding, error) {
	if len(k.neutral.SyncState().Files) == 0 {
		return nil, nil
	}
	o.Dir = k.top()
	// Do not report copies just because they have wider permissions: the user accepted those.
	plan, err := materialize.PlanSync(k.ctx, o, materialize.Options{AllowWidening: true})
	if err != nil {
		// Skip unreadable files, which other findings already report.
		return nil, k.ctx.Err()
	}
	var findings []rules.Finding
	for _, step := range plan.Steps {
		message := ""
		switch step.Action {
		case "update":
			message = "this copy of %s is out of date"
		case "remove", "unlink":
			message = "this copy of %s is no longer needed"
		default:
			continue
		}
		f := rules.Of(diag.For(step.Path, diag.SyncStale, message, step.Source).WithFix("vade sync"))
		f.Hosts = step.Hosts
		findings = append(findings, f)
	}
	for _, d := range plan.Diagnostics {
		if d.Code == diag.SyncEdited {
			// The host still loads the file, so this is not an error.
			d.Severity = diag.Warning
			findings = append(findings, rules.Of(d))
		}
	}
	return findings, nil
}
