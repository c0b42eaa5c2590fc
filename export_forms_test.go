package vade_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
)

// TestExportedAllowedToolsHaveSpaces checks that commas become spaces, because
// the open standard separates tools with spaces.
func TestExportedAllowedToolsHaveSpaces(t *testing.T) {
	skill := func(tools string) map[string]string {
		return map[string]string{".github/skills/a/SKILL.md": "---\nname: a\ndescription: d\nallowed-tools: " + tools + "\n---\na\n"}
	}
	for tools, want := range map[string]string{
		"Read, Grep, Bash(git add:*)": "allowed-tools: \"Read Grep Bash(git add:*)\"\n", "[Read, Grep]": "allowed-tools: Read Grep\n", "Read Grep": "allowed-tools: Read Grep\n",
	} {
		e := exportOf(t, "agentskills", skill(tools))
		if text := textsOf(e)[".agents/skills/a/SKILL.md"]; !strings.Contains(text, want) || len(e.Losses) > 0 {
			t.Errorf("%s:\n%s\n%v", tools, text, e.Losses)
		}
	}
}

// TestCommandsAsSkillsDirectory checks that a command that is exported as a skill for one host is
// not written to a directory that many hosts read, and that a skill with the same name takes
// precedence.
func TestCommandsAsSkillsDirectory(t *testing.T) {
	files := map[string]string{
		".agents/commands/go.md": "---\ndescription: d\n---\nGo.\n", ".agents/commands/up.md": "---\ndescription: d\n---\nUp.\n",
		".agents/skills/up/SKILL.md": "---\nname: up\ndescription: d\n---\nUp.\n",
	}
	e := exportOf(t, "codex", files)
	texts := textsOf(e)
	if texts[".codex/skills/go/SKILL.md"] == "" || texts[".agents/skills/up/SKILL.md"] == "" || texts[".codex/skills/up/SKILL.md"] != "" || texts[".codex/skills/up/agents/openai.yaml"] != "" {
		t.Errorf("%v", texts)
	}
	if !hasLoss(e, ".agents/commands/up.md", "name", ".agents/skills/up/SKILL.md is a skill with the same name", 0) {
		t.Errorf("%v", e.Losses)
	}
	for _, host := range []string{"gemini", "opencode", "copilot-cli", "claude-code", "pi", "qwen"} {
		c := inMemory(t, texts, host)
		list, err := c.List(t.Context(), catalog.Query{All: true})
		must(t, err)
		if slices.ContainsFunc(list, func(d catalog.Definition) bool { return strings.HasPrefix(d.Path(), ".codex/") }) {
			t.Errorf("%s reads the command", host)
		}
		c.Close()
	}
}

// TestCommandsWithoutText covers commands in a package.json file.
func TestCommandsWithoutText(t *testing.T) {
	files := map[string]string{"package.json": `{"name":"x","contributes":{"chatParticipants":[{"id":"p","name":"p","commands":[{"name":"fix","description":"Fixes it"}]}]}}`}
	for _, host := range export.Hosts() {
		e := exportOf(t, host, files)
		if len(e.Files) > 0 || len(e.Losses) != 1 || e.Losses[0].What != "text" || !e.Losses[0].Whole || e.Losses[0].Fix == "" {
			t.Errorf("%s: %v %v", host, e.Files, e.Losses)
		}
	}
	files[".github/commands/fix.command.md"] = "---\ndescription: Fixes it\n---\nFix it.\n"
	if e := exportOf(t, "copilot-vscode", files); !strings.Contains(textsOf(e)[".github/prompts/fix.prompt.md"], "Fix it.") {
		t.Errorf("a file in its place: %v", e.Losses)
	}
}

