package gemini

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes Gemini CLI 0.61.0 (asked). It announces commands only.
func launch() *host.Launch {
	return &host.Launch{
		ACP:   []string{"gemini", "--acp"},
		Mode:  "default",
		Kinds: []definition.Kind{definition.Command},
	}
}
