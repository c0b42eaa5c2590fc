package codex

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes the adapter @agentclientprotocol/codex-acp 2.6.0 and codex exec 0.169.0 (both
// tested). The adapter announces skills with the prefix "$".
func launch() *host.Launch {
	return &host.Launch{
		Install: "npm install -g @agentclientprotocol/codex-acp",
		ACP:     []string{"codex-acp"}, Print: []string{"codex", "exec", "-"},
		Mode:  "read-only",
		Kinds: []definition.Kind{definition.Skill}, Prefix: "$",
	}
}
