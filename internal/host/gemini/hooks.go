package gemini

import "github.com/vadehq/vade/internal/host"

// hooks returns Gemini CLI's hook events and handler types, and the other keys in the event map,
// according to HookEventName, HookType and HOOKS_CONFIG_FIELDS in Gemini CLI's source code.
func hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Gemini CLI",
		Events: []string{
			"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection",
			"SessionStart", "SessionEnd", "PreCompress", "Notification",
		},
		Settings: []string{"enabled", "disabled", "notifications"},
		Types:    []string{"command"},
	}
}
