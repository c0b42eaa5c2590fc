package host

import "strings"

// AllTools are the neutral words for the tools that hosts have in common, which are
// those of Claude Code. Of one word for two tools the first is the one that a list in a
// host's words means.
func AllTools() []string {
	return []string{
		"Read", "NotebookRead", "Edit", "Write", "MultiEdit", "NotebookEdit", "Grep", "Glob", "LS", "Bash", "WebFetch", "WebSearch",
		"Agent", "Task", "TodoWrite", "Skill", "AskUserQuestion",
	}
}

// ToolsNamed is the [Host.Tools] of a host that has one word for a tool: the first tool
// of the word.
func ToolsNamed(name func(neutral string) string) func(word string) []string {
	return func(word string) []string {
		for _, neutral := range AllTools() {
			if name(neutral) == word {
				return []string{neutral}
			}
		}
		return nil
	}
}

// SameTool is the name of a tool in a host that has the neutral words.
func SameTool(neutral string) string { return neutral }

// IsServerTool divides the neutral word for a tool of a server; tool is "" where it
// means all of them.
func IsServerTool(word string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(word, "mcp__")
	if !ok || rest == "" {
		return "", "", false
	}
	server, tool, _ = strings.Cut(rest, "__")
	if tool == "*" {
		tool = ""
	}
	return server, tool, server != ""
}

// Writes reports whether a tool, by its neutral word, changes files or starts
// programs.
func Writes(neutral string) bool {
	switch neutral {
	case "Read", "NotebookRead", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "Skill", "AskUserQuestion":
		return false
	}
	return true
}

func LineServerTool(prefix string) func(server, tool string) string {
	return func(server, tool string) string {
		if tool == "" {
			tool = "*"
		}
		return prefix + server + "_" + tool
	}
}

// MCPToolName: "mcp__server__tool", and "mcp__server" for all of them (formats dossier,
// section 3.4), which is the neutral word too.
func MCPToolName(server, tool string) string {
	if tool == "" {
		return "mcp__" + server
	}
	return "mcp__" + server + "__" + tool
}
