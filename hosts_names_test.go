package vade_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
)

// namesOf returns the active names in a view.
func namesOf(t *testing.T, o catalog.Options) []string {
	t.Helper()
	c, err := catalog.Open(t.Context(), o)
	must(t, err)
	defer c.Close()
	all, err := c.List(t.Context(), catalog.Query{})
	must(t, err)
	var names []string
	for _, d := range all {
		names = append(names, d.Name())
	}
	return names
}

// TestNamesOfPlugins checks a plugin whose manifest contains only a name. Its definitions can be
// invoked without the plugin's name if their own name is unique.
func TestNamesOfPlugins(t *testing.T) {
	const skill = "---\nname: s\ndescription: d\n---\nb\n"
	files := map[string]string{
		"one/plugin.json": `{"name": "only"}`, "one/skills/s/SKILL.md": skill,
		"two/plugin.json": `{"name": "two"}`, "two/skills/s/SKILL.md": skill,
		"both/plugin.json": `{"name": "later"}`, "both/.plugin/plugin.json": `{"name": "first"}`, "both/skills/s/SKILL.md": skill,
		"ext/gemini-extension.json": `{"name": "ext"}`, "ext/commands/u.toml": "prompt = 'p'\n", "ext/commands/v.toml": "prompt = 'p'\n",
		"p/.gemini/commands/v.toml": "prompt = 'q'\n", "p/.gemini/commands/help.toml": "prompt = 'q'\n",
	}
	for _, tc := range []struct {
		host, dirs string
		want       []string
	}{
		{"copilot-cli", "one", []string{"s"}},
		{"copilot-cli", "one two", []string{"only:s", "two:s"}},
		{"copilot-vscode", "one", []string{"only:s"}},
		{"copilot-vscode", "both", []string{"first:s"}},
		{"gemini", "ext", []string{"ext:v", "u", "workspace.help", "workspace.v"}},
	} {
		w := newHousehold(t, tc.host, files)
		for _, dir := range strings.Fields(tc.dirs) {
			w.o.PluginDirs = append(w.o.PluginDirs, filepath.Join(w.dir, dir))
		}
		if got := namesOf(t, w.o); !slices.Equal(got, tc.want) {
			t.Errorf("%s with %s: %q, want %q", tc.host, tc.dirs, got, tc.want)
		}
	}
}

// TestSuggestedNamesAreUnique checks that a name shared by a skill and a command is suggested once.
func TestSuggestedNamesAreUnique(t *testing.T) {
	w := newHousehold(t, "opencode", map[string]string{
		"p/.opencode/skills/o2/SKILL.md": "---\nname: o2\ndescription: d\n---\nb\n", "p/.opencode/commands/o2.md": "c\n",
	})
	c, err := catalog.Open(t.Context(), w.o)
	must(t, err)
	defer c.Close()
	out, err := c.Render(t.Context(), catalog.RenderRequest{Prompt: "/nope"})
	must(t, err)
	if out.Error == nil || !strings.HasSuffix(out.Error.Message, "Available commands: o2") {
		t.Errorf("%+v", out.Error)
	}
}

// TestCodexOrder checks that Codex lists its own skills before the project's and the user's.
func TestCodexOrder(t *testing.T) {
	skill := func(name string) string { return "---\nname: " + name + "\ndescription: d\n---\nb\n" }
	w := newHousehold(t, "codex", map[string]string{
		"p/.agents/skills/a/SKILL.md": skill("a"), "h/.agents/skills/b/SKILL.md": skill("b"), "h/.codex/skills/.system/z/SKILL.md": skill("z"),
	})
	l, err := listingOf(t, w.o)
	must(t, err)
	var got []string
	for _, line := range l.Skills {
		name, _, _ := strings.Cut(line, ":")
		got = append(got, name)
	}
	if !slices.Equal(got, []string{"z", "a", "b"}) {
		t.Errorf("%q", got)
	}
}
