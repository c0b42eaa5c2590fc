package parse_test

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// TestFrontmatterIsNeeded checks that hosts that require frontmatter drop a
// skill without it, with a reason and a fix.
func TestFrontmatterIsNeeded(t *testing.T) {
	const path = ".agents/skills/s/SKILL.md"
	for _, tc := range []struct{ view, text, why, fix string }{
		{"codex", "body\n", "without frontmatter", "start the file"},
		{"codex", "---\n---\nbody\n", "there are no fields", "put the fields"},
		{"gemini", "--- \nname: s\ndescription: d\n---\n", "whitespace follows", "remove the whitespace"},
		{"pi", "\ufeff---\nname: s\ndescription: d\n---\n", "byte order mark", "without a byte order mark"},
		{"copilot-cli", "---\nname: s\ndescription: d\n", "no closing", "on a separate line"},
		{"qwen", "\n---\nname: s\ndescription: d\n---\n", "not at the start", "start the file"},
	} {
		d := definitionOf(t, tc.view, path, tc.text)
		last := diag.Diagnostic{}
		for _, x := range d.Diagnostics {
			if x.Code == diag.FMMissing {
				last = x
			}
		}
		if d.State != definition.Dropped || d.ReasonCode != diag.FMMissing || !strings.Contains(d.Reason, tc.why) || !strings.Contains(last.Fix, tc.fix) {
			t.Errorf("%s, %q: %s %q, fix %q", tc.view, tc.text, d.State, d.Reason, last.Fix)
		}
	}
}

// TestOnlyUTF8 checks that two hosts do not load a file that contains invalid
// UTF-8 anywhere, and that the other hosts replace the invalid bytes (n09).
func TestOnlyUTF8(t *testing.T) {
	const path = ".agents/skills/s/SKILL.md"
	head := "---\nname: s\ndescription: caf\xe9\n---\nbody\n"
	tail := "---\nname: s\ndescription: d\n---\n" + strings.Repeat("line\n", 40_000) + "caf\xe9\n"
	for _, view := range []string{"codex", "agentskills", "copilot-cli", "gemini", "opencode", "pi", "qwen"} {
		strict := view == "codex" || view == "agentskills"
		for _, text := range []string{head, tail} {
			if d := definitionOf(t, view, path, text); (d.State == definition.Dropped) != strict {
				t.Errorf("%s, %d bytes: %s %q", view, len(text), d.State, d.Reason)
			}
		}
	}
}
