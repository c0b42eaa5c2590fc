package host

import "testing"

func TestReadAgentFile(t *testing.T) {
	for _, test := range []struct {
		path string
		kind AgentFile
		own  bool
	}{
		{"~/.claude/settings.json", AgentSettings, true},
		{".claude/settings.local.json", AgentSettings, false},
		{`%USERPROFILE%\.codex\auth.json`, AgentLogin, true},
		{"$CODEX_HOME/config.toml", AgentSettings, true},
		{"~/.claude.json", AgentSettings, true},
		{"~/.claude/.credentials.json", AgentLogin, true},
		{"~/.claude/projects/x/y.jsonl", AgentHistory, true},
		{"/home/me/.codex/sessions", AgentHistory, true},
		{"~/.claude/CLAUDE.md", AgentMemory, true},
		{"CLAUDE.md", AgentMemory, false},
		{"./docs/AGENTS.md", AgentMemory, false},
		{".github/copilot-instructions.md", AgentMemory, false},
		{".claude/skills/deploy/SKILL.md", AgentDefinition, false},
		{"~/.config/opencode/opencode.json", AgentSettings, true},
		{"~/.openclaw/openclaw.json", AgentSettings, true},
		{"~/.openclaw/workspace/SOUL.md", AgentMemory, true},
		{".mcp.json", AgentSettings, false},
		{".cursor/rules/a.mdc", AgentMemory, false},
		{"src/settings.json", NoAgentFile, false},
		{"memory.md", NoAgentFile, false},
		{"my.claude/settings.json", NoAgentFile, false},
		{"", NoAgentFile, false},
	} {
		if kind, own := ReadAgentFile(test.path); kind != test.kind || own != test.own {
			t.Errorf("%s: %d %v, want %d %v", test.path, kind, own, test.kind, test.own)
		}
	}
}
