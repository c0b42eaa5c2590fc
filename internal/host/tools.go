package host

import "strings"

// AllTools returns the neutral names of the tools that hosts have in common. The neutral names are
// Claude Code's. If a host uses one name for two tools, the name refers to the tool that comes
// first in this list.
func AllTools() []string {
	return []string{
		"Read", "NotebookRead", "Edit", "Write", "MultiEdit", "NotebookEdit", "Grep", "Glob", "LS", "Bash", "WebFetch", "WebSearch",
		"Agent", "Task", "TodoWrite", "Skill", "AskUserQuestion",
	}
}

// ToolsNamed returns a [Host.Tools] function for a host in which each tool name refers to a single
// tool. If several neutral tools have the same name in the host, the function returns the first
// one.
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

// SameTool returns the tool name unchanged, for hosts that use the neutral names.
func SameTool(neutral string) string { return neutral }

// IsServerTool splits the neutral name of an MCP server's tool into the server and the tool. tool
// is "" if the name refers to all of the server's tools. ok is false if word is not such a name.
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

// Writes reports whether the tool with the given neutral name changes files or starts programs.
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

// MCPToolName returns "mcp__server__tool", or "mcp__server" if tool is "", which refers to all of a
// server's tools (format notes, section 3.4). Vade uses the same form for neutral names.
func MCPToolName(server, tool string) string {
	if tool == "" {
		return "mcp__" + server
	}
	return "mcp__" + server + "__" + tool
}
