package vade_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
)

// clientTree lays out definitions for every settings source.
func clientTree(t *testing.T) (catalog.Options, string) {
	return layFiles(t, map[string]string{
		".claude/skills/proj/SKILL.md": "P\n", "~/.claude/skills/user/SKILL.md": "U\n", "@managed/.claude/skills/top/SKILL.md": "T\n",
		".claude/commands/cmd.md": "C\n", "+/.claude/skills/more/SKILL.md": "M\n", "+/.claude/commands/morecmd.md": "MC\n",
		"+/.claude/agents/a.md": "---\nname: addagent\ndescription: A\n---\nx\n", ".claude/agents/p.md": "---\nname: projagent\ndescription: A\n---\nx\n",
		"sub/.claude/skills/below/SKILL.md": "B\n", "sub/.claude/commands/no.md": "N\n", "sub/file.txt": "x",
		"ignored/.claude/skills/hidden/SKILL.md": "H\n", ".gitignore": "/ignored/\n",
	})
}

func TestClientSwitches(t *testing.T) {
	for _, tc := range []struct {
		name, as       string
		client         catalog.ClientOptions
		add            bool
		skills, agents []string
	}{
		{name: "none", skills: []string{"top", "user", "proj", "cmd"}, agents: []string{"projagent"}},
		{name: "no user", client: catalog.ClientOptions{SettingSources: []string{"project", "local"}}, skills: []string{"top", "proj", "cmd"}, agents: []string{"projagent"}},
		{name: "no project", client: catalog.ClientOptions{SettingSources: []string{"user"}}, skills: []string{"top", "user"}},
		{name: "no source", client: catalog.ClientOptions{SettingSources: []string{}}, skills: []string{"top"}},
		{name: "bare", client: catalog.ClientOptions{Bare: true}},
		{name: "no commands", client: catalog.ClientOptions{NoCommands: true}, agents: []string{"projagent"}},
		{name: "added", add: true, skills: []string{"top", "user", "proj", "more", "cmd", "morecmd"}, agents: []string{"addagent", "projagent"}},
		{name: "added, old", as: "claude-code@2.1.88", add: true, skills: []string{"top", "user", "proj", "more", "cmd"}},
		{
			name: "touched", client: catalog.ClientOptions{Touched: []string{"sub/file.txt", "ignored/x", "../out", "/etc/passwd"}},
			skills: []string{"top", "user", "proj", "cmd", "below"}, agents: []string{"projagent"},
		},
		{name: "no tools for the session", client: catalog.ClientOptions{Agent: "reader", Agents: `{"reader":{"description":"d","prompt":"p","tools":["Read"]}}`}},
		{
			name: "agents of the command line", client: catalog.ClientOptions{Agents: `{"projagent":{"description":"J","prompt":"p"},"two":{"description":"d","prompt":"p"}}`},
			skills: []string{"top", "user", "proj", "cmd"}, agents: []string{"projagent", "two"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, added := clientTree(t)
			o.Client = tc.client
			if tc.as != "" {
				o.As = tc.as
			}
			if tc.add {
				o.Client.AddDirs = []string{added}
			}
			l, err := listingOf(t, o)
			must(t, err)
			if diff := cmp.Diff(tc.skills, names(l.Skills)); diff != "" {
				t.Errorf("skills: %s", diff)
			}
			if diff := cmp.Diff(tc.agents, names(l.Agents)); diff != "" {
				t.Errorf("agents: %s", diff)
			}
		})
	}
}

// TestTouchedBelowTheWorkingDirectory checks a working directory below the repository root. When a
// file is touched, only definitions below the working directory become available, and their names
// include the path from the root. The directories above it are read as usual.
func TestTouchedBelowTheWorkingDirectory(t *testing.T) {
	o, _ := layFiles(t, map[string]string{
		"apps/web/.claude/skills/w/SKILL.md": "W\n", "other/.claude/skills/o/SKILL.md": "O\n", "apps/.claude/skills/near/SKILL.md": "N\n",
		"apps/web/.claude/skills/near/SKILL.md": "N2\n", ".claude/skills/go/SKILL.md": "---\npaths: web/*.go\n---\nG\n",
	})
	top := o.Dir
	o.Dir = filepath.Join(top, "apps")
	o.Client.Touched = []string{filepath.Join(top, "other", "x"), "../other/x", "web/deep/x.txt", filepath.Join(top, "apps", "web", "a.go")}
	l, err := listingOf(t, o)
	must(t, err)
	want := []string{
		"near: N",
		`apps/web:near: N2 (scoped to apps/web/ — use this instead of the unscoped "near" skill when the files being changed are under apps/web/)`,
		"w: W (from apps/web/.claude/skills — applies when working on files under apps/web/)",
		"go: G",
	}
	if diff := cmp.Diff(want, l.Skills); diff != "" {
		t.Error(diff)
	}
}

