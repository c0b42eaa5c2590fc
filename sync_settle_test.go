package vade

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/materialize"
)

// TestSyncOneText checks that a file that two hosts read is written in a form that works for both.
func TestSyncOneText(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                          "ref: refs/heads/main\n",
		"vade.yaml":                          "source: ai\nhosts: [copilot-cli, copilot-vscode]\n",
		"ai/instructions/go.instructions.md": "---\napplyTo: \"**/*.go\"\n---\nUse gofmt.\n",
		"ai/agents/a.agent.md":               "---\nname: a\ndescription: A.\ntools: [Read, Edit]\n---\nHi.\n",
		"ai/skills/s/SKILL.md":               "---\nname: s\ndescription: S.\n---\nHi.\n",
	})
	r := mustSync(t, o, materialize.Options{})
	if codesOf(r) != "" {
		t.Errorf("%s", codesOf(r))
	}
	for _, s := range r.Steps {
		if strings.Join(s.Hosts, ",") != "copilot-cli,copilot-vscode" {
			t.Errorf("%s is for %s", s.Path, s.Hosts)
		}
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
	if _, err := os.Stat(filepath.Join(o.Dir, ".github/instructions/go.instructions.md")); err != nil {
		t.Error(err)
	}
}

// TestSyncFullest checks that if one host needs more fields in a shared file, the file contains
// them for all hosts.
func TestSyncFullest(t *testing.T) {
	o := layProject(t, map[string]string{
		".git/HEAD":                           "ref: refs/heads/main\n",
		"vade.yaml":                           "source: [ai, .github/copilot-instructions.md]\nhosts: [cursor, codex, opencode, copilot-vscode, copilot-cli]\n",
		".github/copilot-instructions.md":     "Be kind.\n",
		"ai/instructions/all.instructions.md": "---\napplyTo: \"**\"\n---\nUse ASCII.\n",
		"ai/instructions/go.instructions.md":  "---\napplyTo: \"**/*.go\"\n---\nUse gofmt.\n",
		"ai/agents/a.agent.md":                "# The a agent\n\nHi.\n",
	})
	r := mustSync(t, o, materialize.Options{})
	if strings.Contains(codesOf(r), "SYNC_CLASH") {
		t.Errorf("%s", codesOf(r))
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(o.Dir, name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	if text := read("AGENTS.md"); !strings.Contains(text, "Be kind.") || !strings.Contains(text, "Use ASCII.") {
		t.Errorf("%s", text)
	}
	if text := read(".github/agents/a.agent.md"); !strings.Contains(text, "description: ") {
		t.Errorf("%s", text)
	}
	steps := stepsOf(r)
	if !strings.Contains(steps, ".cursor/rules/go.mdc") {
		t.Errorf("%s", steps)
	}
	for _, s := range r.Steps {
		if s.Path == "AGENTS.md" && strings.Join(s.Hosts, ",") != "codex,copilot-cli,copilot-vscode,cursor,opencode" {
			t.Errorf("%s", s.Hosts)
		}
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))

	// With Cursor alone, each source gets its own file.
	putFile(t, filepath.Join(o.Dir, "vade.yaml"), "source: [ai, .github/copilot-instructions.md]\nhosts: [cursor]\n")
	r = mustSync(t, o, materialize.Options{})
	if steps := stepsOf(r); !strings.Contains(steps, "update AGENTS.md") || r.Failed() {
		t.Errorf("%s\n%s", steps, codesOf(r))
	}
}
