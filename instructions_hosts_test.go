package vade_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade"
)

// everyHostsFiles are instruction files of all hosts, at the top of a project, in
// the working directory w, below it in w/in, and of a user.
func everyHostsFiles() map[string]string {
	files := map[string]string{
		"p/docs/x.md": "X", "p/w/own.md": "OWN",
		"p/.github/copilot-instructions.md":            "GH",
		"p/.github/instructions/all.instructions.md":   "---\napplyTo: \"**\"\n---\nALL",
		"p/.github/instructions/go.instructions.md":    "---\napplyTo: \"**/*.go\"\ndescription: go rules\n---\nGO",
		"p/.github/instructions/plain.instructions.md": "PLAIN",
		"p/.claude/CLAUDE.md":                          "CC", "p/.claude/rules/r.md": "RULE", "p/CLAUDE.local.md": "LOCAL",
		"p/w/.cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nALWAYS",
		"p/w/.cursor/rules/go.mdc":     "---\nglobs: **/*.go\nalwaysApply: false\n---\nGLOB",
		"p/w/.cursor/rules/ask.mdc":    "---\ndescription: Asked for\nalwaysApply: false\n---\nASK",
		"p/w/.cursorrules":             "OLD",
		"h/.codex/AGENTS.md":           "  CODEX \n", "h/.claude/CLAUDE.md": "CLAUDE", "h/.gemini/GEMINI.md": "GEMINI",
		"h/.config/opencode/AGENTS.md": "OPEN", "h/.copilot/copilot-instructions.md": "COPILOT",
		"h/.copilot/instructions/u.instructions.md": "U", "h/.qwen/QWEN.md": "QWEN\n@more.md", "h/.qwen/more.md": "MORE",
		"h/.pi/agent/AGENTS.md": "PI",
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"} {
		files["p/"+name] = "TOP " + name + "\n@docs/x.md\n"
		files["p/w/"+name] = "W " + name + "\n@own.md"
		files["p/w/in/"+name] = "IN " + name
	}
	files["p/w/AGENTS.override.md"] = "---\nkey: value\n---\nOVER <!-- c -->\n"
	return files
}