// TestInstructionsForOneAgent exports instructions that apply to a single agent. The loss must
// suggest moving them to the body of that agent.
func TestInstructionsForOneAgent(t *testing.T) {
	const rules = ".github/instructions/ada.instructions.md"
	for _, host := range export.Hosts() {
		e := exportOf(t, host, map[string]string{
			".github/agents/ada.agent.md": "---\nname: ada\ndescription: d\n---\nAda.\n", rules: "---\nagents: [ada]\n---\nBe brief.\n",
		})
		if host != "agentskills" && !slices.ContainsFunc(e.Losses, func(l export.HostLoss) bool {
			return l.Source == rules && l.What == "activation" && l.Whole && strings.Contains(l.Fix, "the body of the agent ada")
		}) {
			t.Errorf("%s: %v", host, e.Losses)
		}
		for name, text := range textsOf(e) {
			if strings.Contains(text, "Be brief.") && name != rules {
				t.Errorf("%s: %s has them", host, name)
			}
		}
	}
}

// TestInputHintsAreKept checks that hints for a prompt file's inputs become the argument hint.
func TestInputHintsAreKept(t *testing.T) {
	e := exportOf(t, "claude-code", map[string]string{".github/prompts/new.prompt.md": "---\ndescription: d\n---\nMake ${input:name:the name of it} in ${input:dir}.\n"})
	text := textsOf(e)[".claude/commands/new.md"]
	if !strings.Contains(text, "argument-hint: \"[name: the name of it] [dir]\"\n") || !strings.Contains(text, "arguments:\n  - name\n  - dir\n") || !strings.Contains(text, "Make $name in $dir.\n") {
		t.Error(text)
	}
	back := exportOf(t, "copilot-vscode", map[string]string{".claude/commands/new.md": text})
	if text := textsOf(back)[".github/prompts/new.prompt.md"]; !strings.Contains(text, "Make ${input:name} in ${input:dir}.\n") {
		t.Error(text)
	}
}

// TestUnreadFieldsAreLosses checks the losses for a file that is read in place but interpreted
// differently.
func TestUnreadFieldsAreLosses(t *testing.T) {
	const agent = ".github/agents/ada.agent.md"
	e := exportOf(t, "copilot-vscode", map[string]string{agent: "<!-- x -->\n\n---\nname: ada\ndescription: d\n---\nAda.\n"})
	if !hasLoss(e, agent, "text", "does not recognize the file's fields", 1) {
		t.Errorf("%v", e.Losses)
	}
	e = exportOf(t, "copilot-vscode", map[string]string{agent: "---\nname: ada\ndescription: d\n---\nAda.\n"})
	if len(e.Losses) > 0 {
		t.Errorf("%v", e.Losses)
	}
}

// TestUnexportedHasOneLoss checks that a definition that is not exported has a
// single loss, which gives the reason.
func TestUnexportedHasOneLoss(t *testing.T) {
	c := inMemory(t, map[string]string{
		".agents/agents/a.md":       "---\nname: a\ndescription: d\nmodel: opus\ncolor: red\nweird: 1\ndisallowedTools: Bash\n---\nx\n",
		".agents/agents/b.md":       "---\nname: b\ndescription: d\nmodel: opus\ncolor: red\nweird: 1\ntools: Edit\n---\nx\n",
		".agents/agents/c.md":       "---\nname: c\ndescription: d\nweird: 1\n---\nx\n",
		".claude/rules/go.md":       "---\npaths: \"*.go\"\nweird: 1\n---\nx\n",
		".agents/commands/x.md":     "---\ndescription: d\nweird: 1\n---\nx\n",
		".agents/commands/x/y.md":   "---\ndescription: d\n---\nx\n",
		".agents/commands/s.md":     "---\ndescription: d\nweird: 1\n---\nx\n",
		".agents/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nx\n",
	}, "")
	defer c.Close()
	e, err := export.To(context.Background(), c, export.Request{Host: "codex"})
	must(t, err)
	var got []string
	for _, l := range e.Losses {
		got = append(got, l.Name+" "+l.What)
		switch {
		case l.Name == "a" && (!strings.Contains(l.Fix, "deny Bash in the host's settings") || strings.Contains(l.Fix, "add Bash if")),
			l.Name == "b" && !strings.Contains(l.Fix, "add Bash if"):
			t.Errorf("%s: the fix is %q", l.Name, l.Fix)
		}
	}
	if want := "a tool, b tool, c field, s name, x kind, x field, x:y kind, x:y name, go activation"; strings.Join(got, ", ") != want {
		t.Errorf("lost are %s, want %s", strings.Join(got, ", "), want)
	}
}
