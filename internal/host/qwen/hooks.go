package qwen

import "github.com/vadehq/vade/internal/host"

// hooks returns Qwen Code's hook events and handler types, and the other keys in the event map,
// according to HookEventName, getHookKey and HOOKS_CONFIG_FIELDS in the 0.24.4 bundle. It omits
// hooks of type "function", because only programs can add such hooks.
func hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Qwen Code",
		Events: []string{
			"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
			"UserPromptExpansion", "SessionStart", "SessionEnd", "SessionDelete", "Stop", "StopFailure", "MessageDisplay",
			"SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied",
			"TodoCreated", "TodoCompleted", "InstructionsLoaded",
		},
		Settings: []string{"enabled", "disabled", "notifications"},
		Types:    []string{"command", "http", "prompt"},
	}
}
