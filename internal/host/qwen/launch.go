package qwen

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes Qwen Code 0.24.4 (tested).
func launch() *host.Launch {
	return &host.Launch{
		Install: "npm install -g @qwen-code/qwen-code",
		ACP:     []string{"qwen", "--acp"},
		Mode:    "default",
		Kinds:   []definition.Kind{definition.Skill, definition.Command},
	}
}
