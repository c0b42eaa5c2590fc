package codex

import "github.com/vadehq/vade/internal/host"

// hooks returns Codex's hook events and handler types. They come from HookEventsToml and
// HookHandlerConfig in Codex's source file config/hook_config.rs, and from the events in the
// 0.169.0 binary. The binary parses prompt and agent handlers but never runs them. The hooks table
// in config.toml also records which hooks the user trusts.
func hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Codex",
		Events: []string{
			"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "SessionEnd",
			"UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest",
		},
		Settings: []string{"state"},
		Types:    []string{"command", "mcp_tool"},
	}
}
