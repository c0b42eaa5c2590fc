package vade_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/instructions"
)

func (w *household) opened(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), w.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// pluginHousehold returns a household with one plugin in the given directory.
func pluginHousehold(t *testing.T, as string, files map[string]string) *household {
	t.Helper()
	w := newHousehold(t, as, files)
	w.o.PluginDirs = []string{w.dir + "/plug"}
	return w
}

const fine = "---\ndescription: d\n---\nbody\n"

// TestBareNamesOfPlugins checks which of a plugin's definitions can be invoked without the plugin's
// name, either by their own name or by their frontmatter name (format notes, section 3.2; m32).
func TestBareNamesOfPlugins(t *testing.T) {
	files := map[string]string{
		"plug/.claude-plugin/plugin.json": `{"name": "myplug"}`,
		"plug/commands/c1.md":             fine,
		"plug/skills/rev/SKILL.md":        "---\nname: fancy\ndescription: d\n---\nbody\n",
		"plug/skills/other/SKILL.md":      "---\nname: taken\ndescription: d\n---\nbody\n",
		"p/.claude/commands/taken.md":     fine,
	}
	for _, tc := range []struct {
		as   string
		kind definition.Kind
		name string
		want string // "" if not found
	}{
		{"claude-code", definition.Command, "c1", ""},
		{"claude-code", definition.Command, "myplug:c1", "myplug:c1"},
		{"claude-code", definition.Skill, "rev", "myplug:rev"},
		{"claude-code", definition.Skill, "fancy", "myplug:rev"},
		{"claude-code", definition.Skill, "myplug:fancy", "myplug:rev"},
		{"claude-code", definition.Skill, "taken", "taken"},
		{"claude-code@2.1.88", definition.Skill, "rev", "myplug:rev"},
		{"claude-code@2.1.88", definition.Skill, "fancy", ""},
		{"neutral", definition.Command, "c1", "myplug:c1"},
		{"neutral", definition.Skill, "rev", "myplug:rev"},
	} {
		c := pluginHousehold(t, tc.as, files).opened(t)
		d, err := c.Get(context.Background(), tc.kind, tc.name)
		got := ""
		if err == nil {
			got = d.Name()
		} else if !errors.Is(err, definition.ErrNotFound) {
			t.Fatal(err)
		}
		if got != tc.want {
			t.Errorf("%s: %s %s is %q, want %q", tc.as, tc.kind, tc.name, got, tc.want)
		}
	}
}

