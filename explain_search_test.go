package vade_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/explain"
)

// TestMisspelledDirectories checks that a file in a misspelled directory is found by name, and that
// the answer lists where hosts look.
func TestMisspelledDirectories(t *testing.T) {
	o := laid(t, map[string]string{
		".claude/skill/a/SKILL.md": aSkill("a"), "skill/b/SKILL.md": aSkill("b"), ".claude/comands/c.md": "Do.\n",
		"deep/down/here/d/SKILL.md": aSkill("d"), "docs/e.md": "Text.\n", "team/f.agent.md": aSkill("f"),
		"sub/.claude/skills/g/SKILL.md": aSkill("g"), "node_modules/h/SKILL.md": aSkill("h"), "i/SKILL.md": "-> ../skill/b/SKILL.md",
		".claude/skills/j/SKILL.md": aSkill("j"), "other/j/SKILL.md": aSkill("j"),
	})
	for _, tc := range []struct{ name, path, reason string }{
		{"a", ".claude/skill/a/SKILL.md", "claude-code reads .claude/skills, not .claude/skill"},
		{"b", "skill/b/SKILL.md", "claude-code reads .claude/skills, not skill"},
		{"c", ".claude/comands/c.md", "claude-code reads .claude/commands, not .claude/comands"},
		{"d", "deep/down/here/d/SKILL.md", "claude-code reads .claude/skills, not deep/down/here"},
		{"f", "team/f.agent.md", "claude-code reads .claude/agents, not team"},
		{"skill:a", ".claude/skill/a/SKILL.md", "claude-code reads"},
	} {
		x := explained(t, o, explain.Request{Name: tc.name, Hosts: []string{"claude-code"}})
		if v := verdictOf(t, x, tc.path, "claude-code"); v.State != explain.StateNotRead || !strings.HasPrefix(v.Reason, tc.reason) || len(x.Definitions) != 1 {
			t.Errorf("%s: %d found, %s", tc.name, len(x.Definitions), v.Reason)
		}
	}
	for _, name := range []string{"e", "g", "h", "i", "command:a"} {
		if x, err := explain.Run(context.Background(), o, explain.Request{Name: name}); !errors.Is(err, definition.ErrNotFound) {
			t.Errorf("%s: %+v, %v", name, x, err)
		}
	}
	// If the name exists, similar names are not looked up.
	if x := explained(t, o, explain.Request{Name: "j"}); len(x.Definitions) != 1 {
		t.Errorf("%d are named j", len(x.Definitions))
	}
}

// TestExistingPathIsNotMissing checks that an existing path is not reported as
// missing just because it is not a definition.
func TestExistingPathIsNotMissing(t *testing.T) {
	o := laid(t, map[string]string{"docs/fixing.md": "Text.\n", ".claude/skills/a/SKILL.md": aSkill("a")})
	for _, name := range []string{"docs/fixing.md", "docs/"} {
		_, err := explain.Run(context.Background(), o, explain.Request{Name: name})
		if !errors.Is(err, definition.ErrNotFound) || !strings.Contains(err.Error(), "exists, but does not look like a definition") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := explain.Run(context.Background(), o, explain.Request{Name: "zzzzzzzz"})
	var e *definition.Error
	if !errors.As(err, &e) || !strings.HasSuffix(e.Fix, "to explain a file, run: vade explain PATH/SKILL.md") {
		t.Errorf("%v", err)
	}
}

// TestAllHasCollections checks that --all includes collections that no host reads. It must not
// include files that merely happen to be in directories with similar names.
func TestAllHasCollections(t *testing.T) {
	o := laid(t, map[string]string{
		"skills/a/SKILL.md": aSkill("a"), "skills/group/b/SKILL.md": aSkill("b"), "skills/a/notes.md": "---\nx: y\n---\n",
		"commands/c.md": "---\ndescription: C.\n---\nDo.\n", "commands/d.md": "Text.\n", "agents/main.go": "package agents\n", "agents/README.md": "---\nx: y\n---\n",
	})
	x := explained(t, o, explain.Request{All: true})
	var names []string
	for _, d := range x.Definitions {
		names = append(names, d.Kind.String()+" "+d.Name)
	}
	if want := []string{"skill a", "skill b", "command c"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if x := explained(t, o, explain.Request{All: true, Kinds: []definition.Kind{definition.Command}}); len(x.Definitions) != 1 {
		t.Errorf("%d commands", len(x.Definitions))
	}
}
