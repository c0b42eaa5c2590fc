package claude

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes the adapter @agentclientprotocol/claude-agent-acp 0.101.0 and Claude Code's own
// print mode. Both were tested against a local model service. The adapter starts in the mode that
// the settings select, which may be a mode that never asks for permission.
func launch() *host.Launch {
	return &host.Launch{
		Install: "npm install -g @agentclientprotocol/claude-agent-acp",
		ACP:     []string{"claude-agent-acp"}, Print: []string{"claude", "-p"},
		Mode: "default", SystemPrompt: true,
		Kinds: []definition.Kind{definition.Skill, definition.Command},
	}
}
