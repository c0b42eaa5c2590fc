package vade

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
)

func mustImport(t *testing.T, o catalog.Options, io materialize.ImportOptions) *materialize.ImportResult {
	t.Helper()
	r, err := materialize.Import(context.Background(), o, io)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func textAt(t *testing.T, o catalog.Options, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// TestImportFields checks that fields in each host's files get their neutral names and values. The
// source of truth must keep fields that only one host supports, so that syncing can write them to
// that host's copy.
func TestImportFields(t *testing.T) {
	for _, test := range []struct {
		host, file, text, made, want string
		back                         bool
	}{
		{
			"gemini", ".gemini/agents/ge.md",
			"---\nname: ge\ndescription: GE.\ntools:\n  - read_file\n  - run_shell_command\nmodel: gemini-2.5-pro\nmax_turns: 5\ntimeout_mins: 3\n---\nGE.\n",
			".github/agents/ge.agent.md",
			"---\nname: ge\ndescription: GE.\ntools:\n  - Read\n  - Bash\nmodel: gemini-2.5-pro\nmaxTurns: 5\ntimeout_mins: 3\n---\nGE.\n", true,
		},
		{
			"codex", ".codex/agents/cx.toml",
			"name = \"cx\"\ndescription = \"CX.\"\nmodel_reasoning_effort = \"high\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"CX.\\n\"\n",
			".github/agents/cx.agent.md",
			"---\nname: cx\ndescription: CX.\neffort: high\nsandbox_mode: read-only\n---\nCX.\n", true,
		},
		{
			"opencode", ".opencode/agents/oc.md",
			"---\ndescription: OC.\nmode: subagent\nsteps: 4\ntools:\n  write: false\n  bash: false\npermission:\n  bash: deny\n---\nOC.\n",
			".github/agents/oc.agent.md",
			"---\nname: oc\ndescription: OC.\ndisallowed-tools:\n  - Edit\n  - Write\n  - MultiEdit\n  - NotebookEdit\n  - Bash\nmode: subagent\nsteps: 4\npermission:\n  bash: deny\n---\nOC.\n", false,
		},
		{
			"cursor", ".cursor/agents/cu.md",
			"---\nname: cu\ndescription: CU.\nmodel: fast\nreadonly: true\nis_background: true\n---\nCU.\n",
			".github/agents/cu.agent.md",
			"---\nname: cu\ndescription: CU.\nmodel: fast\nreadonly: true\nbackground: true\n---\nCU.\n", true,
		},
		{
			"qwen", ".qwen/agents/qw.md",
			"---\nname: qw\ndescription: QW.\ntools:\n  - read_file\n  - edit\napprovalMode: plan\n---\nBe the QW agent.\n",
			".github/agents/qw.agent.md",
			"---\nname: qw\ndescription: QW.\ntools:\n  - Read\n  - Edit\napprovalMode: plan\n---\nBe the QW agent.\n", true,
		},
	} {
		t.Run(test.host, func(t *testing.T) {
			o := layProject(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", test.file: test.text})
			before := seenBy(t, o, test.host)
			r := mustImport(t, o, materialize.ImportOptions{From: test.host})
			if r.Failed() || len(r.Losses) > 0 {
				t.Errorf("%+v %+v", r.Losses, r.Diagnostics)
			}
			if got := textAt(t, o, test.made); got != test.want {
				t.Errorf("made\n%s\nwant\n%s", got, test.want)
			}
			if err := os.Remove(filepath.Join(o.Dir, test.file)); err != nil {
				t.Fatal(err)
			}
			mustSync(t, o, materialize.Options{Hosts: []string{test.host}})
			if after := seenBy(t, o, test.host); test.back && after != before {
				t.Errorf("the host reads\n%s\nand read before\n%s", after, before)
			}
		})
	}
}

// TestImportLosses checks that everything that cannot be imported is reported along with its line,
// and that the original stays.
func TestImportLosses(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":           "ref: refs/heads/main\n",
		".claude/agents/a.md": "---\nname: a\ndescription: A.\nhooks:\n  Stop:\n    - hooks: []\npermissionMode: bypassPermissions\n---\nA.\n",
	})
	r := mustImport(t, o, materialize.ImportOptions{From: ".claude", Move: true})
	var lines []int
	for _, l := range r.Losses {
		lines = append(lines, l.Line)
	}
	if slices.Sort(lines); !slices.Equal(lines, []int{4, 7}) {
		t.Errorf("%+v", r.Losses)
	}
	if textAt(t, o, ".claude/agents/a.md") == "" || strings.Contains(textAt(t, o, ".github/agents/a.agent.md"), "bypass") {
		t.Error("the original is gone, or its leave was carried over")
	}
}

// TestImportShadowed checks two definitions with the same name. The one that is not imported must
// be reported, unless both are identical.
func TestImportShadowed(t *testing.T) {
	const review = "Review as [deploy](../../.claude/skills/deploy/SKILL.md) says.\n"
	for text, fails := range map[string]bool{review: false, "Review otherwise.\n": true} {
		o := layProject(t, map[string]string{
			".git/HEAD":                      "ref: refs/heads/main\n",
			".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Ships it.\n---\nShip.\n",
			".claude/commands/review.md":     review, ".cursor/commands/review.md": text,
		})
		r := mustImport(t, o, materialize.ImportOptions{})
		named := slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
			return d.Code == diag.ImportLeft && d.File == ".cursor/commands/review.md" && d.Fix != ""
		})
		if r.Failed() != fails || named != fails {
			t.Errorf("%q: %v %+v", text, r.Failed(), r.Diagnostics)
		}
	}
}

