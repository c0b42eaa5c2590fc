package vade

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/materialize"
)

// TestSyncNames checks that no name makes a file leave the target directory.
func TestSyncNames(t *testing.T) {
	files := syncProject()
	for i, name := range []string{"../../../escape", "/etc/cron", "..", ".git/hooks/pre-commit", "a\\\\..\\\\b", "con", "x\\u001b[2J", "\\u202e", "-rf", ""} {
		files[fmt.Sprintf(".github/agents/n%d.agent.md", i)] = "---\nname: \"" + name + "\"\ndescription: D.\n---\nB.\n"
		files[fmt.Sprintf(".github/commands/c%d.command.md", i)] = "---\nname: \"" + name + "\"\ndescription: D.\n---\nB.\n"
	}
	o := layProject(t, files)
	outside := filepath.Dir(o.Dir)
	before := snapshot(t, filepath.Join(o.Dir, ".git"))
	r := mustSync(t, o, materialize.Options{Force: true})
	if snapshot(t, filepath.Join(o.Dir, ".git")) != before {
		t.Error("git's directory was changed")
	}
	entries, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "escape") {
			t.Errorf("%s is there", e.Name())
		}
	}
	for _, s := range r.Steps {
		first, _, _ := strings.Cut(s.Path, "/")
		if !slices.Contains([]string{".claude", ".gemini", ".opencode", ".cursor"}, first) || slices.Contains(strings.Split(s.Path, "/"), "..") || strings.ContainsAny(s.Path, "\\\x1b\u202e") {
			t.Errorf("%s %q", s.Action, s.Path)
		}
	}
}

func TestSyncProjectFile(t *testing.T) {
	files := syncProject()
	for text, want := range map[string]string{
		"hosts: [claude-cod]\n":          `unknown host "claude-cod"`,
		"host: [claude-code]\n":          `unknown key "host"`,
		"source: [../elsewhere]\n":       "is outside the project",
		"hosts: [gemini]\nsync: never\n": "sync must be a map, not a string",
	} {
		files["vade.yaml"] = text
		o := layProject(t, files)
		before := snapshot(t, o.Dir)
		r := mustSync(t, o, materialize.Options{})
		if !r.Failed() || r.Done || !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return strings.Contains(d.Message, want) && d.Fix != "" && d.Line > 0 }) {
			t.Errorf("%q: %+v", text, r.Diagnostics)
		}
		if snapshot(t, o.Dir) != before {
			t.Errorf("%q: something is written", text)
		}
	}

	// The project excludes some kinds and uses another source.
	files["vade.yaml"] = "source: ai\nhosts: [claude-code]\nsync:\n  exclude:\n    claude-code: [commands]\n"
	files["ai/skills/own/SKILL.md"] = "---\nname: own\ndescription: Own.\n---\nOwn.\n"
	files["ai/commands/go.command.md"] = "---\ndescription: Go.\n---\nGo.\n"
	files["ai/agents/a.agent.md"] = "---\nname: a\ndescription: A.\n---\nA.\n"
	o := layProject(t, files)
	wantSteps(t, mustSync(t, o, materialize.Options{}), "create .claude/agents/a.md", "link .claude/skills/own")
}

// TestSyncSourceIsKept checks that a copy in a source directory is not treated as a source.
func TestSyncSourceIsKept(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [copilot-vscode, codex, copilot-cli]\n"
	o := layProject(t, files)
	r := mustSync(t, o, materialize.Options{})
	if !strings.Contains(stepsOf(r), "create .github/prompts/review.prompt.md") {
		t.Errorf("%s", stepsOf(r))
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
	if err := os.Remove(filepath.Join(o.Dir, ".github/commands/review.command.md")); err != nil {
		t.Fatal(err)
	}
	// The copy is removed with its source unless it was edited.
	const prompt, skill = ".github/prompts/review.prompt.md", ".github/skills/review/SKILL.md"
	made := textAt(t, o, prompt)
	putFile(t, filepath.Join(o.Dir, prompt), made+"More.\n")
	r = mustSync(t, o, materialize.Options{})
	if got := stepsOf(r); codesOf(r) != "SYNC_EDITED "+prompt || !strings.Contains(got, "remove "+skill) || strings.Contains(got, "create") {
		t.Errorf("%s\n%s", codesOf(r), got)
	}
	putFile(t, filepath.Join(o.Dir, prompt), made)
	wantSteps(t, mustSync(t, o, materialize.Options{}), "remove "+prompt)
}

// TestSyncServers checks that MCP server files are written on request, from the project's files and
// without secrets.
func TestSyncServers(t *testing.T) {
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, cursor, copilot-vscode, gemini]\nsync: {mcp: true}\nmcp: {deny: [bad*]}\n"
	files[".mcp.json"] = `{"mcpServers": {"docs": {"command": "docs-server", "env": {"DOCS_TOKEN": "sk-live-0123456789abcdef0123456789"}}, "badone": {"command": "x"}}}`
	o := layProject(t, files)
	r := mustSync(t, o, materialize.Options{})
	if got := stepsOf(r); !strings.Contains(got, "create .cursor/mcp.json") || !strings.Contains(got, "create .vscode/mcp.json") ||
		strings.Contains(got, ".mcp.json\n") && strings.Contains(got, "create .mcp.json") || strings.Contains(got, ".gemini/settings.json") {
		t.Errorf("%s", got)
	}
	all := snapshot(t, filepath.Join(o.Dir, ".cursor")) + snapshot(t, filepath.Join(o.Dir, ".vscode")) + snapshot(t, filepath.Join(o.Dir, ".vade"))
	if strings.Contains(all, "sk-live") || strings.Contains(all, "badone") || !strings.Contains(all, "docs-server") {
		t.Errorf("%s", all)
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
	putFile(t, filepath.Join(o.Dir, ".mcp.json"), `{"mcpServers": {"other": {"command": "other-server"}}}`)
	wantSteps(t, mustSync(t, o, materialize.Options{}), "update .cursor/mcp.json", "update .vscode/mcp.json")
	putFile(t, filepath.Join(o.Dir, "vade.yaml"), "hosts: [claude-code, cursor, copilot-vscode, gemini]\n")
	wantSteps(t, mustSync(t, o, materialize.Options{}), "remove .cursor/mcp.json", "remove .vscode/mcp.json")
	if _, err := os.Lstat(filepath.Join(o.Dir, ".vscode")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the directory is there")
	}
}
