package vade

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/materialize"
)

// TestSyncForeignSymlinks checks a symlink to a source that was created by the project itself. It
// must be reported as up to date only if the host reads the same content from it as from a copy.
func TestSyncForeignSymlinks(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                         "ref: refs/heads/main\n",
		".github/agents/architect.agent.md": "---\nname: architect\ndescription: Designs.\ntools: [read, search, execute]\n---\nYou design.\n",
		".github/agents/plain.agent.md":     "---\nname: plain\ndescription: Is plain.\n---\nYou are plain.\n",
		"vade.yaml":                         "hosts: [claude-code]\n",
	})
	dir := filepath.Join(o.Dir, ".claude/agents")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"architect", "plain"} {
		if err := os.Symlink("../../.github/agents/"+name+".agent.md", filepath.Join(dir, name+".md")); err != nil {
			t.Skip("no links can be made here")
		}
	}
	r := mustSync(t, o, materialize.Options{})
	if got := codesOf(r); got != "SYNC_FOREIGN .claude/agents/architect.md" || len(r.Steps) > 0 || r.Own != 1 {
		t.Errorf("%s\n%s\n%d", got, stepsOf(r), r.Own)
	}
	if d := r.Diagnostics[0]; !strings.Contains(d.Message, "a symlink to ../../.github/agents/architect.agent.md") || !strings.Contains(d.Fix, "vade sync --force .claude/agents/architect.md") {
		t.Errorf("%s / %s", d.Message, d.Fix)
	}
	r = mustSync(t, o, materialize.Options{Force: true, Paths: []string{".claude/agents/architect.md"}})
	wantSteps(t, r, "unlink .claude/agents/architect.md", "create .claude/agents/architect.md")
	r = mustSync(t, o, materialize.Options{})
	wantSteps(t, r)
	if r.Failed() {
		t.Errorf("%s", codesOf(r))
	}
}

// TestSyncSharedInstructions checks that a host does not get its own copy of
// instructions that it also reads in another host's file, unless that file
// cannot be written.
func TestSyncSharedInstructions(t *testing.T) {
	files := func(hosts string) map[string]string {
		return map[string]string{
			".git/HEAD": "ref: refs/heads/main\n",
			"ai/instructions/project.instructions.md": "Build with make.\n",
			"ai/instructions/kind.instructions.md":    "---\napplyTo: \"**\"\n---\nBe kind.\n",
			"ai/instructions/src.instructions.md":     "---\napplyTo: src/**\n---\nUse tabs.\n",
			"ai/instructions/ts.instructions.md":      "---\napplyTo: \"**/*.ts\"\n---\nUse strict.\n",
			"vade.yaml":                               "source: ai\nhosts: " + hosts + "\n",
		}
	}
	for hosts, want := range map[string][]string{
		"[cursor, codex]": {"create .cursor/rules/ts.mdc", "create AGENTS.md", "create src/AGENTS.md"},
		"[copilot-vscode, copilot-cli, claude-code]": {
			"create .claude/rules/kind.md", "create .claude/rules/src.md", "create .claude/rules/ts.md", "create CLAUDE.md",
		},
	} {
		o := layProject(t, files(hosts))
		r := mustSync(t, o, materialize.Options{})
		wantSteps(t, r, want...)
		for _, d := range r.Diagnostics {
			t.Errorf("%s: %s", hosts, d.Message)
		}
		for _, only := range append(r.Hosts, r.Hosts[0]) {
			wantSteps(t, mustSync(t, o, materialize.Options{Hosts: []string{only.Host}}))
		}
		wantSteps(t, mustSync(t, o, materialize.Options{}))
	}

	// Claude Code's file is the user's, so Cursor needs its own.
	edited := files("[cursor, claude-code]")
	edited["CLAUDE.md"] = "Build with ninja.\n"
	r := mustSync(t, layProject(t, edited), materialize.Options{})
	if !strings.Contains(stepsOf(r), "create AGENTS.md") || codesOf(r) != "SYNC_FOREIGN CLAUDE.md" {
		t.Errorf("%s\n%s", stepsOf(r), codesOf(r))
	}

	// The original stays, so Cursor reads two files with the same text.
	kept := files("[cursor, codex]")
	kept["CLAUDE.md"] = "Build with make.\n"
	o := layProject(t, kept)
	for range 2 {
		var twice []string
		for _, d := range mustSync(t, o, materialize.Options{}).Diagnostics {
			if d.Code == diag.SyncTwice {
				twice = append(twice, d.File+": "+d.Message)
			}
		}
		if got := strings.Join(twice, "\n"); got != "CLAUDE.md: the file repeats text from AGENTS.md, and cursor sends both files to the model" {
			t.Error(got)
		}
	}
}

// TestImportMoveAgain checks that --move removes files that an earlier import copied, and reports
// the files that stay.
func TestImportMoveAgain(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":               "ref: refs/heads/main\n",
		".gemini/commands/x.toml": "prompt = \"\"\"do it\"\"\"\n",
		".gemini/commands/y.toml": "prompt = \"\"\"do it too\"\"\"\n",
		".gemini/commands/z.toml": "prompt = \"\"\"do it too\"\"\"\nown = \"x\"\n",
		"vade.yaml":               "hosts: [gemini]\n",
	})
	top := func(p string) string { return filepath.Join(o.Dir, p) }
	if r, err := materialize.Import(context.Background(), o, materialize.ImportOptions{}); err != nil || r.Failed() {
		t.Fatal(err, r)
	}
	putFile(t, top(".gemini/commands/y.toml"), "prompt = \"\"\"do it otherwise\"\"\"\n")
	for _, from := range []string{"", "gemini"} {
		plan, err := materialize.PlanImport(context.Background(), o, materialize.ImportOptions{From: from, Move: true})
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		for _, f := range plan.Files {
			if f.Removed {
				said[f.Source] = "removed"
			}
		}
		for _, d := range plan.Diagnostics {
			said[d.File] += string(d.Code)
			if strings.Contains(d.Message, ".gemini/commands/y.toml") {
				said[".gemini/commands/y.toml"] += string(d.Code)
			}
		}
		if said[".gemini/commands/x.toml"] != "removed" || said[".gemini/commands/y.toml"] == "" || said[".gemini/commands/y.toml"] == "removed" || said[".gemini/commands/z.toml"] == "" {
			t.Errorf("from %q: %v", from, said)
		}
	}
	mustSync(t, o, materialize.Options{})
	r, err := materialize.Import(context.Background(), o, materialize.ImportOptions{Move: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(top(".gemini/commands/x.toml")); err == nil {
		t.Errorf("x.toml stays: %+v", r.Files)
	}
	if _, err := os.Stat(top(".gemini/commands/y.toml")); err != nil {
		t.Error(err)
	}
}
