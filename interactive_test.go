package vade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
)

// TestInteractiveCalls checks calls in Copilot CLI's interactive mode (observed in 1.0.102). In a
// prompt on the command line, they are plain text.
func TestInteractiveCalls(t *testing.T) {
	w := newHousehold(t, "copilot-cli", map[string]string{
		"p/.github/skills/plain/SKILL.md":  "---\nname: plain\ndescription: d\n---\nno place\n",
		"p/.github/skills/pos/SKILL.md":    "---\nname: pos\ndescription: d\narguments: [first]\n---\n[$0] [$1] [$2] [$ARGUMENTS[1]] [$first] [${1}] [$@] [\\\\$1] [$ARGUMENTS]\n",
		"p/.github/skills/rest/SKILL.md":   "---\nname: rest\ndescription: d\n---\n[$0] [$1] !`echo hi` @x.txt\n",
		"p/.github/skills/files/SKILL.md":  "---\nname: files\ndescription: d\n---\n$ARGUMENTS end\n",
		"p/.github/skills/files/extra.txt": "x",
		"p/.claude/commands/cm.md":         "---\ndescription: d\n---\n$1\n",
	})
	c := w.opened(t)
	for _, tc := range []struct{ prompt, dir, text string }{
		{"/plain", ".github/skills/plain", "no place\n"},
		{"/plain a  b", ".github/skills/plain", "no place\n\n\nARGUMENTS: a  b"},
		{`/pos "a b" c`, ".github/skills/pos", "[a b] [c] [] [c] [$first] [${1}] [$@] [\\$1] [\"a b\" c]\n"},
		{`/rest 'x y' "z`, ".github/skills/rest", "[x y] [z] !`echo hi` @x.txt\n"},
		{"/files", ".github/skills/files", "Related files (use view tool to read):\n  - {DIR}/extra.txt\n\n end\n"},
		{"/cm x", ".claude/commands", "Related files (use view tool to read):\n  - {DIR}/cm.md\n\n\n"},
	} {
		name := strings.Fields(tc.prompt)[0]
		dir := w.o.Dir + "/" + tc.dir
		want := "The user explicitly invoked the \"" + name + "\" skill. Follow its instructions now.\n\n<skill-context name=\"" + name[1:] +
			"\">\nBase directory for this skill: " + dir + "\n\n" + strings.ReplaceAll(tc.text, "{DIR}", dir) + "\n</skill-context>"
		for _, interactive := range []bool{true, false} {
			if !interactive {
				want = tc.prompt
			}
			out, err := c.Render(t.Context(), catalog.RenderRequest{Prompt: tc.prompt, Interactive: interactive})
			must(t, err)
			if len(out.Messages) != 1 || out.Messages[0].Text != want {
				t.Errorf("%s, interactive %t: %v, %s", tc.prompt, interactive, out.Error, cmp.Diff(want, out.Messages[0].Text))
			}
		}
	}
}

// TestOwnCommandsOfClaudeCode checks that built-in commands are not reported as unknown, and that a
// project's command replaces a built-in one (observed in 2.1.330).
func TestOwnCommandsOfClaudeCode(t *testing.T) {
	w := newHousehold(t, "claude-code", map[string]string{
		"p/.claude/commands/review.md": "---\ndescription: d\n---\nMINE\n", "p/.claude/commands/theme.md": "---\ndescription: d\n---\nMINE\n",
	})
	c := w.opened(t)
	for prompt, want := range map[string]string{
		"/review": "MINE", "/theme": "MINE", "/usage": "built-in command", "/team-onboarding": "built-in command", "/pr-comments": "no command with that name",
	} {
		out, err := c.Render(t.Context(), catalog.RenderRequest{Prompt: prompt})
		must(t, err)
		var got []string
		for _, m := range out.Messages {
			got = append(got, m.Text)
		}
		for _, d := range out.Diagnostics {
			got = append(got, d.Message)
		}
		if text := strings.Join(got, "\n"); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %q", prompt, text, want)
		}
	}
}
