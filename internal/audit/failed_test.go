package audit

import (
	"testing"

	"github.com/vadehq/vade/internal/audit/fact"
)

// TestFailureIsNotClean: a package over which the audit fails is refused.
func TestFailureIsNotClean(t *testing.T) {
	r := Run(&fact.Package{Name: "a", Files: []*fact.File{{Path: "SKILL.md"}, nil}}, Options{})
	if r.Verdict != Block || len(r.Findings) != 1 || r.Findings[0].ID != "S08" || r.Findings[0].Fingerprint == "" || r.Coverage.Complete || len(r.Coverage.Missed) != 1 {
		t.Errorf("%+v", r)
	}
	if m := Capabilities(r); len(m.Capabilities) != 0 {
		t.Errorf("%+v", m)
	}
}
