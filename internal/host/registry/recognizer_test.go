package registry

import (
	"testing"

	"github.com/vadehq/vade/definition"
)

func TestRecognizer(t *testing.T) {
	s := NewRecognizer()
	for name, want := range map[string]definition.Kind{
		"AGENTS.md": definition.Instruction, "CLAUDE.md": definition.Instruction, "GEMINI.md": definition.Instruction,
		".cursorrules": definition.Instruction, "go.mdc": definition.Instruction, "x.instructions.md": definition.Instruction,
		"x.prompt.md": definition.Command, "x.agent.md": definition.Agent, "x.skill.md": definition.Skill,
		"README.md": 0, "notes.md": 0, "SKILL.md": 0, "x.toml": 0, ".md": 0,
	} {
		if got, ok := s.Named(name); got != want || ok != (want != 0) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, tc := range []struct {
		dir, name string
		depth     int
		want      definition.Kind
	}{
		{"commands", "ship.md", 0, definition.Command},
		{"commands", "ship.md", 3, definition.Command},
		{"commands", "ship.toml", 0, definition.Command},
		{"commands", "README.md", 0, 0},
		{"commands", "ship.sh", 0, 0},
		{"agents", "reviewer.md", 0, definition.Agent},
		{"prompts", "review.md", 0, definition.Command},
		{"instructions", "style.md", 0, definition.Instruction},
		{"rules", "style.mdc", 0, definition.Instruction},
		{"skills", "notes.md", 0, definition.Skill},
		{"skills", "reference.md", 2, 0},
	} {
		h, ok := s.DefinitionDir(tc.dir)
		if !ok {
			t.Errorf("no host has a directory %s", tc.dir)
			continue
		}
		if got, ok := h.KindOf(tc.name, tc.depth); ok != (tc.want != 0) || ok && got != tc.want {
			t.Errorf("%s/%s (%d) is %v, want %v", tc.dir, tc.name, tc.depth, got, tc.want)
		}
	}
	for name, own := range map[string]bool{"rules": true, "commands": false, "agents": false, "skills": false} {
		if h, ok := s.DefinitionDir(name); !ok || h.Own != own {
			t.Errorf("%s: own is not %v", name, own)
		}
	}
	for _, dir := range []string{".claude", ".agents", ".github", ".codex", ".gemini", ".cursor", ".opencode"} {
		if !s.Own(dir) {
			t.Errorf("%s does not belong to a host", dir)
		}
	}
	for _, dir := range []string{"src", ".git", ".vscode", "docs"} {
		if s.Own(dir) {
			t.Errorf("%s belongs to a host", dir)
		}
	}
	for name, want := range map[string]bool{
		".claude/settings.json": true, ".claude/hooks/check.sh": true, ".claude/scripts/run.py": true, ".claude/notes.txt": false,
		".github/hooks/hooks.json": true, ".github/scripts/ci.sh": false, ".github/workflows/ci.yml": false,
	} {
		own, rel, _ := cut(name)
		if got := s.IsConfigOrHook(own, rel); got != want {
			t.Errorf("%s: carried is %v", name, got)
		}
	}
}

func cut(name string) (dir, rest string, ok bool) {
	for i := range name {
		if name[i] == '/' {
			return name[:i], name[i+1:], true
		}
	}
	return name, "", false
}
