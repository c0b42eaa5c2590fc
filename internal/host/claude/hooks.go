package claude

import "github.com/vadehq/vade/internal/host"

// Hooks returns Claude Code's hook events, as listed in the 2.1.330 binary, and its handler types,
// as given in its documentation. They apply to hooks in settings, plugins, skills and agents.
func Hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Claude Code",
		Events: []string{
			"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
			"UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
			"PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
			"Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
			"WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
			"MessageDisplay",
		},
		Types: []string{"command", "http", "mcp_tool", "prompt", "agent"},
	}
}