// TestImportCompanion checks that a skill is reported and not imported if one of its files already
// exists with different content, and that other skills are still imported.
func TestImportCompanion(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                      "ref: refs/heads/main\n",
		".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Ships it.\n---\nShip.\n",
		".claude/skills/deploy/run.txt":  "new\n", ".claude/skills/deploy/more.txt": "more\n",
		".agents/skills/deploy/run.txt": "old\n",
		".claude/skills/lint/SKILL.md":  "---\nname: lint\ndescription: Lints.\n---\nLint.\n",
	})
	r := mustImport(t, o, materialize.ImportOptions{From: ".claude", Move: true})
	if !r.Failed() || textAt(t, o, ".agents/skills/lint/SKILL.md") == "" || textAt(t, o, ".agents/skills/deploy/run.txt") != "old\n" {
		t.Errorf("%+v", r.Files)
	}
	for _, name := range []string{"SKILL.md", "more.txt"} {
		if _, err := os.Stat(filepath.Join(o.Dir, ".agents/skills/deploy", name)); err == nil {
			t.Errorf("%s is written beside a file of another skill", name)
		}
		textAt(t, o, ".claude/skills/deploy/"+name)
	}
	var said []diag.Diagnostic
	for _, d := range r.Diagnostics {
		if d.Code == diag.ImportExists {
			said = append(said, d)
		}
	}
	if len(said) != 1 || said[0].File != ".agents/skills/deploy/run.txt" || !strings.Contains(said[0].Message, "the skill deploy") || said[0].Fix == "" {
		t.Errorf("%+v", said)
	}
}

// TestImportRebased checks that imports in instruction files are rewritten for the new path, and
// that syncing restores them. If a rewrite is impossible, the file stays and is reported.
func TestImportRebased(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "docs/x.md": "X.\n",
		"CLAUDE.md":           "Read @docs/x.md, `@docs/x.md` and [x](docs/x.md).\n@docs/none.md\n",
		".claude/rules/go.md": "@../../docs/x.md\n",
	})
	before := seenBy(t, o, "claude-code")
	r := mustImport(t, o, materialize.ImportOptions{From: "claude-code"})
	if r.Failed() || len(r.Losses) > 0 {
		t.Errorf("%+v %+v", r.Losses, r.Diagnostics)
	}
	want := "Read @../docs/x.md, `@docs/x.md` and [x](../docs/x.md).\n@docs/none.md\n"
	if got := textAt(t, o, ".github/copilot-instructions.md"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, name := range []string{"CLAUDE.md", ".claude/rules/go.md"} {
		if err := os.Remove(filepath.Join(o.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, o, materialize.Options{Hosts: []string{"claude-code"}})
	if after := seenBy(t, o, "claude-code"); after != before {
		t.Errorf("the host reads\n%s\nand read before\n%s", after, before)
	}
}

// TestImportRebaseRefused checks that the original stays if moving it would
// make an import point to a different file or outside the project.
func TestImportRebaseRefused(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"another file": {"CLAUDE.md": "@x.md\n", ".github/x.md": "Another.\n"},
		"a blank":      {"CLAUDE.md": "@docs/my\\ file.md\n", "docs/my file.md": "X.\n"},
		"outside":      {"CLAUDE.md": "@~/x.md\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files[".git/HEAD"] = "ref: refs/heads/main\n"
			o := layProject(t, files)
			r := mustImport(t, o, materialize.ImportOptions{From: "claude-code", Move: true})
			if textAt(t, o, "CLAUDE.md") != files["CLAUDE.md"] {
				t.Error("the original is gone")
			}
			if !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == diag.ImportLeft && d.File == "CLAUDE.md" }) {
				t.Errorf("%+v %+v", r.Losses, r.Diagnostics)
			}
		})
	}
}
