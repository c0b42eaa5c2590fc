package export

import (
	"strings"
	"testing"
)

func TestPluginLinks(t *testing.T) {
	in := map[string]string{
		".claude/skills/a/SKILL.md": "skills/a/SKILL.md", ".claude/skills/a/r.md": "skills/a/r.md", ".claude/agents/x.md": "agents/x.md",
	}
	has := func(file string) (string, bool) { to, ok := in[file]; return to, ok }
	exists := func(file string) bool { return file == "docs/a.md" }
	for _, c := range []struct{ from, to, text, want, lost string }{
		{".claude/agents/x.md", "agents/x.md", "[r](../skills/a/r.md#p)", "[r](../skills/a/r.md#p)", ""},
		{".claude/agents/deep/x.md", "agents/x.md", "[r](../../skills/a/r.md#p)", "[r](../skills/a/r.md#p)", ""},
		{".claude/skills/a/SKILL.md", "skills/a/SKILL.md", "[r](r.md) [d](../../../docs/a.md) [none](../../../none.md)", "", "../../../docs/a.md"},
		{".claude/agents/x.md", "agents/x.md", "[o](../../../o.md)", "", "../../../o.md"},
		{".claude/agents/x.md", "agents/x.md", "[w](https://x.example/a.md) `[c](../../docs/a.md)`", "", ""},
	} {
		got, lost := PluginLinks([]byte("one\n"+c.text), c.from, c.to, has, exists)
		want := c.want
		if want == "" {
			want = c.text
		}
		if string(got) != "one\n"+want {
			t.Errorf("%s: %q, want %q", c.text, got, want)
		}
		if len(lost) != min(1, len(c.lost)) || len(lost) == 1 && (!strings.Contains(lost[0].Message, c.lost) || lost[0].Line != 2 || lost[0].Fix == "") {
			t.Errorf("%s: lost %v, want %q", c.text, lost, c.lost)
		}
	}
}
