package copilotcli

import (
	_ "embed" // for the module
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

//go:embed vade-options.ts
var module string

// options describes the Copilot SDK for TypeScript, whose sessions run the Copilot CLI. The fields
// come from the SessionConfig and CustomAgentConfig types in types.d.ts, version 1.0.14.
func options() *host.AgentSDK {
	return &host.AgentSDK{
		Name: "copilot-sdk", Version: "1.0.14", Form: host.SessionConfig, Module: module,
		Tool: "loadSkill",
		Unsupported: []definition.Field{
			definition.FieldMaxTurns, definition.FieldMemory, definition.FieldBackground, definition.FieldInitialPrompt,
			definition.FieldPermissionMode,
		},
		// The CLI also accepts the neutral names (observed).
		ToolName: func(name string) string {
			server, tool, ok := host.IsServerTool(name)
			if !ok {
				return name
			}
			if tool == "" {
				tool = "*"
			}
			return server + "/" + tool
		},
		// Models have names such as claude-sonnet-4.5 and gpt-5.
		Model:    func(name string) bool { return strings.Contains(name, "-") },
		Efforts:  []string{"low", "medium", "high", "xhigh", "max"},
		SkillDir: "Base directory for this skill: ",
	}
}
