package discover

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHostEnvironment tests variables that override the user's directories or add to them.
func TestHostEnvironment(t *testing.T) {
	h := newFixture(t, []string{
		"h/.codex/skills/old/SKILL.md", "h/.copilot/skills/old/SKILL.md", "h/.gemini/skills/old/SKILL.md", "h/.pi/agent/skills/old/SKILL.md",
		"h/.qwen/skills/old/SKILL.md", "h/.config/opencode/skills/old/SKILL.md",
		"x/skills/new/SKILL.md", "x/.gemini/skills/new/SKILL.md", "x/opencode/skills/new/SKILL.md",
		"x/list/new/SKILL.md", "own/new/SKILL.md", "x/rules/AGENTS.md", "x/rules/.github/instructions/a.instructions.md",
	}, nil)
	x := filepath.ToSlash(filepath.Join(h.dir, "x"))
	for _, key := range []string{"CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "PI_CODING_AGENT_DIR", "QWEN_HOME", "XDG_CONFIG_HOME", "OPENCODE_CONFIG_DIR"} {
		h.env[key] = x
	}
	h.env["COPILOT_SKILLS_DIRS"] = x + "/list, own,," + x + "/none"
	h.env["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"] = x + "/rules"
	for name, want := range map[string]string{
		"codex":       "x/skills/new/SKILL.md",
		"copilot-cli": "x/skills/new/SKILL.md x/list/new/SKILL.md own/new/SKILL.md x/rules/AGENTS.md x/rules/.github/instructions/a.instructions.md",
		"gemini":      "x/.gemini/skills/new/SKILL.md",
		"pi":          "x/skills/new/SKILL.md",
		"qwen":        "x/skills/new/SKILL.md",
		"opencode":    "x/opencode/skills/new/SKILL.md x/skills/new/SKILL.md",
	} {
		loaded, _ := h.scan(t, name, false)
		if diff := cmp.Diff(list(want), loaded); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestInstalledDirectories tests hosts that keep plugins in their own directory.
func TestInstalledDirectories(t *testing.T) {
	h := newFixture(t, []string{
		`h/.gemini/extensions/e/gemini-extension.json={"name": "e"}`, "h/.gemini/extensions/e/skills/s/SKILL.md", "h/.gemini/extensions/e/commands/c.toml",
		"h/.gemini/extensions/none/skills/s/SKILL.md",
		`h/.qwen/extensions/q/qwen-extension.json={"name": "q"}`, "h/.qwen/extensions/q/skills/s/SKILL.md", "h/.qwen/extensions/q/QWEN.md",
	}, nil)
	for name, want := range map[string]string{
		"gemini": "h/.gemini/extensions/e/skills/s/SKILL.md h/.gemini/extensions/e/commands/c.toml",
		"qwen":   "h/.qwen/extensions/q/skills/s/SKILL.md h/.qwen/extensions/q/QWEN.md",
	} {
		loaded, _ := h.scan(t, name, false)
		if diff := cmp.Diff(list(want), loaded); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
