package copilotcli

import "github.com/vadehq/vade/internal/host"

// Hooks returns the hook events and handler types in .github/hooks, which Copilot CLI and VS Code
// share. The list includes both programs' event names (documented: CLI hooks reference, VS Code
// agent hooks; not tested).
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
