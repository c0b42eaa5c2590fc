package explain

import (
	"errors"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
)

// audited adds what the audit refuses to the problems of the definitions that were asked
// for by name: Vade would not load them, whatever a host does. Of all definitions it says
// nothing, which is what [scan.Run] is for.
func (e *explainer) audited(x *Explanation, subjects []*subject) error {
	if e.request.All {
		return nil
	}
	for i, s := range subjects {
		d := e.neutral.of(s.real)
		if d == nil || d.State == definition.Dropped {
			continue
		}
		_, err := e.neutral.c.Handle(d).Audited(e.ctx)
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		var refused *definition.Error
		if errors.As(err, &refused) && refused.Code == diag.AuditBlocked {
			problem := diag.For(s.path, diag.AuditBlocked, "Vade does not load it: %s", catalog.FoundBy(refused.Findings)).WithFix("%s", refused.Fix)
			x.Definitions[i].Problems = append(x.Definitions[i].Problems, problem)
		}
	}
	return nil
}
