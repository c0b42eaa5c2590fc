package vade

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/prompt"
)

// TestSDKSkillsForAgents checks that a skill restricted to certain agents appears only in those
// agents' prompts, and not in any other exported file.
func TestSDKSkillsForAgents(t *testing.T) {
	files := map[string]string{
		".git/HEAD":                         "ref: refs/heads/main\n",
		".github/agents/architect.agent.md": "---\nname: architect\ndescription: Designs.\n---\nDesign.\n",
		".github/agents/coder.agent.md":     "---\nname: coder\ndescription: Codes.\nuseSkills: [plans, style]\n---\nCode.\n",
		".github/skills/plans/SKILL.md":     "---\nname: plans\ndescription: The plans.\nagents: [architect]\n---\nPLANS-TEXT\n",
		".github/skills/style/SKILL.md":     "---\nname: style\ndescription: The style.\nagents: ['*']\n---\nSTYLE-TEXT\n",
	}
	c, err := catalog.Open(context.Background(), layProject(t, files))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := export.To(context.Background(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	var options struct {
		Agents       map[string]struct{ Prompt string }
		SystemPrompt struct{ Append string }
	}
	for _, f := range x.Files {
		text := string(f.Data)
		if strings.HasSuffix(f.Path, "options.json") {
			if err := json.Unmarshal(f.Data, &options); err != nil {
				t.Fatal(err)
			}
		} else if strings.Contains(text, "PLANS-TEXT") || strings.Contains(text, "The plans.") {
			t.Errorf("%s has it:\n%s", f.Path, text)
		}
	}
	coder, architect := options.Agents["coder"].Prompt, options.Agents["architect"].Prompt
	for name, text := range map[string]string{"coder": coder, "all": options.SystemPrompt.Append} {
		if strings.Contains(text, "PLANS-TEXT") || strings.Contains(text, "The plans.") {
			t.Errorf("%s has it:\n%s", name, text)
		}
	}
	if !strings.Contains(architect, "PLANS-TEXT") || !strings.Contains(coder, "STYLE-TEXT") || !strings.Contains(architect, "The style.") {
		t.Errorf("architect:\n%s\ncoder:\n%s", architect, coder)
	}
	said := false
	for _, l := range x.Losses {
		said = said || strings.Contains(l.Message, "appears only in their prompts")
	}
	if !said {
		t.Errorf("%+v", x.Losses)
	}
}

// TestSDKMissingSkillIsAWarning checks that an agent whose skill is missing is
// exported with a warning.
func TestSDKMissingSkillIsAWarning(t *testing.T) {
	c, err := catalog.Open(context.Background(), layProject(t, map[string]string{
		".github/agents/architect.agent.md": "---\nname: architect\ndescription: Designs.\nuseSkills: [plnas]\n---\nDesign.\n",
		".github/skills/style/SKILL.md":     "---\nname: style\ndescription: The style.\n---\nStyle.\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := export.To(context.Background(), c, export.Request{Host: "claude-sdk"})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Diagnostics) > 0 || len(x.LeftOut()) > 0 {
		t.Errorf("%v %v", x.Diagnostics, x.LeftOut())
	}
	if len(x.Losses) != 1 || !strings.Contains(x.Losses[0].Message, `preloads the unknown skill "plnas"`) || x.Losses[0].Fix != "create it, or remove it from the agent's skills" {
		t.Errorf("%+v", x.Losses)
	}
	p, err := prompt.Build(context.Background(), c, prompt.Request{Agent: "architect"})
	if err != nil || len(p.Diagnostics) != 1 || p.Diagnostics[0].Severity != diag.Warning {
		t.Errorf("%v %v", err, p.Diagnostics)
	}
}
