package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
)

// TestArgumentNames checks that a string of names is split only at spaces, so a
// comma is part of the preceding name (Claude Code, observed in case a32).
func TestArgumentNames(t *testing.T) {
	for _, tc := range []struct {
		view, value string
		want        []string
	}{
		{"claude-code", "file, mode", []string{"file,", "mode"}},
		{"claude-code@2.1.88", "file, mode", []string{"file,", "mode"}},
		{"claude-code", "file,mode", []string{"file,mode"}},
		{"claude-code", "file  mode", []string{"file", "mode"}},
		{"claude-code", "[file, mode]", []string{"file", "mode"}},
		{"neutral", "file, mode", []string{"file", "mode"}},
		{"neutral", "file mode", []string{"file", "mode"}},
	} {
		d := definitionOf(t, tc.view, skill, "---\ndescription: d\narguments: "+tc.value+"\n---\n")
		if diff := cmp.Diff(tc.want, d.Fields.Arguments()); diff != "" {
			t.Errorf("%s %q: %s", tc.view, tc.value, diff)
		}
	}
}

// TestMixedTools checks that one value can mix commas and spaces between rules (format notes,
// section 3.10).
func TestMixedTools(t *testing.T) {
	for _, view := range []string{"neutral", "claude-code"} {
		d := definitionOf(t, view, skill, "---\ndescription: d\nallowed-tools: Read, Bash(git log:*) Grep\ndisallowed-tools: [Write, Edit Glob]\n---\n")
		if diff := cmp.Diff([]string{"Read", "Bash(git log:*)", "Grep"}, d.Fields.AllowedTools()); diff != "" {
			t.Errorf("%s: allowed: %s", view, diff)
		}
		if diff := cmp.Diff([]string{"Write", "Edit", "Glob"}, d.Fields.DisallowedTools()); diff != "" {
			t.Errorf("%s: disallowed: %s", view, diff)
		}
	}
}

// TestNumbersAsText checks that a number in a string field is formatted as JavaScript would.
func TestNumbersAsText(t *testing.T) {
	for _, tc := range []struct{ written, claude, neutral string }{
		{"1.50", "1.5", "1.50"},
		{"1e3", "1000", "1e3"},
		{"0x10", "16", "0x10"},
		{"0o17", "15", "0o17"},
		{"1.0", "1", "1.0"},
		{"+7", "7", "+7"},
		{"-0.0", "0", "-0.0"},
		{"1e21", "1e+21", "1e21"},
		{"0.0000001", "1e-7", "0.0000001"},
		{"0.000001", "0.000001", "0.000001"},
		{"12345678901234567890", "12345678901234567000", "12345678901234567890"},
		{"0xffffffffffffffffff", "4.722366482869645e+21", "0xffffffffffffffffff"},
		{"3000", "3000", "3000"},
		{"007", "7", "007"},
		{".inf", "Infinity", ".inf"},
		{"-.inf", "-Infinity", "-.inf"},
		{".nan", "NaN", ".nan"},
		{"1e999", "Infinity", "1e999"},
		{`"1.50"`, "1.50", "1.50"},
		{"1.50.0", "1.50.0", "1.50.0"},
	} {
		for view, want := range map[string]string{"claude-code": tc.claude, "neutral": tc.neutral} {
			d := definitionOf(t, view, skill, "---\nname: "+tc.written+"\ndescription: "+tc.written+"\n---\n")
			if d.Fields.Name != want || d.Description != want {
				t.Errorf("%s %s: name %q, description %q, want %q", view, tc.written, d.Fields.Name, d.Description, want)
			}
		}
	}
}

// TestAgentWithoutName checks that in a project, an agent file without a name is treated as
// documentation. In a plugin, the agent is named after its file (format notes, section 3.2); the
// plugin tests cover this.
func TestAgentWithoutName(t *testing.T) {
	d := definitionOf(t, "claude-code", ".claude/agents/noname.md", "---\ndescription: d\n---\nbody\n")
	if d.State != definition.Dropped {
		t.Errorf("an agent of the project without a name is %v", d.State)
	}
}