// hostMessages is what each host sends, with the file in/x.go worked on.
var hostMessages = map[string]string{
	"agentskills": "",
	"codex": `[user]
# AGENTS.md instructions for {P}/w

<INSTRUCTIONS>
CODEX

--- project-doc ---

TOP AGENTS.md
@docs/x.md


---
key: value
---
OVER <!-- c -->

</INSTRUCTIONS>`,
	"gemini": `[system]
<loaded_context>
--- Context from: {H}/.gemini/GEMINI.md ---
GEMINI
--- End of Context from: {H}/.gemini/GEMINI.md ---
</loaded_context>
[user]
<loaded_context>
<project_context>
--- Context from: {P}/GEMINI.md ---
TOP GEMINI.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: {P}/GEMINI.md ---

--- Context from: {P}/w/GEMINI.md ---
W GEMINI.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: {P}/w/GEMINI.md ---
</project_context>
</loaded_context>
[tool_result]
--- Newly Discovered Project Context ---
--- Context from: {P}/w/in/GEMINI.md ---
IN GEMINI.md
--- End of Context from: {P}/w/in/GEMINI.md ---
--- End Project Context ---`,
	"opencode": `[system]
Instructions from: {P}/w/AGENTS.md
W AGENTS.md
@own.md
Instructions from: {P}/AGENTS.md
TOP AGENTS.md
@docs/x.md

Instructions from: {H}/.config/opencode/AGENTS.md
OPEN
[tool_result]
<system-reminder>
Instructions from: {P}/w/in/AGENTS.md
IN AGENTS.md
</system-reminder>`,
	"pi": `[system]
# Project Context

Project-specific instructions and guidelines:

## {H}/.pi/agent/AGENTS.md

PI

## {P}/AGENTS.md

TOP AGENTS.md
@docs/x.md


## {P}/w/AGENTS.md

W AGENTS.md
@own.md

`,
	"qwen": `[system]
--- Context from: ../../h/.qwen/QWEN.md ---
QWEN
<!-- Imported from: more.md -->
MORE
<!-- End of import from: more.md -->
--- End of Context from: ../../h/.qwen/QWEN.md ---

--- Context from: ../QWEN.md ---
TOP QWEN.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: ../QWEN.md ---

--- Context from: QWEN.md ---
W QWEN.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: QWEN.md ---

--- Context from: ../AGENTS.md ---
TOP AGENTS.md
<!-- Imported from: docs/x.md -->
X
<!-- End of import from: docs/x.md -->
--- End of Context from: ../AGENTS.md ---

--- Context from: AGENTS.md ---
W AGENTS.md
<!-- Imported from: own.md -->
OWN
<!-- End of import from: own.md -->
--- End of Context from: AGENTS.md ---`,
	"copilot-cli": `[system]
<custom_instruction>
COPILOT
</custom_instruction>

<custom_instruction>
U
</custom_instruction>

<custom_instruction>
GH
</custom_instruction>

<custom_instruction>
TOP AGENTS.md
@docs/x.md
</custom_instruction>

<custom_instruction>
X
</custom_instruction>

<custom_instruction>
TOP CLAUDE.md
@docs/x.md
</custom_instruction>

<custom_instruction>
TOP GEMINI.md
@docs/x.md
</custom_instruction>

<custom_instruction>
ALL
</custom_instruction>

<custom_instruction>
PLAIN
</custom_instruction>

<custom_instruction>
RULE
</custom_instruction>

<custom_instruction>
W AGENTS.md
@own.md
</custom_instruction>

<custom_instruction>
OWN
</custom_instruction>

<custom_instruction>
W CLAUDE.md
@own.md
</custom_instruction>

<custom_instruction>
W GEMINI.md
@own.md
</custom_instruction>
[system]
<custom_instruction>
GO
</custom_instruction>`,
	"copilot-vscode": `[user]
<attachment filePath="{H}/.claude/CLAUDE.md">
CLAUDE
</attachment>
<attachment filePath="{P}/w/AGENTS.md">
W AGENTS.md
@own.md
</attachment>
<attachment filePath="{P}/w/CLAUDE.md">
W CLAUDE.md
@own.md
</attachment>`,
	"cursor": `[system]
TOP AGENTS.md
@docs/x.md

TOP CLAUDE.md
@docs/x.md

ALWAYS

W AGENTS.md
@own.md

W CLAUDE.md
@own.md

OLD
[system]
IN AGENTS.md

GLOB`,
}

