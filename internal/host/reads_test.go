package host

import (
	"slices"
	"testing"

	"github.com/vadehq/vade/internal/definition"
)

func TestLabels(t *testing.T) {
	file := instructionFile("AGENTS.md")
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
		t.Errorf("in the project: %v", got)
	}
	if got := p.RootsOf(definition.Agent, InProject, InHome); got != nil {
		t.Errorf("of another kind: %v", got)
	}
	if n := Readers([]*Profile{p, {}, p}, "~/a", definition.Skill); n != 2 {
		t.Errorf("%d readers of ~/a", n)
	}
}

// TestPlacesHaveLabels: no two roots of a profile that hold the same kind at the
// same base look alike to people though they are different directories, and all
// have a label.
func TestPlacesHaveLabels(t *testing.T) {
	for _, p := range Profiles() {
		type place struct {
			base Base
			dir  string
			file string
		}
		seen := map[string]place{}
		for i := range p.Roots {
			r := &p.Roots[i]
			label := r.Label()
			if label == "" {
				t.Errorf("%s: the root %d has no label", p.Name, i)
			}
			at := place{r.Base, r.Dir, ""}
			if r.Single() {
				at.file = r.Rules[0].File
			}
			if other, ok := seen[label]; ok && other.base == at.base && r.Base != InManaged && (other.dir != at.dir || other.file != at.file) {
				t.Errorf("%s: %q is both %v and %v", p.Name, label, other, at)
			}
			seen[label] = at
		}
	}
}
