package audit

import (
	"testing"

	"github.com/vadehq/vade/definition"
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

// TestUnreadRun: what could not be read blocks where it would be run or followed.
func TestUnreadRun(t *testing.T) {
	const plain, runs = "---\nname: a\ndescription: A. Use it.\n---\nRead the log.\n", "---\nname: a\ndescription: A. Use it.\n---\nRead `notes/a.md` and use `data.csv`. Run:\n\n```sh\ngit status\n./tools/go\n```\n"
	for _, c := range []struct {
		text   string
		missed fact.Missed
		want   Severity
	}{
		{runs, fact.Missed{Path: "tools/go", Why: fact.MissedUnreadable}, Block},
		{plain, fact.Missed{Path: "tools/go", Why: fact.MissedUnreadable}, Review},
		{plain, fact.Missed{Path: "tools/go.py", Why: fact.MissedUnreadable}, Block},
		{plain, fact.Missed{Path: "scripts/go", Why: fact.MissedSpecial}, Block},
		{runs, fact.Missed{Path: "tools", Why: fact.MissedUnreadable}, Block},
		{runs, fact.Missed{Path: "notes/a.md", Size: 5 << 20, Why: fact.MissedTooLarge}, Block},
		{plain, fact.Missed{Path: "notes/a.md", Size: 5 << 20, Why: fact.MissedTooLarge}, Review},
		{plain, fact.Missed{Path: "SKILL.md", Size: 5 << 20, Why: fact.MissedTooLarge}, Block},
		{runs, fact.Missed{Path: "data.csv", Size: 5 << 20, Why: fact.MissedTooLarge}, Review},
		{runs, fact.Missed{Path: "z", Why: fact.MissedTooMany}, Block},
		{plain, fact.Missed{Path: "z", Why: fact.MissedTooMany}, Review},
		{runs, fact.Missed{Path: "tools/go", Why: fact.MissedLink, Note: "leads to /opt/go"}, Block},
		{runs, fact.Missed{Path: "tools/go", Why: fact.MissedLink, Note: "leads to ../build/go"}, Inform},
		{runs, fact.Missed{Path: "tools/go", Why: fact.MissedNative}, Review},
	} {
		r := Run(&fact.Package{Name: "a", Kind: definition.Skill, Files: []*fact.File{{Path: "SKILL.md", Raw: []byte(c.text), Size: int64(len(c.text))}}, Missed: []fact.Missed{c.missed}}, Options{})
		if r.Verdict != c.want {
			t.Errorf("%s, %s: %s, want %s: %s", c.missed.Path, c.missed.Why, r.Verdict, c.want, summary(r))
		}
	}
}
