package host

import (
	"slices"
	"testing"

	"github.com/vadehq/vade/definition"
)

func TestLabels(t *testing.T) {
	file := InstructionFile("AGENTS.md")
	for _, tc := range []struct {
		root Root
		want string
	}{
		{Root{Base: InProject, Dir: ".claude/skills"}, ".claude/skills"},
		{Root{Base: InTop, Dir: "assets/skills"}, "assets/skills"},
		{Root{Base: InHome, Dir: ".claude/skills"}, "~/.claude/skills"},
		{Root{Base: InManaged, Dir: "skills"}, "managed:/skills"},
		{Root{Base: InPlugin, Dir: "skills"}, "PLUGIN/skills"},
		{Root{Base: InPlugin}, "PLUGIN"},
		{Root{Base: InEnv, Env: "DIRS"}, "$DIRS"},
		{Root{Base: InProject, Rules: file}, "AGENTS.md"},
		{Root{Base: InProject, Dir: ".claude", Rules: file}, ".claude/AGENTS.md"},
		{Root{Base: InHome, Dir: ".codex", Rules: file}, "~/.codex/AGENTS.md"},
	} {
		if got := tc.root.Label(); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.root, got, tc.want)
		}
	}
}

func TestRootsOf(t *testing.T) {
	skill := []Rule{{Kind: definition.Skill, File: "SKILL.md", Min: 1, Max: 1}}
	p := &Profile{Roots: []Root{
		{Base: InProject, Dir: "a", Rules: skill},
		{Base: InHome, Dir: "a", Rules: skill},
		{Base: InProject, Dir: "b", Rules: []Rule{{Kind: definition.Skill, File: "x", Skip: "no"}}},
		{Base: InWorkDir, Dir: "a", Rules: skill},
		{Base: InWorkDir, Dir: "c", Rules: skill},
	}}
	if got := p.RootsOf(definition.Skill, InProject, InWorkDir); !slices.Equal(got, []int{0, 4}) {
		t.Errorf("project roots: %v", got)
	}
	if got := p.RootsOf(definition.Agent, InProject, InHome); got != nil {
		t.Errorf("another kind: %v", got)
	}
	if n := Readers([]*Profile{p, {}, p}, "~/a", definition.Skill); n != 2 {
		t.Errorf("%d readers of ~/a", n)
	}
}
