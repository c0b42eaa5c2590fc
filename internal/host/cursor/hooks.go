package cursor

import "github.com/vadehq/vade/internal/host"

// hooks returns Cursor's hook events and handler types (documented: cursor.com/docs, Hooks).
func hooks() *host.HookRules {
	return &host.HookRules{
		Host: "Cursor",
		Events: []string{
			"sessionStart", "sessionEnd", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart", "subagentStop",
			"beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile",
			"afterFileEdit", "beforeSubmitPrompt", "preCompact", "stop", "afterAgentResponse", "afterAgentThought",
			"beforeTabFileRead", "afterTabFileEdit", "workspaceOpen",
		},
		Types: []string{"", "command", "prompt"},
		Flat:  true,
	}
}