func TestHostMessages(t *testing.T) {
	w := newHousehold(t, "", everyHostsFiles())
	short := strings.NewReplacer(filepath.Join(w.dir, "p"), "{P}", filepath.Join(w.dir, "h"), "{H}")
	for as, want := range hostMessages {
		t.Run(as, func(t *testing.T) {
			o := w.o
			o.As, o.Dir = as, filepath.Join(w.dir, "p", "w")
			in := compose(t, o, vade.InstructionsRequest{For: "in/x.go"})
			var got []string
			for _, m := range in.Messages {
				got = append(got, "["+m.Role+"]\n"+short.Replace(m.Text))
			}
			if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

// TestHostInstructionsAreComplete keeps the table above complete.
func TestHostInstructionsAreComplete(t *testing.T) {
	for _, as := range vade.Hosts() {
		_, ok := hostMessages[as]
		if as != "neutral" && !strings.HasPrefix(as, "claude") && !ok {
			t.Errorf("%s has no row", as)
		}
	}
}

// TestChosenInstructions: which of several files a host takes.
func TestChosenInstructions(t *testing.T) {
	for _, tc := range []struct {
		name, as string
		files    map[string]string
		request  vade.InstructionsRequest
		want     []string
	}{
		{"the override of each directory", "codex", map[string]string{"p/AGENTS.md": "T", "p/w/AGENTS.md": "A", "p/w/AGENTS.override.md": "O"}, vade.InstructionsRequest{}, []string{"AGENTS.md", "w/AGENTS.override.md"}},
		{"an empty override of the project", "codex", map[string]string{"p/w/AGENTS.md": "A", "p/w/AGENTS.override.md": ""}, vade.InstructionsRequest{}, nil},
		{"an empty override of the user", "codex", map[string]string{"h/.codex/AGENTS.md": "A", "h/.codex/AGENTS.override.md": ""}, vade.InstructionsRequest{}, []string{"h/.codex/AGENTS.md"}},
		{"an override of the user", "codex", map[string]string{"h/.codex/AGENTS.md": "A", "h/.codex/AGENTS.override.md": "O"}, vade.InstructionsRequest{}, []string{"h/.codex/AGENTS.override.md"}},
		{"frontmatter that is broken", "codex", map[string]string{"p/AGENTS.md": "---\na: [\n---\nA"}, vade.InstructionsRequest{}, []string{"AGENTS.md"}},
		{"nothing of directories below", "codex", map[string]string{"p/w/in/AGENTS.md": "I"}, vade.InstructionsRequest{For: "in/x"}, nil},
		{"one kind for all directories", "opencode", map[string]string{"p/AGENTS.md": "A", "p/w/CLAUDE.md": "C"}, vade.InstructionsRequest{}, []string{"AGENTS.md"}},
		{"the other kind", "opencode", map[string]string{"p/CLAUDE.md": "C", "p/w/CLAUDE.md": "C2"}, vade.InstructionsRequest{}, []string{"w/CLAUDE.md", "CLAUDE.md"}},
		{"the third kind", "opencode", map[string]string{"p/w/CONTEXT.md": "C"}, vade.InstructionsRequest{}, []string{"w/CONTEXT.md"}},
		{"the user's other file", "opencode", map[string]string{"h/.claude/CLAUDE.md": "C"}, vade.InstructionsRequest{}, []string{"h/.claude/CLAUDE.md"}},
		{"of each directory below one", "opencode", map[string]string{"p/AGENTS.md": "A", "p/w/in/CLAUDE.md": "C", "p/w/in/deep/AGENTS.md": "D", "p/w/in/deep/CLAUDE.md": "E"}, vade.InstructionsRequest{For: "in/deep/x"}, []string{"AGENTS.md", "w/in/deep/AGENTS.md", "w/in/CLAUDE.md"}},
		{"of each directory the first", "pi", map[string]string{"p/CLAUDE.md": "C", "p/w/AGENTS.md": "A", "p/w/CLAUDE.md": "D"}, vade.InstructionsRequest{}, []string{"CLAUDE.md", "w/AGENTS.md"}},
		{"patterns that match", "copilot-cli", map[string]string{"p/.github/instructions/a.instructions.md": "---\napplyTo: \"src/**/*.ts,*.go\"\n---\nA"}, vade.InstructionsRequest{For: "../src/a/b.ts"}, []string{".github/instructions/a.instructions.md"}},
		{"patterns that do not", "copilot-cli", map[string]string{"p/.github/instructions/a.instructions.md": "---\napplyTo: \"src/**/*.ts\"\n---\nA"}, vade.InstructionsRequest{For: "../src/b.js"}, nil},
		{"patterns of rules", "copilot-cli", map[string]string{"p/.claude/rules/a.md": "---\npaths: \"**/*.go\"\n---\nA"}, vade.InstructionsRequest{For: "x.go"}, []string{".claude/rules/a.md"}},
	} {
		t.Run(tc.as+": "+tc.name, func(t *testing.T) {
			w := newHousehold(t, tc.as, tc.files)
			lay(t, w.dir, map[string]string{"p/w/.keep": ""})
			w.o.Dir = filepath.Join(w.dir, "p", "w")
			in := compose(t, w.o, tc.request)
			if diff := cmp.Diff(tc.want, partPaths(in, w.dir)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

// TestEditorPatterns: in the editor a pattern that names no place matches at any
// depth, whatever the case, and a file without one waits to be asked for.
func TestEditorPatterns(t *testing.T) {
	w := newHousehold(t, "copilot-vscode", map[string]string{
		"p/.github/instructions/deep.instructions.md":  "---\napplyTo: \"src/*.go\"\n---\nDEEP",
		"p/.github/instructions/all.instructions.md":   "---\napplyTo: \"*\"\n---\nALL",
		"p/.github/instructions/plain.instructions.md": "PLAIN", "p/.claude/rules/r.md": "RULE",
	})
	in := compose(t, w.o, vade.InstructionsRequest{For: "a/b/src/X.GO"})
	want := []string{".github/instructions/all.instructions.md", ".claude/rules/r.md", ".github/instructions/deep.instructions.md"}
	if diff := cmp.Diff(want, partPaths(in, w.dir)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if p := in.Parts[2]; p.Pattern != "src/*.go" || p.File != "a/b/src/X.GO" {
		t.Errorf("%+v", p)
	}
	if got := codes(in); !slices.Equal(got, []string{"NOT_READ"}) {
		t.Errorf("codes %q", got)
	}
}

// TestPatternsOfHosts: which rules a file brings in, by the host's own way to compare
// patterns.
func TestPatternsOfHosts(t *testing.T) {
	rule := func(dir, ending, key string) map[string]string {
		files := map[string]string{}
		for name, pattern := range map[string]string{
			"all": "**", "root": "/**", "upper": "*.GO", "name": "*.go", "dir": "src", "one": "src/*", "below": "src/**",
		} {
			files["p/"+dir+"/"+name+ending] = "---\n" + key + ": " + pattern + "\n---\n" + name
		}
		return files
	}
	for _, tc := range []struct {
		host, dir, ending, key string
		first, want            []string
	}{
		{"copilot-cli", ".github/instructions", ".instructions.md", "applyTo", []string{"all"}, []string{"all", "below", "root"}},
		{"copilot-vscode", ".github/instructions", ".instructions.md", "applyTo", []string{"all"}, []string{"all", "below", "name", "root", "upper"}},
		{"cursor", ".cursor/rules", ".mdc", "globs", []string{"all", "root"}, []string{"all", "below", "name", "root"}},
		{"claude-code", ".claude/rules", ".md", "paths", []string{"all", "root"}, []string{"all", "below", "dir", "name", "one", "root", "upper"}},
	} {
		t.Run(tc.host, func(t *testing.T) {
			w := newHousehold(t, tc.host, rule(tc.dir, tc.ending, tc.key))
			for file, want := range map[string][]string{"": tc.first, "src/x/b.go": tc.want} {
				var got []string
				for _, p := range compose(t, w.o, vade.InstructionsRequest{For: file}).Parts {
					got = append(got, strings.TrimSuffix(filepath.Base(p.Path), tc.ending))
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("with %q: %q, want %q", file, got, want)
				}
			}
		})
	}
}

// TestNamesOfSettings: settings that name the instruction files are read, where they
// name files alone.
func TestNamesOfSettings(t *testing.T) {
	files := func(more ...string) map[string]string {
		all := map[string]string{}
		for _, dir := range []string{"p/", "p/w/", "h/.gemini/", "h/.codex/"} {
			for _, name := range []string{"GEMINI.md", "TEAM.md"} {
				all[dir+name] = strings.Repeat(name+" ", 10)
			}
		}
		all["p/AGENTS.md"] = "AGENTS"
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	for _, tc := range []struct {
		name, host string
		files      map[string]string
		want       []string
		codes      []string
	}{
		{"one name", "gemini", files("p/w/.gemini/settings.json", `{"context": {"fileName": "TEAM.md"}}`), []string{"h/.gemini/TEAM.md", "TEAM.md", "w/TEAM.md"}, nil},
		{"the project's replaces the user's", "gemini", files("h/.gemini/settings.json", `{"context": {"fileName": "X.md"}}`, "p/w/.gemini/settings.json", `{"context": {"fileName": ["TEAM.md", "GEMINI.md"]}}`),
			[]string{"h/.gemini/TEAM.md", "h/.gemini/GEMINI.md", "TEAM.md", "w/TEAM.md", "GEMINI.md", "w/GEMINI.md"}, nil},
		{"no name", "gemini", files("p/w/.gemini/settings.json", `{"context": {"fileName": "../../secret.md"}}`), []string{"h/.gemini/GEMINI.md", "GEMINI.md", "w/GEMINI.md"}, []string{"SETTING_NOT_READ"}},
		{"one that stands in", "codex", files("h/.codex/config.toml", "project_doc_fallback_filenames = ['TEAM.md']\n"), []string{"AGENTS.md", "w/TEAM.md"}, nil},
		{"the length", "codex", files("h/.codex/config.toml", "project_doc_max_bytes = 3\n"), []string{"AGENTS.md"}, []string{"FILE_TOO_LARGE"}},
		{"the settings of a project", "codex", files("p/.codex/config.toml", "project_doc_fallback_filenames = ['TEAM.md']\n"), []string{"AGENTS.md"}, []string{"SETTING_NOT_READ"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newHousehold(t, tc.host, tc.files)
			w.o.Dir = filepath.Join(w.dir, "p", "w")
			in := compose(t, w.o, vade.InstructionsRequest{})
			if diff := cmp.Diff(tc.want, partPaths(in, w.dir)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.codes, codes(in)); diff != "" {
				t.Errorf("codes - want, + got:\n%s", diff)
			}
		})
	}
}

// TestPlainRules: in Cursor's rules quotes belong to a pattern, and a list is none.
func TestPlainRules(t *testing.T) {
	w := newHousehold(t, "cursor", map[string]string{
		"p/.cursor/rules/plain.mdc":  "---\nglobs: *.ts,*.tsx\n---\nPLAIN",
		"p/.cursor/rules/quotes.mdc": "---\nglobs: \"*.ts\"\n---\nQUOTES",
		"p/.cursor/rules/flow.mdc":   "---\nglobs: [\"*.ts\"]\n---\nFLOW",
		"p/.cursor/rules/list.mdc":   "---\nglobs:\n  - \"*.ts\"\n---\nLIST",
		"p/.cursor/rules/always.mdc": "---\nglobs:\nalwaysApply: true\n---\nALWAYS",
	})
	in := compose(t, w.o, vade.InstructionsRequest{For: "src/a.ts"})
	if got := partPaths(in, w.dir); !slices.Equal(got, []string{".cursor/rules/always.mdc", ".cursor/rules/plain.mdc"}) {
		t.Errorf("parts %q", got)
	}
	if p := in.Parts[1].Pattern; p != "*.ts" {
		t.Errorf("pattern %q", p)
	}
	if slices.Contains(codes(in), "YAML_REPAIRED_VALUE") {
		t.Error("what stands there is said to be mended")
	}
}

// TestTotalLength: of the project's files Codex sends 32 KiB together.
func TestTotalLength(t *testing.T) {
	const most = 32 << 10
	w := newHousehold(t, "codex", map[string]string{
		"h/.codex/AGENTS.md": strings.Repeat("u", most), "p/AGENTS.md": strings.Repeat("a", most-5) + "\n",
		"p/w/AGENTS.md": "12345678", "p/w/x/AGENTS.md": "more",
	})
	w.o.Dir = filepath.Join(w.dir, "p", "w", "x")
	in := compose(t, w.o, vade.InstructionsRequest{})
	if got := partPaths(in, w.dir); !slices.Equal(got, []string{"h/.codex/AGENTS.md", "AGENTS.md", "w/AGENTS.md"}) {
		t.Fatalf("parts %q", got)
	}
	if p := in.Parts[2]; p.Text != "1234" || len(in.Parts[0].Text) != most {
		t.Errorf("%q", p.Text)
	}
	if got := codes(in); !slices.Equal(got, []string{"FILE_TOO_LARGE"}) || len(in.Diagnostics) != 2 {
		t.Errorf("codes %q", got)
	}
}
