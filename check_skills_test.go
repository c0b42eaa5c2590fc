package vade

import (
	"context"
	"slices"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check"
)

// TestDanglingSkills checks the finding for an agent that refers to a missing skill. The finding
// must point to the skill's name. If only some hosts find the skill, the finding must name the
// hosts that do not.
func TestDanglingSkills(t *testing.T) {
	agent := "---\nname: a\ndescription: Designs things. Use for designs.\nskills:\n  - deploy\n  - lint\n  - gone\n---\nDesign.\n"
	skill := func(name string) string {
		return "---\nname: " + name + "\ndescription: Does it. Use when asked.\n---\nDo.\n"
	}
	o := layProject(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".claude/agents/a.md": agent,
		".github/agents/b.agent.md":      "---\nname: b\ndescription: Designs things. Use for designs.\nuseSkills: [lnt]\n---\nDesign.\n",
		".claude/skills/deploy/SKILL.md": skill("deploy"), ".agents/skills/lint/SKILL.md": skill("lint"),
	})
	r, err := check.Run(context.Background(), o, check.Options{Hosts: []string{"claude-code", "codex"}})
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		path  string
		line  int
		hosts string
		fix   bool
	}
	var got []found
	for _, f := range r.Findings {
		if f.Code == diag.SkillNotFound {
			host := ""
			if len(f.Hosts) > 0 {
				host = f.Hosts[0]
			}
			got = append(got, found{f.Path, f.Line, host, f.Fix != "" && f.Severity == diag.Warning})
		}
	}
	want := []found{{".claude/agents/a.md", 6, "claude-code", true}, {".claude/agents/a.md", 7, "", true}, {".github/agents/b.agent.md", 4, "", true}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