// TestMovedSettings checks that environment variables can relocate the user's settings.
func TestMovedSettings(t *testing.T) {
	o, added := layFiles(t, map[string]string{
		".claude/skills/a/SKILL.md": "A\n", ".claude/skills/b/SKILL.md": "B\n",
		"~/.claude/settings.json": `{"skillOverrides":{"a":"off"}}`, "+/settings.json": `{"skillOverrides":{"b":"off"}}`,
	})
	o.Getenv = func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return added
		}
		return ""
	}
	l, err := listingOf(t, o)
	must(t, err)
	if !slices.Equal(l.Skills, []string{"a: A"}) {
		t.Errorf("%q", l.Skills)
	}
}

// TestSettingsEndInTheirTree checks that a settings file that is a symlink to
// another place is reported and not read.
func TestSettingsEndInTheirTree(t *testing.T) {
	o, added := layFiles(t, map[string]string{".claude/skills/a/SKILL.md": "A\n", "+/settings.json": `{"skillOverrides":{"a":"off"}}`})
	must(t, os.Symlink(filepath.Join(added, "settings.json"), filepath.Join(o.Dir, ".claude", "settings.json")))
	l, err := listingOf(t, o)
	must(t, err)
	if !slices.Equal(l.Skills, []string{"a: A"}) {
		t.Errorf("%q", l.Skills)
	}
	if !slices.ContainsFunc(l.Diagnostics, func(d diag.Diagnostic) bool {
		return d.File == ".claude/settings.json" && d.Code == "SYMLINK_OUTSIDE"
	}) {
		t.Errorf("%v", l.Diagnostics)
	}
}

// TestSourcesOfInstructions checks that disabled sources do not provide instructions either.
func TestSourcesOfInstructions(t *testing.T) {
	for _, tc := range []struct {
		client catalog.ClientOptions
		want   []string
	}{
		{catalog.ClientOptions{}, []string{"CLAUDE.local.md", "CLAUDE.md", "~/.claude/CLAUDE.md"}},
		{catalog.ClientOptions{SettingSources: []string{"project"}}, []string{"CLAUDE.md"}},
		{catalog.ClientOptions{SettingSources: []string{"local"}}, []string{"CLAUDE.local.md"}},
		{catalog.ClientOptions{SettingSources: []string{"user"}}, []string{"~/.claude/CLAUDE.md"}},
		{catalog.ClientOptions{NoCommands: true}, []string{"CLAUDE.local.md", "CLAUDE.md", "~/.claude/CLAUDE.md"}},
		{catalog.ClientOptions{Bare: true}, nil},
	} {
		o, _ := layFiles(t, map[string]string{"CLAUDE.md": "P", "CLAUDE.local.md": "L", "~/.claude/CLAUDE.md": "U"})
		o.Client = tc.client
		o.Getenv = func(string) string { return "" }
		c, err := catalog.Open(context.Background(), o)
		must(t, err)
		defer c.Close()
		list, err := c.List(context.Background(), catalog.Query{Kinds: []definition.Kind{definition.Instruction}})
		must(t, err)
		var got []string
		for _, d := range list {
			got = append(got, d.Name())
		}
		slices.Sort(got)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%+v: %s", tc.client, diff)
		}
	}
}

func names(lines []string) []string {
	var list []string
	for _, l := range lines {
		name, _, _ := strings.Cut(l, ": ")
		list = append(list, name)
	}
	return list
}

