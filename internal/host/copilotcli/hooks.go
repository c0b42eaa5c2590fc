package copilotcli

import "github.com/vadehq/vade/internal/host"

// Hooks returns the hook events and handler types in .github/hooks, which Copilot CLI and VS Code
// share. The list includes both programs' event names, as given in the CLI's hooks reference and VS
// Code's documentation of agent hooks. The names were not tested.
func Hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Copilot",
		Events: []string{
			"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure",
			"agentStop", "subagentStart", "subagentStop", "preCompact", "permissionRequest", "notification", "errorOccurred",
			"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"Stop", "SubagentStart", "SubagentStop", "PreCompact", "PermissionRequest", "Notification", "ErrorOccurred",
		},
		Types: []string{"command", "prompt", "http"},
		Flat:  true,
	}
}
