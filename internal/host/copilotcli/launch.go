package copilotcli

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes Copilot CLI 1.0.102 (tested). It asks for permission unless allow_all is on.
func launch() *host.Launch {
	return &host.Launch{
		Install: "npm install -g @github/copilot",
		ACP:     []string{"copilot", "--acp"},
		Kinds:   []definition.Kind{definition.Skill, definition.Command},
		Login:   "run copilot login",
	}
}
