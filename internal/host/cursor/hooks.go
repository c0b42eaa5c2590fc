package cursor

import "github.com/vadehq/vade/internal/host"

// hooks returns Cursor's hook events and handler types, according to the Hooks page of Cursor's
// documentation (cursor.com/docs).
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
