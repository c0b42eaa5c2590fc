package vade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
)

// TestModelCallsAgain checks what Claude Code 2.1.330 sends if a skill was
// called before or is turned off by settings. Arguments are not trimmed.
func TestModelCallsAgain(t *testing.T) {
	o, _ := layFiles(t, map[string]string{
		".claude/skills/ap/SKILL.md":   "---\nname: second\ndescription: d\n---\nBODY\n",
		".claude/commands/c.md":        "---\ndescription: c\n---\nCMD $0",
		".claude/skills/off/SKILL.md":  "---\nname: other\ndescription: d\n---\n",
		".claude/skills/user/SKILL.md": "---\ndescription: d\n---\n",
		".claude/skills/both/SKILL.md": "---\ndescription: d\ndisable-model-invocation: true\n---\n",
		".claude/settings.json":        `{"skillOverrides":{"off":"off","user":"user-invocable-only","both":"user-invocable-only"}}`,
	})
	c, err := catalog.Open(context.Background(), o)
	must(t, err)
	defer c.Close()
	place := "Base directory for this skill: " + o.Dir + "/.claude/skills/ap\n\nBODY\n"
	again := func(name string) string {
		return "(Re-invocation of /" + name + " \u2014 the skill instructions were previously loaded; the arguments or dynamic output below are new.)\n"
	}
	var history []string
	r := catalog.RenderRequest{ByModel: true}
	for _, tc := range []struct {
		name, args string
		want       []string
	}{
		{"ap", "a", []string{"Launching skill: ap", place + "\n\nARGUMENTS: a"}},
		{"ap", "a", []string{"Launching skill: ap", "Skill /ap is already loaded above; instructions unchanged. Arguments: a"}},
		{"second", " b \n", []string{"Launching skill: second", again("second"), place + "\n\nARGUMENTS:  b \n"}},
		{"ap", "a", []string{"Launching skill: ap", again("ap"), place + "\n\nARGUMENTS: a"}},
		{"ap", "", []string{"Launching skill: ap", again("ap"), place}},
		{"ap", "", []string{"Launching skill: ap", "Skill /ap is already loaded above; instructions unchanged."}},
		{"c", "  1 2 ", []string{"Launching skill: c", "CMD 1"}},
		{"c", "2", []string{"Launching skill: c", again("c"), "CMD 2"}},
		{"other", "", []string{"<tool_use_error>Skill other is disabled for model invocation in skillOverrides settings</tool_use_error>"}},
		{"user", "", []string{"<tool_use_error>Skill user is disabled for model invocation in skillOverrides settings</tool_use_error>"}},
	} {
		r.Prompt, r.Arguments = tc.name, tc.args
		out, err := c.Render(context.Background(), r)
		must(t, err)
		history = nil
		for _, m := range out.Messages {
			history = append(history, m.Text)
		}
		r.History = append(r.History, out.Messages...)
		if diff := cmp.Diff(tc.want, history); diff != "" {
			t.Errorf("%s %q: %s", tc.name, tc.args, diff)
		}
	}
	r.Prompt = "both"
	out, err := c.Render(context.Background(), r)
	must(t, err)
	if text := out.Messages[0].Text; !strings.HasPrefix(text, "<tool_use_error>Skill both cannot be used with Skill tool due to disable-model-invocation.") {
		t.Error(text)
	}
}