// TestClientErrors checks that mistakes by the caller are reported as errors, and that problems
// with files or limits are reported as diagnostics.
func TestClientErrors(t *testing.T) {
	for _, tc := range []struct {
		as     string
		client catalog.ClientOptions
		says   string
	}{
		{"claude-code", catalog.ClientOptions{SettingSources: []string{"users"}}, `"users"; use one of: user, project, local`},
		{"claude-code", catalog.ClientOptions{PermissionMode: "loose"}, `"loose"; use one of: default, acceptEdits, `},
		{"claude-code", catalog.ClientOptions{PermissionMode: "plan"}, ""},
		{"claude-code", catalog.ClientOptions{ContextTokens: -1}, "context size -1"},
		{"", catalog.ClientOptions{}, ""},
		{"", catalog.ClientOptions{SettingSources: []string{}}, "ClientOptions.SettingSources is not supported in the neutral view"},
		{"", catalog.ClientOptions{Bare: true}, "ClientOptions.Bare "},
		{"", catalog.ClientOptions{NoCommands: true}, "ClientOptions.NoCommands "},
		{"", catalog.ClientOptions{PermissionMode: "plan"}, "ClientOptions.PermissionMode "},
		{"", catalog.ClientOptions{Agents: "{}"}, "ClientOptions.Agents "},
		{"", catalog.ClientOptions{Agent: "a"}, "ClientOptions.Agent "},
		{"", catalog.ClientOptions{AddDirs: []string{"a"}}, "ClientOptions.AddDirs "},
		{"", catalog.ClientOptions{ContextTokens: 1}, "ClientOptions.ContextTokens "},
		{"neutral", catalog.ClientOptions{Touched: []string{"a"}}, "ClientOptions.Touched is not supported in the neutral view"},
	} {
		o, _ := clientTree(t)
		o.As, o.Client = tc.as, tc.client
		switch _, err := listingOf(t, o); {
		case tc.says == "" && err != nil:
			t.Errorf("%+v: %v", tc.client, err)
		case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%+v: %v, want %s", tc.client, err, tc.says)
		}
	}
}