// TestNamelessAgentOfPlugin checks that a plugin's agent without a name is named after its file
// (format notes, section 3.2).
func TestNamelessAgentOfPlugin(t *testing.T) {
	w := pluginHousehold(t, "claude-code", map[string]string{
		"plug/.claude-plugin/plugin.json": `{"name": "myplug"}`,
		"plug/agents/noname.md":           fine,
		"plug/agents/sub/deep.md":         fine,
		"plug/agents/nothing.md":          "no frontmatter\n",
		"p/.claude/agents/noname.md":      fine,
	})
	list, err := w.opened(t).List(context.Background(), catalog.Query{Kinds: []definition.Kind{definition.Agent}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list {
		got = append(got, d.Name())
	}
	if diff := cmp.Diff([]string{"myplug:noname", "myplug:nothing", "myplug:sub:deep"}, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	l, err := w.opened(t).Listing(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(l.Agents, "\n"), "myplug:noname: d") {
		t.Errorf("listed: %q", l.Agents)
	}
}

// TestInvalidManifests checks that a plugin fails if a known manifest key has the wrong type or a
// path does not begin with "./" (format notes, section 3.13).
func TestInvalidManifests(t *testing.T) {
	for _, tc := range []struct {
		manifest string
		key      string // "" if valid
	}{
		{`{"name": "myplug"}`, ""},
		{`{"name": "myplug", "version": "1", "keywords": ["x"], "author": {"name": "a"}, "skills": "./more", "agents": ["./a.md"]}`, ""},
		{`{"name": "myplug", "experimental": 5, "metadata": [1], "another": {"x": 1}}`, ""},
		{`{"name": "myplug", "hooks": "./hooks/hooks.json", "mcpServers": {}, "dependencies": ["a", {"name": "b"}], "defaultEnabled": true}`, ""},
		{`{"name": "myplug", "commands": {"x": {"source": "./x.md"}}}`, ""},
		{`{"name": 5}`, "name"},
		{`{"version": "1"}`, "name"},
		{`{"name": ""}`, "name"},
		{`{"name": "myplug", "skills": 5}`, "skills"},
		{`{"name": "myplug", "skills": ["./a", 5]}`, "skills"},
		{`{"name": "myplug", "skills": "more"}`, "skills"},
		{`{"name": "myplug", "agents": ["./a.md", "b.md"]}`, "agents"},
		{`{"name": "myplug", "commands": "/x"}`, "commands"},
		{`{"name": "myplug", "hooks": "h.json"}`, "hooks"},
		{`{"name": "myplug", "keywords": "x"}`, "keywords"},
		{`{"name": "myplug", "version": 3}`, "version"},
		{`{"name": "myplug", "author": "me"}`, "author"},
		{`{"name": "myplug", "defaultEnabled": "yes"}`, "defaultEnabled"},
		{`{"name": "myplug", `, "JSON"},
		{`["myplug"]`, "JSON"},
	} {
		for _, way := range []string{"dir", "installed"} {
			at := "plug"
			if way == "installed" {
				at = "h/plug"
			}
			w := newHousehold(t, "claude-code", map[string]string{
				at + "/.claude-plugin/plugin.json": tc.manifest, at + "/skills/s/SKILL.md": fine,
				at + "/hooks/hooks.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
			})
			if way == "installed" {
				lay(t, w.dir, map[string]string{
					"h/.claude/plugins/installed_plugins.json": `{"plugins": {"plug@m": [{"installPath": "` + w.dir + `/h/plug"}]}}`,
					"h/.claude/settings.json":                  `{"enabledPlugins": {"plug@m": true}}`,
					"h/.claude/plugins/known_marketplaces.json": `{"m": {"source": {"source": "github", "repo": "o/m"}, "installLocation": "` +
						w.dir + `/h/market"}}`,
					"h/market/.claude-plugin/marketplace.json": `{"name": "m", "plugins": [{"name": "plug", "source": "./plug"}]}`,
				})
			} else {
				w.o.PluginDirs = []string{w.dir + "/plug"}
			}
			checkManifest(t, w.opened(t), way+" "+tc.manifest, tc.key)
		}
		// The neutral view reads as much as possible.
		w := pluginHousehold(t, "neutral", map[string]string{"plug/.claude-plugin/plugin.json": tc.manifest, "plug/skills/s/SKILL.md": fine})
		if list, err := w.opened(t).List(context.Background(), catalog.Query{Kinds: []definition.Kind{definition.Skill}}); err != nil || !hasSkill(list) {
			t.Errorf("neutral %s: %v", tc.manifest, err)
		}
	}
}

// hasSkill reports whether the skill used in the tests below is active.
func hasSkill(list []catalog.Definition) bool {
	for _, d := range list {
		if strings.HasSuffix(d.Name(), "plug:s") {
			return true
		}
	}
	return false
}

func checkManifest(t *testing.T, c *catalog.Catalog, what, key string) {
	t.Helper()
	list, err := c.List(context.Background(), catalog.Query{Kinds: []definition.Kind{definition.Skill}})
	if err != nil {
		t.Fatal(err)
	}
	if got := hasSkill(list); got != (key == "") {
		t.Errorf("%s: the skill active: %v", what, got)
	}
	diags, err := c.Diagnostics(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, d := range diags {
		if d.Code == "PLUGIN_INVALID" {
			found = true
			if key == "" || !strings.Contains(d.Message, key) {
				t.Errorf("%s: %s", what, d.Message)
			}
		}
	}
	if found != (key != "") {
		t.Errorf("%s: a diagnostic: %v", what, found)
	}
	n, err := c.Overview(context.Background(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if (n.Counts.Hooks > 0) != (key == "") {
		t.Errorf("%s: %d hooks", what, n.Counts.Hooks)
	}
}

// TestAgentsFileSuppression checks that AGENTS.md is suppressed only by a CLAUDE.md or
// CLAUDE.local.md in the working directory or a directory above it (format notes, section 3.14).
func TestAgentsFileSuppression(t *testing.T) {
	for _, tc := range []struct {
		name   string
		beside map[string]string
		want   []string
	}{
		{"nothing", nil, []string{"AGENTS.md"}},
		{"the local file", map[string]string{"p/CLAUDE.local.md": "L"}, []string{"CLAUDE.local.md"}},
		{"a rule of that name", map[string]string{"p/.claude/rules/CLAUDE.md": "R"}, []string{".claude/rules/CLAUDE.md", "AGENTS.md"}},
		{"further down", map[string]string{"p/sub/CLAUDE.md": "S"}, []string{"AGENTS.md"}},
		{"in the directory", map[string]string{"p/.claude/CLAUDE.md": "C"}, []string{".claude/CLAUDE.md"}},
		{"above the repository", map[string]string{"CLAUDE.md": "C"}, []string{"CLAUDE.md"}},
		{"the user's", map[string]string{"h/.claude/CLAUDE.md": "C"}, []string{"h/.claude/CLAUDE.md", "AGENTS.md"}},
	} {
		for _, nested := range []bool{false, true} {
			w := newHousehold(t, "claude-code", map[string]string{"p/AGENTS.md": "A"})
			lay(t, w.dir, tc.beside)
			w.o.Nested = nested
			if diff := cmp.Diff(tc.want, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
				t.Errorf("%s, nested %v: - want, + got:\n%s", tc.name, nested, diff)
			}
		}
	}
}

// TestInstructionsAboveTheRepository checks that files up to the filesystem root are read
// (format notes, section 3.1).
func TestInstructionsAboveTheRepository(t *testing.T) {
	files := map[string]string{
		"a/CLAUDE.md": "outer", "a/CLAUDE.local.md": "outer local", "a/.claude/CLAUDE.md": "outer dir",
		"a/.claude/rules/r.md": "outer rule", "a/.claude/skills/s/SKILL.md": fine, "a/.claude/commands/c.md": fine, "a/.claude/agents/x.md": fine,
		"a/.claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
		"a/b/CLAUDE.md":           "inner", "a/b/p/.git/HEAD": "", "a/b/p/CLAUDE.md": "top", "a/b/p/sub/CLAUDE.md": "work",
	}
	w := newHousehold(t, "claude-code", files)
	w.o.Dir = w.dir + "/a/b/p/sub"
	want := []string{"a/CLAUDE.md", "a/.claude/CLAUDE.md", "a/.claude/rules/r.md", "a/CLAUDE.local.md", "a/b/CLAUDE.md", "CLAUDE.md", "sub/CLAUDE.md"}
	in := compose(t, w.o, instructions.Request{})
	if diff := cmp.Diff(want, partPaths(in, w.dir)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if p := in.Parts[0].Path; p != w.dir+"/a/CLAUDE.md" {
		t.Errorf("shown as %q", p)
	}
	c := w.opened(t)
	list, err := c.List(context.Background(), catalog.Query{Kinds: []definition.Kind{definition.Skill, definition.Command, definition.Agent}, All: true})
	if err != nil || len(list) > 0 {
		t.Errorf("above the repository there are %d other definitions (%v)", len(list), err)
	}
	if n, err := c.Overview(context.Background(), catalog.Query{}); err != nil || n.Counts.Hooks > 0 {
		t.Errorf("hooks from above: %+v (%v)", n, err)
	}

	t.Run("a further directory above", func(t *testing.T) {
		o := w.o
		o.Client.AddDirs = []string{w.dir + "/a"}
		l, err := listingOf(t, o)
		if err != nil || !strings.Contains(strings.Join(l.Skills, "\n"), "s: d") {
			t.Errorf("%v %v", l, err)
		}
	})
	t.Run("neutral", func(t *testing.T) {
		o := w.o
		o.As = "neutral"
		for _, p := range partPaths(compose(t, o, instructions.Request{}), w.dir) {
			if strings.HasPrefix(p, "a/") {
				t.Errorf("%s is read", p)
			}
		}
	})
	t.Run("without a repository", func(t *testing.T) {
		w := newHousehold(t, "claude-code", map[string]string{"a/CLAUDE.md": "outer", "a/b/c/x": "", "a/.claude/rules/r.md": "rule"})
		w.o.Dir = w.dir + "/a/b/c"
		if diff := cmp.Diff([]string{"a/CLAUDE.md", "a/.claude/rules/r.md"}, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
			t.Errorf("- want, + got:\n%s", diff)
		}
	})
}

// TestInstructionsInHome checks a project inside the home directory. The CLAUDE.md in the home
// directory is read, and the user's files are read only once.
func TestInstructionsInHome(t *testing.T) {
	for _, repo := range []bool{true, false} {
		files := map[string]string{
			"h/CLAUDE.md": "home", "h/.claude/CLAUDE.md": "user", "h/.claude/rules/r.md": "rule", "h/.claude/skills/s/SKILL.md": fine,
			"h/src/p/AGENTS.md": "A", "h/src/p/CLAUDE.md": "top",
		}
		if repo {
			files["h/src/p/.git/HEAD"] = ""
		}
		w := newHousehold(t, "claude-code", files)
		w.o.Dir = w.dir + "/h/src/p"
		want := []string{"h/.claude/CLAUDE.md", "h/.claude/rules/r.md", "h/CLAUDE.md", "CLAUDE.md"}
		if diff := cmp.Diff(want, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
			t.Errorf("repository %v: - want, + got:\n%s", repo, diff)
		}
		list, err := w.opened(t).List(context.Background(), catalog.Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, d := range list {
			at := d.Kind().String() + " " + d.Path()
			if seen[at] {
				t.Errorf("repository %v: %s is there twice", repo, at)
			}
			seen[at] = true
		}
	}
	// The user's file does not suppress AGENTS.md here either.
	w := newHousehold(t, "claude-code", map[string]string{"h/.claude/CLAUDE.md": "user", "h/p/AGENTS.md": "A", "h/p/.git/HEAD": ""})
	w.o.Dir = w.dir + "/h/p"
	if diff := cmp.Diff([]string{"h/.claude/CLAUDE.md", "AGENTS.md"}, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	// After the directory is moved, its old location is no longer the user's.
	w = newHousehold(t, "claude-code", map[string]string{"h/.claude/CLAUDE.md": "not the user's", "c/CLAUDE.md": "user", "h/p/.git/HEAD": ""})
	w.o.Dir = w.dir + "/h/p"
	w.o.Getenv = func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return w.dir + "/c"
		}
		return ""
	}
	if diff := cmp.Diff([]string{"c/CLAUDE.md", "h/.claude/CLAUDE.md"}, partPaths(compose(t, w.o, instructions.Request{}), w.dir)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}
