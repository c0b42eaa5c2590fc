package host

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/definition"
)

// TestPlacesAreSound: each root can be looked for, its layer has its turn in the order
// of precedence, and its rules fit something.
func TestPlacesAreSound(t *testing.T) {
	for _, p := range Profiles() {
		for i := range p.Roots {
			r := &p.Roots[i]
			switch {
			case len(r.Rules) == 0 || r.Base == 0 || r.Layer == 0:
				t.Errorf("%s: root %q is not whole", p.Name, r.Dir)
			case strings.HasPrefix(r.Dir, "/"), strings.HasSuffix(r.Dir, "/"), strings.Contains(r.Dir, ".."):
				t.Errorf("%s: root %q is no path below its base", p.Name, r.Dir)
			case r.Base == InManaged && r.Managed == nil, r.Base == InEnv && r.Env == "":
				t.Errorf("%s: root %q says not where it is", p.Name, r.Dir)
			case r.EnvDepth > strings.Count(r.Dir, "/")+1:
				t.Errorf("%s: root %q has not %d elements", p.Name, r.Dir, r.EnvDepth)
			}
			for _, rule := range r.Rules {
				if (rule.File == "") == (rule.Suffix == "") || rule.Min > rule.Max || rule.Alone && rule.Min > 0 {
					t.Errorf("%s: %s: the rule %+v is not sound", p.Name, r.Dir, rule)
				}
				if rule.Kind != definition.Instruction && !slices.Contains(p.Precedence(rule.Kind), r.Layer) {
					t.Errorf("%s: %s: layer %s has no place in the order for a %s", p.Name, r.Dir, r.Layer, rule.Kind)
				}
			}
		}
		if p.Name != "neutral" && p.Trust.Needed && (p.Trust.How == "" || p.Trust.Basis == 0) {
			t.Errorf("%s: who has to trust a project is not told how", p.Name)
		}
	}
}

// TestFacts: every host says something of every cell, and where that is known from.
func TestFacts(t *testing.T) {
	for _, p := range Hosts() {
		for _, c := range Cells() {
			if !slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.Cell == c }) {
				t.Errorf("%s says nothing of %s", p.Name, c)
			}
		}
		for _, f := range p.Facts {
			if !strings.HasSuffix(f.Text, ".") || f.From == "" && f.Basis != Inferred {
				t.Errorf("%s: %s: %q from %q", p.Name, f.Cell, f.Text, f.From)
			}
		}
	}
}

func TestDialectOfAKind(t *testing.T) {
	d := Dialect{Repair: RepairValues, Other: func(k definition.Kind, d Dialect) Dialect {
		if k == definition.Agent {
			d.Repair = RepairNone
		}
		return d
	}}
	if d.For(definition.Skill).Repair != RepairValues || d.For(definition.Agent).Repair != RepairNone || d.For(definition.Agent).Other != nil {
		t.Error("the dialect of a kind is not that of its function")
	}
}
