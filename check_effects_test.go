package vade_test

import (
	"context"
	"testing"

	"github.com/vadehq/vade/internal/check"
)

// TestFixEffects checks that a fix names the hosts where a field takes effect. It also checks that
// a fix never changes the value of a boolean for a host that already loads the file.
func TestFixEffects(t *testing.T) {
	skill := func(fields string) string { return "---\nname: a\ndescription: d\n" + fields + "---\nb\n" }
	for _, tc := range []struct {
		name, text string
		hosts      []string
		after      string
		effects    []string
	}{
		{"another spelling of a hint", skill("argumentHint: x\n"), []string{"claude-code", "copilot-cli"}, skill("argument-hint: x\n"),
			[]string{"argument-hint takes effect in claude-code, copilot-cli"}},
		{"a spelling that grants", skill("allowed_tools: Bash\n"), []string{"claude-code"}, "", nil},
		{"a spelling that hides", skill("user_invocable: false\n"), []string{"claude-code"}, "", nil},
		{"true is as without the field", skill("user-invocable: yes\n"), []string{"claude-code", "copilot-vscode"}, skill("user-invocable: true\n"), nil},
		{"no would hide it", skill("user-invocable: no\n"), []string{"claude-code", "copilot-vscode"}, "", nil},
		{"the colon of a description", skill("when_to_use: now: or never\n"), []string{"claude-code", "copilot-cli"}, skill("when_to_use: \"now: or never\"\n"), nil},
	} {
		dir := checkTree(t, map[string]string{".claude/skills/a/SKILL.md": tc.text})
		fixes, err := checkProject(t, dir, check.Options{Hosts: tc.hosts}).Fixes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		after, effects := "", []string(nil)
		for _, f := range fixes {
			if f.Problem == "" {
				after = string(f.After)
			}
			effects = append(effects, f.Effects...)
		}
		if after != tc.after || len(effects) != len(tc.effects) || len(effects) > 0 && effects[0] != tc.effects[0] {
			t.Errorf("%s: got %q, %q", tc.name, after, effects)
		}
	}
}

// TestQuotesInCursorRules checks that quotes are not added to Cursor rules, where they would become
// part of the value.
func TestQuotesInCursorRules(t *testing.T) {
	dir := checkTree(t, map[string]string{".cursor/rules/a.mdc": "---\ndescription: d\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nx\n"})
	r := checkProject(t, dir, check.Options{Hosts: []string{"cursor"}})
	if len(r.Findings) > 0 {
		t.Errorf("it has %q", said2(r))
	}
	fixes, err := checkProject(t, dir, check.Options{Hosts: []string{"all"}}).Fixes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fixes {
		if f.Problem == "" {
			t.Errorf("it is edited:\n%s", f.Diff())
		}
	}
}
