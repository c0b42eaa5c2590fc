package audit

import (
	"slices"
	"testing"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
)

// TestFailureIsNotClean asserts that a file over which an extractor panics is a finding that
// blocks, and that all else is still judged.
func TestFailureIsNotClean(t *testing.T) {
	set := &signal.Set{Package: pack(rules.Example{{Path: "SKILL.md", Text: "# Example\n"}}, 0)}
	guard(set, 0, func() { panic("a text that nobody expected") })
	list := findings(set, rules.Judge(rules.All(), set), rules.Regular)
	if !slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == rules.Block && f.Path == "SKILL.md" }) {
		t.Errorf("%+v", list)
	}
	if len(set.Missed) != 1 || set.Missed[0].Why != signal.MissedUnparsed {
		t.Errorf("%+v", set.Missed)
	}
}
