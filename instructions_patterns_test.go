package vade_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/instructions"
)

// TestChosenInstructions checks which of several files a host reads.
func TestChosenInstructions(t *testing.T) {
	for _, tc := range []struct {
		name, as string
		files    map[string]string
		request  instructions.Request
		want     []string
	}{
		{"the override of each directory", "codex", map[string]string{"p/AGENTS.md": "T", "p/w/AGENTS.md": "A", "p/w/AGENTS.override.md": "O"}, instructions.Request{}, []string{"AGENTS.md", "w/AGENTS.override.md"}},
		{"an empty override of the project", "codex", map[string]string{"p/w/AGENTS.md": "A", "p/w/AGENTS.override.md": ""}, instructions.Request{}, nil},
		{"an empty override of the user", "codex", map[string]string{"h/.codex/AGENTS.md": "A", "h/.codex/AGENTS.override.md": ""}, instructions.Request{}, []string{"h/.codex/AGENTS.md"}},
		{"an override of the user", "codex", map[string]string{"h/.codex/AGENTS.md": "A", "h/.codex/AGENTS.override.md": "O"}, instructions.Request{}, []string{"h/.codex/AGENTS.override.md"}},
		{"frontmatter that is broken", "codex", map[string]string{"p/AGENTS.md": "---\na: [\n---\nA"}, instructions.Request{}, []string{"AGENTS.md"}},
		{"nothing of directories below", "codex", map[string]string{"p/w/in/AGENTS.md": "I"}, instructions.Request{For: "in/x"}, nil},
		{"one kind for all directories", "opencode", map[string]string{"p/AGENTS.md": "A", "p/w/CLAUDE.md": "C"}, instructions.Request{}, []string{"AGENTS.md"}},
		{"the other kind", "opencode", map[string]string{"p/CLAUDE.md": "C", "p/w/CLAUDE.md": "C2"}, instructions.Request{}, []string{"w/CLAUDE.md", "CLAUDE.md"}},
		{"the third kind", "opencode", map[string]string{"p/w/CONTEXT.md": "C"}, instructions.Request{}, []string{"w/CONTEXT.md"}},
		{"the user's other file", "opencode", map[string]string{"h/.claude/CLAUDE.md": "C"}, instructions.Request{}, []string{"h/.claude/CLAUDE.md"}},
		{"of each directory below one", "opencode", map[string]string{"p/AGENTS.md": "A", "p/w/in/CLAUDE.md": "C", "p/w/in/deep/AGENTS.md": "D", "p/w/in/deep/CLAUDE.md": "E"}, instructions.Request{For: "in/deep/x"}, []string{"AGENTS.md", "w/in/deep/AGENTS.md", "w/in/CLAUDE.md"}},
		{"of each directory the first", "pi", map[string]string{"p/CLAUDE.md": "C", "p/w/AGENTS.md": "A", "p/w/CLAUDE.md": "D"}, instructions.Request{}, []string{"CLAUDE.md", "w/AGENTS.md"}},
		{"patterns that match", "copilot-cli", map[string]string{"p/.github/instructions/a.instructions.md": "---\napplyTo: \"src/**/*.ts,*.go\"\n---\nA"}, instructions.Request{For: "../src/a/b.ts"}, []string{".github/instructions/a.instructions.md"}},
		{"patterns that do not", "copilot-cli", map[string]string{"p/.github/instructions/a.instructions.md": "---\napplyTo: \"src/**/*.ts\"\n---\nA"}, instructions.Request{For: "../src/b.js"}, nil},
		{"patterns of rules", "copilot-cli", map[string]string{"p/.claude/rules/a.md": "---\npaths: \"**/*.go\"\n---\nA"}, instructions.Request{For: "x.go"}, []string{".claude/rules/a.md"}},
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

// TestEditorPatterns checks patterns in VS Code. A pattern without a directory matches at any depth
// and ignores case, and a file without a pattern is included only on request.
func TestEditorPatterns(t *testing.T) {
	w := newHousehold(t, "copilot-vscode", map[string]string{
		"p/.github/instructions/deep.instructions.md":  "---\napplyTo: \"src/*.go\"\n---\nDEEP",
		"p/.github/instructions/all.instructions.md":   "---\napplyTo: \"*\"\n---\nALL",
		"p/.github/instructions/plain.instructions.md": "PLAIN", "p/.claude/rules/r.md": "RULE",
	})
	in := compose(t, w.o, instructions.Request{For: "a/b/src/X.GO"})
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

// TestPatternsOfHosts checks which rules a file activates under each host's pattern matching.
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
				for _, p := range compose(t, w.o, instructions.Request{For: file}).Parts {
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

// TestNamesOfSettings checks settings that specify the names of instruction files. Such a setting
// has no effect if it contains a path.
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
		{"a fallback file name", "codex", files("h/.codex/config.toml", "project_doc_fallback_filenames = ['TEAM.md']\n"), []string{"AGENTS.md", "w/TEAM.md"}, nil},
		{"the length", "codex", files("h/.codex/config.toml", "project_doc_max_bytes = 3\n"), []string{"AGENTS.md"}, []string{"FILE_TOO_LARGE"}},
		{"the settings of a project", "codex", files("p/.codex/config.toml", "project_doc_fallback_filenames = ['TEAM.md']\n"), []string{"AGENTS.md"}, []string{"SETTING_NOT_READ"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newHousehold(t, tc.host, tc.files)
			w.o.Dir = filepath.Join(w.dir, "p", "w")
			in := compose(t, w.o, instructions.Request{})
			if diff := cmp.Diff(tc.want, partPaths(in, w.dir)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
			if diff := cmp.Diff(tc.codes, codes(in)); diff != "" {
				t.Errorf("codes - want, + got:\n%s", diff)
			}
		})
	}
}

// TestPlainRules checks that in Cursor's rules, quotes are part of a pattern, and a list is not a
// valid pattern.
func TestPlainRules(t *testing.T) {
	w := newHousehold(t, "cursor", map[string]string{
		"p/.cursor/rules/plain.mdc":  "---\nglobs: *.ts,*.tsx\n---\nPLAIN",
		"p/.cursor/rules/quotes.mdc": "---\nglobs: \"*.ts\"\n---\nQUOTES",
		"p/.cursor/rules/flow.mdc":   "---\nglobs: [\"*.ts\"]\n---\nFLOW",
		"p/.cursor/rules/list.mdc":   "---\nglobs:\n  - \"*.ts\"\n---\nLIST",
		"p/.cursor/rules/always.mdc": "---\nglobs:\nalwaysApply: true\n---\nALWAYS",
	})
	in := compose(t, w.o, instructions.Request{For: "src/a.ts"})
	if got := partPaths(in, w.dir); !slices.Equal(got, []string{".cursor/rules/always.mdc", ".cursor/rules/plain.mdc"}) {
		t.Errorf("parts %q", got)
	}
	if p := in.Parts[1].Pattern; p != "*.ts" {
		t.Errorf("pattern %q", p)
	}
	if slices.Contains(codes(in), "YAML_REPAIRED_VALUE") {
		t.Error("an existing file is reported as fixed")
	}
}

// TestTotalLength checks that Codex sends at most 32 KiB of the project's files in total.
func TestTotalLength(t *testing.T) {
	const most = 32 << 10
	w := newHousehold(t, "codex", map[string]string{
		"h/.codex/AGENTS.md": strings.Repeat("u", most), "p/AGENTS.md": strings.Repeat("a", most-5) + "\n",
		"p/w/AGENTS.md": "12345678", "p/w/x/AGENTS.md": "more",
	})
	w.o.Dir = filepath.Join(w.dir, "p", "w", "x")
	in := compose(t, w.o, instructions.Request{})
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
