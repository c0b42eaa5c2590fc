package vade_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/catalog"
)

// TestTouchedNeedsNoDiagnostic checks that touching an existing file does not cause a diagnostic,
// even from a subdirectory of the project.
func TestTouchedNeedsNoDiagnostic(t *testing.T) {
	o, _ := layFiles(t, map[string]string{"apps/a.txt": "x", "b.txt": "x", ".claude/skills/a/SKILL.md": "A\n"})
	top := o.Dir
	o.Dir = filepath.Join(top, "apps")
	o.Client.Touched = []string{"a.txt", filepath.Join(top, "apps", "a.txt"), filepath.Join(top, "b.txt"), "b.txt"}
	l, err := listingOf(t, o)
	must(t, err)
	var got []string
	for _, d := range l.Diagnostics {
		got = append(got, d.String())
	}
	want := []string{
		filepath.ToSlash(filepath.Join(top, "b.txt")) + ": info: the touched file is outside the working directory and does not activate any definitions [FILE_OUTSIDE_ROOT]",
		"b.txt: info: the touched file does not exist; Vade treats it as touched anyway [FILE_NOT_FOUND]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// skippedOf returns the reasons for unlisted definitions, by kind and path.
func skippedOf(l *catalog.Listing) map[string]string {
	m := map[string]string{}
	for _, s := range l.Skipped {
		m[s.Kind.String()+" "+s.Path] = s.Name + ": " + s.Reason
	}
	return m
}

// TestSkipped checks that every definition missing from the listing has a reason. Shadowed
// definitions are listed separately. Definitions that the session's options exclude need no reason.
func TestSkipped(t *testing.T) {
	tree := map[string]string{
		".claude/skills/user/SKILL.md":  "---\ndescription: U\ndisable-model-invocation: true\n---\nx\n",
		".claude/commands/ship.md":      "---\ndescription: S\ndisable-model-invocation: true\n---\nx\n",
		".claude/skills/gos/SKILL.md":   "---\ndescription: G\npaths: src/**\n---\nx\n",
		".claude/skills/many/SKILL.md":  "---\ndescription: M\npaths: [a, b, c, d, e, f, g]\n---\nx\n",
		".claude/skills/off/SKILL.md":   "O\n",
		".claude/skills/only/SKILL.md":  "O\n",
		".claude/skills/twice/SKILL.md": "T\n", "~/.claude/skills/twice/SKILL.md": "T\n",
		".claude/agents/arch.md":          "---\nname: arch\ndescription: A\ntools: Read\n---\nx\n",
		".claude/agents/worker.md":        "---\nname: worker\ndescription: A\ntools: Skill\n---\nx\n",
		".claude/agents/nameless.md":      "x\n",
		".claude/settings.json":           `{"skillOverrides":{"off":"off","only":"user-invocable-only","twice":"name-only"}}`,
		"pkg/.claude/skills/low/SKILL.md": "L\n", "pkg/.claude/commands/lowcmd.md": "L\n", "pkg/file.txt": "x",
		"pkg/.claude/agents/lowagent.md": "---\nname: lowagent\ndescription: A\n---\nx\n",
	}
	waiting := map[string]string{
		"skill .claude/skills/user/SKILL.md": "user: only users can invoke it; to list it, remove disable-model-invocation from its frontmatter",
		"command .claude/commands/ship.md":   "ship: only users can invoke it; to list it, remove disable-model-invocation from its frontmatter",
		"skill .claude/skills/gos/SKILL.md":  "gos: available once a file matching src/** is touched; try vade listing --touched FILE",
		"skill .claude/skills/many/SKILL.md": "many: available once a file matching a or b or c or d or e or 2 more is touched; try vade listing --touched FILE",
		"skill .claude/skills/off/SKILL.md":  `off: skillOverrides in the settings sets "off" to "off"; remove it to list the definition normally`,
		"skill .claude/skills/only/SKILL.md": `only: only users can invoke it: skillOverrides in the settings sets "only" to "user-invocable-only"; remove it to list the definition normally`,
		"agent .claude/agents/nameless.md":   "nameless: an agent without a name in its frontmatter is treated as documentation",
	}
	with := func(more map[string]string, without ...string) map[string]string {
		m := map[string]string{}
		for k, v := range waiting {
			if !slices.Contains(without, k) && !slices.Contains(without, strings.Fields(k)[0]) {
				m[k] = v
			}
		}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	nested := map[string]string{
		"skill pkg/.claude/skills/low/SKILL.md":  "low: available once a file in pkg is touched; try vade listing --touched pkg/FILE",
		"command pkg/.claude/commands/lowcmd.md": "lowcmd: the host does not read commands in pkg/.claude/commands; move it to .claude/commands in the project root",
		"agent pkg/.claude/agents/lowagent.md":   "lowagent: the host does not read agents in pkg/.claude/agents; move it to .claude/agents in the project root",
	}
	for _, tc := range []struct {
		name   string
		change func(*catalog.Options)
		want   map[string]string
		says   []string
	}{
		{name: "a session", want: waiting},
		{name: "touched", change: func(o *catalog.Options) { o.Client.Touched = []string{"pkg/file.txt"} }, want: waiting},
		{name: "nested", change: func(o *catalog.Options) { o.Nested = true }, want: with(nested)},
		{
			name: "nested, touched", change: func(o *catalog.Options) { o.Nested, o.Client.Touched = true, []string{"pkg/file.txt"} },
			want: with(map[string]string{
				"command pkg/.claude/commands/lowcmd.md": nested["command pkg/.claude/commands/lowcmd.md"],
				"agent pkg/.claude/agents/lowagent.md":   nested["agent pkg/.claude/agents/lowagent.md"],
			}),
		},
		{name: "no commands", change: func(o *catalog.Options) { o.Client.NoCommands = true }, want: with(nil, "skill", "command")},
		{name: "bare", change: func(o *catalog.Options) { o.Client.Bare = true }, want: map[string]string{}},
		{
			name: "no tool for either", change: func(o *catalog.Options) { o.Client.Agent = "arch" }, want: map[string]string{},
			says: []string{
				".claude/agents/arch.md: info: arch does not have the Skill tool, so its listing omits skills and commands [NOT_LISTED]",
				".claude/agents/arch.md: info: arch does not have the Agent tool, so its listing omits agents [NOT_LISTED]",
			},
		},
		{
			name: "no tool for agents", change: func(o *catalog.Options) { o.Client.Agent = "worker" }, want: with(nil, "agent"),
			says: []string{".claude/agents/worker.md: info: worker does not have the Agent tool, so its listing omits agents [NOT_LISTED]"},
		},
		{
			name: "the old version", change: func(o *catalog.Options) { o.As = "claude-code@2.1.88" },
			want: with(nil, "skill .claude/skills/off/SKILL.md", "skill .claude/skills/only/SKILL.md"),
			says: []string{"info: claude-code 2.1.88 does not list agents in its messages [NOT_LISTED]"},
		},
		{
			name: "no tool, the old version", change: func(o *catalog.Options) { o.As, o.Client.Agent = "claude-code@2.1.88", "arch" },
			want: map[string]string{},
			says: []string{
				"info: claude-code 2.1.88 does not list agents in its messages [NOT_LISTED]",
				".claude/agents/arch.md: info: arch does not have the Skill tool, so its listing omits skills and commands [NOT_LISTED]",
			},
		},
		{name: "neutral", change: func(o *catalog.Options) { o.As = "" }, want: map[string]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, _ := layFiles(t, tree)
			if tc.change != nil {
				tc.change(&o)
			}
			l, err := listingOf(t, o)
			must(t, err)
			if diff := cmp.Diff(tc.want, skippedOf(l)); diff != "" {
				t.Errorf("skipped (- wanted): %s", diff)
			}
			var said []string
			for _, d := range l.Diagnostics {
				if d.Code == "NOT_LISTED" {
					said = append(said, d.String())
				}
			}
			if diff := cmp.Diff(tc.says, said); diff != "" {
				t.Errorf("diagnostics (- wanted): %s", diff)
			}
		})
	}
}

// TestSkippedSiblings checks that files in directories next to the working directory cannot be
// touched.
func TestSkippedSiblings(t *testing.T) {
	o, _ := layFiles(t, map[string]string{"other/.claude/skills/o/SKILL.md": "O\n", "apps/web/.claude/skills/w/SKILL.md": "W\n"})
	o.Dir, o.Nested = filepath.Join(o.Dir, "apps"), true
	l, err := listingOf(t, o)
	must(t, err)
	want := map[string]string{
		"skill other/.claude/skills/o/SKILL.md":    "o: it is outside the working directory; to list it, change to other",
		"skill apps/web/.claude/skills/w/SKILL.md": "w: available once a file in apps/web is touched; try vade listing --touched web/FILE",
	}
	if diff := cmp.Diff(want, skippedOf(l)); diff != "" {
		t.Error(diff)
	}
}

// TestSameFileIsNotSkipped checks that a file reachable through two paths is listed once.
func TestSameFileIsNotSkipped(t *testing.T) {
	o, _ := layFiles(t, map[string]string{".claude/skills/a/SKILL.md": "A\n"})
	must(t, os.Symlink("a", filepath.Join(o.Dir, ".claude", "skills", "b")))
	for _, as := range []string{"neutral", "claude-code"} {
		o.As = as
		l, err := listingOf(t, o)
		must(t, err)
		if !slices.Contains(l.Skills, "a: A") || len(l.Skipped) > 0 {
			t.Errorf("%s: %q, %v", as, l.Skills, l.Skipped)
		}
	}
}

// TestSkippedByTheManaged checks that the reason for an unlisted definition
// names the managed setting.
func TestSkippedByTheManaged(t *testing.T) {
	o, _ := layFiles(t, map[string]string{
		".claude/skills/a/SKILL.md": "A\n", "@managed/managed-settings.json": `{"strictPluginOnlyCustomization":["skills"]}`,
	})
	l, err := listingOf(t, o)
	must(t, err)
	want := map[string]string{
		"skill .claude/skills/a/SKILL.md": "a: the managed settings allow this kind only in plugins (strictPluginOnlyCustomization)",
	}
	if diff := cmp.Diff(want, skippedOf(l)); diff != "" {
		t.Error(diff)
	}
}

func orEmpty(settings string) string {
	if settings == "" {
		return "{}"
	}
	return settings
}

// TestCutReasons checks that every shortened description comes with a reason.
func TestCutReasons(t *testing.T) {
	const budget = "SLASH_COMMAND_TOOL_CHAR_BUDGET"
	path := func(name string) string { return ".claude/skills/" + name + "/SKILL.md" }
	for _, tc := range []struct {
		name, as, env string
		settings      string
		want          []catalog.Cut
	}{
		{
			name: "too long, and by a setting", as: "claude-code", settings: `{"skillOverrides":{"a":"name-only"}}`,
			want: []catalog.Cut{
				{Name: "a", Path: path("a"), Reason: `skillOverrides in the settings sets "a" to "name-only"; remove it to list the definition normally`},
				{Name: "long", Path: path("long"), Reason: "the description is longer than the limit of 1,536 characters"},
			},
		},
		{
			name: "a shorter cap", as: "claude-code", settings: `{"skillListingMaxDescChars":99}`,
			want: []catalog.Cut{{Name: "long", Path: path("long"), Reason: "the description is longer than the limit of 99 characters"}},
		},
		{
			name: "no room", as: "claude-code", env: "10",
			want: []catalog.Cut{{Name: "a", Path: path("a"), Reason: catalog.CutDropped}, {Name: "long", Path: path("long"), Reason: catalog.CutDropped}},
		},
		{
			name: "less room, old", as: "claude-code@2.1.88", env: "150",
			want: []catalog.Cut{{Name: "long", Path: path("long"), Reason: catalog.CutShortened}},
		},
		{name: "neutral", as: "neutral", want: []catalog.Cut{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, _ := layFiles(t, map[string]string{
				path("a"): "A description\n", path("long"): "---\ndescription: " + strings.Repeat("d", 1600) + "\n---\nx\n",
				".claude/settings.json": orEmpty(tc.settings),
			})
			o.As = tc.as
			o.Getenv = func(name string) string {
				if name == budget {
					return tc.env
				}
				return ""
			}
			l, err := listingOf(t, o)
			must(t, err)
			if diff := cmp.Diff(tc.want, l.Cut); diff != "" {
				t.Errorf("(- wanted): %s", diff)
			}
		})
	}
}

// TestSkippedAgents checks that unlisted agents are reported along with the reason.
func TestSkippedAgents(t *testing.T) {
	o, _ := layFiles(t, map[string]string{
		".claude/agents/number.md": "---\nname: 7\ndescription: mine\n---\nx\n", ".claude/agents/nameless.md": "x\n",
		".claude/agents/ok.md": "---\nname: ok\ndescription: fine\n---\nx\n",
	})
	o.Client.Agents = `{"bad":{"description":"d"}}`
	l, err := listingOf(t, o)
	must(t, err)
	if !slices.Equal(l.Agents, []string{"ok: fine (Tools: All tools)"}) {
		t.Errorf("%q", l.Agents)
	}
	skipped := map[string]string{}
	for _, s := range l.Skipped {
		skipped[s.Path] = s.Reason
	}
	for path, reason := range map[string]string{
		".claude/agents/number.md": "without a name", ".claude/agents/nameless.md": "without a name", "--agents": "has no prompt",
	} {
		if !strings.Contains(skipped[path], reason) {
			t.Errorf("%s: %q", path, skipped[path])
		}
	}
}
