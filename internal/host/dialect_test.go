package host

import (
	"testing"

	"github.com/vadehq/vade/definition"
)

func TestDialectOfAKind(t *testing.T) {
	d := Dialect{Repair: RepairValues, Other: func(k definition.Kind, d Dialect) Dialect {
		if k == definition.Agent {
			d.Repair = RepairNone
		}
		return d
	}}
	if d.For(definition.Skill).Repair != RepairValues || d.For(definition.Agent).Repair != RepairNone || d.For(definition.Agent).Other != nil {
		t.Error("For ignores Other")
	}
}