func TestPermissionModes(t *testing.T) {
	want := []string{"default", "acceptEdits", "auto", "bypassPermissions", "dontAsk", "manual", "plan"}
	if got := catalog.PermissionModes(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestClientDiagnostics(t *testing.T) {
	for _, tc := range []struct {
		client catalog.ClientOptions
		code   string
	}{
		{catalog.ClientOptions{Agents: `{"a":`}, "JSON_INVALID"},
		{catalog.ClientOptions{Agents: `[]`}, "JSON_INVALID"},
		{catalog.ClientOptions{Agents: `null`}, "JSON_INVALID"},
		{catalog.ClientOptions{Agents: `{"a":{"description":1}}`}, "FIELD_TYPE"},
		{catalog.ClientOptions{Agent: "nobody"}, "AGENT_NOT_FOUND"},
		{catalog.ClientOptions{AddDirs: []string{filepath.Join(t.TempDir(), "gone")}}, "FILE_NOT_FOUND"},
		{catalog.ClientOptions{Touched: []string{"../out.txt"}}, "FILE_OUTSIDE_ROOT"},
		{catalog.ClientOptions{Touched: []string{"/elsewhere/out.txt"}}, "FILE_OUTSIDE_ROOT"},
		{catalog.ClientOptions{Touched: []string{""}}, "FILE_OUTSIDE_ROOT"},
		{catalog.ClientOptions{Touched: []string{"gone.txt"}}, "FILE_NOT_FOUND"},
		{catalog.ClientOptions{Touched: []string{"sub"}}, "FILE_IS_DIRECTORY"},
	} {
		o, _ := clientTree(t)
		o.Client = tc.client
		l, err := listingOf(t, o)
		must(t, err)
		if !slices.ContainsFunc(l.Diagnostics, func(d diag.Diagnostic) bool { return string(d.Code) == tc.code }) {
			t.Errorf("%+v: %v", tc.client, l.Diagnostics)
		}
		if !slices.Equal(names(l.Skills), []string{"top", "user", "proj", "cmd"}) {
			t.Errorf("%+v: the rest is not listed: %v", tc.client, l.Skills)
		}
	}
}

func TestSettingsOfTheListing(t *testing.T) {
	skills := map[string]string{
		".claude/skills/a/SKILL.md": "A description\n", ".claude/skills/b/SKILL.md": "B description\n", ".claude/commands/c.md": "C description\n",
		"~/.claude/skills/u/SKILL.md": "U description\n", "@managed/.claude/skills/m/SKILL.md": "M description\n",
		"~/.claude/skills/b/SKILL.md": "user's B\n",
	}
	all := []string{"m: M description", "b: user's B", "u: U description", "a: A description", "c: C description"}
	without := func(line string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(l string) bool { return l == line })
	}
	for _, tc := range []struct {
		name    string
		files   map[string]string
		env     string
		sources []string
		want    []string
		code    string
	}{
		{name: "none", want: all},
		{name: "off", files: map[string]string{".claude/settings.json": `{"skillOverrides":{"a":"off"}}`}, want: without("a: A description")},
		// The disabled definition keeps its name, so the project's definition does not replace
		// it.
		{name: "off, of two", files: map[string]string{".claude/settings.json": `{"skillOverrides":{"b":"off"}}`}, want: without("b: user's B")},
		{name: "a command", files: map[string]string{"~/.claude/settings.json": `{"skillOverrides":{"c":"user-invocable-only"}}`}, want: without("c: C description")},
		{
			name: "the stronger file", want: all,
			files: map[string]string{"~/.claude/settings.json": `{"skillOverrides":{"a":"off"}}`, ".claude/settings.local.json": `{"skillOverrides":{"a":"on"}}`},
		},
		{
			name: "a source that is left out", want: all[:3], sources: []string{"user"},
			files: map[string]string{".claude/settings.json": `{"skillOverrides":{"u":"off"}}`},
		},
		{
			name: "managed files in order", want: without("a: A description"),
			files: map[string]string{
				"@managed/managed-settings.d/10.json": `{"skillOverrides":{"a":"on"}}`, "@managed/managed-settings.d/20.json": `{"skillOverrides":{"a":"off"}}`,
				"@managed/managed-settings.d/notes.txt": `{"skillOverrides":{"u":"off"}}`, ".claude/settings.json": `{"skillOverrides":{"a":"on"}}`,
			},
		},
		{
			name: "plugins only", want: all[:1],
			files: map[string]string{"@managed/managed-settings.json": `{"strictPluginOnlyCustomization":["skills"]}`},
		},
		{name: "not by the project", want: all, files: map[string]string{".claude/settings.json": `{"strictPluginOnlyCustomization":true}`}},
		{name: "broken", want: all, code: "JSON_INVALID", files: map[string]string{".claude/settings.json": `{"skillOverrides":{"a":"off"}`}},
		{name: "a wrong type", want: all, code: "FIELD_TYPE", files: map[string]string{".claude/settings.json": `{"skillOverrides":["a"]}`}},
		{
			name: "the length of descriptions", want: []string{"m: M de…", "b: user…", "u: U de…", "a: A de…", "c: C de…"},
			files: map[string]string{".claude/settings.json": `{"skillListingMaxDescChars":5}`},
		},
		{name: "the budget of the environment", want: []string{"m", "b", "u", "a", "c"}, env: "10"},
		{name: "the budget of the settings", want: all, env: "10", files: map[string]string{".claude/settings.json": `{"env":{"SLASH_COMMAND_TOOL_CHAR_BUDGET":"9000"}}`}},
		{name: "no budget", want: all, env: "ten", code: "FIELD_VALUE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{}
			for _, m := range []map[string]string{skills, tc.files} {
				for name, text := range m {
					files[name] = text
				}
			}
			o, _ := layFiles(t, files)
			o.Client.SettingSources = tc.sources
			o.Getenv = func(name string) string {
				if name == "SLASH_COMMAND_TOOL_CHAR_BUDGET" {
					return tc.env
				}
				return ""
			}
			l, err := listingOf(t, o)
			must(t, err)
			if diff := cmp.Diff(tc.want, l.Skills); diff != "" {
				t.Error(diff)
			}
			said := slices.ContainsFunc(l.Diagnostics, func(d diag.Diagnostic) bool { return string(d.Code) == tc.code })
			if tc.code != "" && !said || tc.code == "" && len(l.Diagnostics) > 0 {
				t.Errorf("diagnostics: %v", l.Diagnostics)
			}
		})
	}
}
