package gemini

import "github.com/vadehq/vade/internal/host"

// launch describes Gemini CLI 0.61.0 (tested). It announces only its own commands.
func launch() *host.Launch {
	return &host.Launch{
		ACP: []string{"gemini", "--acp"}, Mode: "default", Install: "npm install -g @google/gemini-cli",
	}
}
