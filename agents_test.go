package vade

import (
	"context"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
)

// TestEmptyAgents checks that only people may call a definition whose list of
// agents is empty or invalid.
func TestEmptyAgents(t *testing.T) {
	c, err := catalog.Open(context.Background(), layProject(t, map[string]string{
		".git/HEAD":                     "ref: refs/heads/main\n",
		".github/skills/none/SKILL.md":  "---\nname: none\ndescription: For nobody.\nagents: []\n---\nText.\n",
		".github/skills/every/SKILL.md": "---\nname: every\ndescription: For all.\nagents:\n---\nText.\n",
		".github/skills/map/SKILL.md":   "---\nname: map\ndescription: No list.\nagents: {coder: true}\n---\nText.\n",
		".github/skills/flag/SKILL.md":  "---\nname: flag\ndescription: No list.\nagents: false\n---\nText.\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, may := range map[string]bool{"none": false, "every": true, "map": false, "flag": false} {
		if _, err := c.LoadSkill(context.Background(), "coder", name); (err == nil) != may {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.LoadSkill(context.Background(), "", name); err != nil {
			t.Errorf("a person and %s: %v", name, err)
		}
	}
}
