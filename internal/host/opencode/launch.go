package opencode

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// launch describes opencode 1.18.33 (tested). Unless the environment variable in Env is set,
// opencode edits files and runs commands without asking, and none of its modes makes it ask.
func launch() *host.Launch {
	return &host.Launch{
		Install: "npm install -g opencode-ai",
		ACP:     []string{"opencode", "acp"}, Print: []string{"opencode", "run"},
		Env:   []string{`OPENCODE_PERMISSION={"edit":"ask","bash":"ask","webfetch":"ask"}`},
		Kinds: []definition.Kind{definition.Skill, definition.Command},
	}
}
