package host

import "strings"

// toolRow is one tool by its neutral word, which is Claude Code's, and by those of
// other hosts; "" where a host has no such tool.
type toolRow struct{ neutral, copilot, gemini, opencode, qwen string }

// toolRows are the tools that hosts have in common. Copilot: its documented aliases,
// which VS Code has too (custom-agents-configuration, github/docs@03e038c). Gemini
// CLI and Qwen Code: source, tools/tool-names.ts; a name that was there before is
// still taken. opencode: documented. Of one word for two tools the first row is the
// one that a list in that host's words means.
func toolRows() []toolRow {
	return []toolRow{
		{"Read", "read", "read_file", "read", "read_file"},
		{"NotebookRead", "read", "read_file", "read", "read_file"},
		{"Edit", "edit", "replace", "edit", "edit"},
		{"Write", "edit", "write_file", "write", "write_file"},
		{"MultiEdit", "edit", "replace", "edit", "edit"},
		{"NotebookEdit", "edit", "", "", ""},
		{"Grep", "search", "grep_search", "grep", "grep_search"},
		{"Glob", "search", "glob", "glob", "glob"},
		{"LS", "search", "list_directory", "list", "list_directory"},
		{"Bash", "execute", "run_shell_command", "bash", "run_shell_command"},
		{"WebFetch", "web", "web_fetch", "webfetch", "web_fetch"},
		{"WebSearch", "web", "google_web_search", "websearch", "web_search"},
		{"Agent", "agent", "", "task", "agent"},
		{"Task", "agent", "", "task", "agent"},
		{"TodoWrite", "todo", "write_todos", "todowrite", "todo_write"},
		{"Skill", "", "activate_skill", "skill", "skill"},
		{"AskUserQuestion", "", "ask_user", "question", "ask_user_question"},
	}
}

// Tool is one tool by the words of the hosts; see [ToolNames].
type Tool struct {
	Neutral string
	// Hosts are the words in the order of [ToolColumns].
	Hosts []string
}

// ToolColumns names the hosts whose words [ToolNames] has.
func ToolColumns() []string {
	return []string{"claude-code, claude-sdk, agentskills", "copilot-cli, copilot-vscode", "gemini", "opencode", "qwen"}
}

// ToolNames returns the tools that hosts have in common, for people.
func ToolNames() []Tool {
	var list []Tool
	for _, r := range toolRows() {
		list = append(list, Tool{r.neutral, []string{r.neutral, r.copilot, r.gemini, r.opencode, r.qwen}})
	}
	return list
}

// NeutralTools returns the neutral words for a tool by the word of any host, which
// may be one for several tools; nil where no host has it. A tool of a server is
// "mcp__server__tool".
func NeutralTools(word string) []string {
	for _, r := range toolRows() {
		if r.neutral == word {
			return []string{word}
		}
	}
	if strings.HasPrefix(word, "mcp__") {
		return []string{word}
	}
	// VS Code: "set/tool" (documented: the reference of tools), in which the set is none
	// of a server.
	if set, tool, ok := strings.Cut(word, "/"); ok && isToolSet(set) {
		return setTools(set, tool)
	}
	// Copilot: "server/tool", "server/*".
	if server, tool, ok := strings.Cut(word, "/"); ok && server != "" && tool != "" && !strings.Contains(tool, "/") {
		if tool == "*" {
			tool = ""
		}
		return []string{claudeServerTool(server, tool)}
	}
	switch word {
	// The aliases of Copilot, and older names of VS Code's tools.
	case "read":
		return []string{"Read"}
	case "edit", "editFiles":
		return []string{"Edit", "Write"}
	case "search", "codebase", "usages":
		return []string{"Grep", "Glob"}
	case "execute", "shell", "powershell", "runCommands", "runInTerminal":
		return []string{"Bash"}
	case "web":
		return []string{"WebFetch", "WebSearch"}
	case "fetch":
		return []string{"WebFetch"}
	case "agent", "custom-agent", "runSubagent":
		return []string{"Agent"}
	case "todo", "todos":
		return []string{"TodoWrite"}
	case "search_file_content":
		return []string{"Grep"}
	}
	for _, r := range toolRows() {
		if word != "" && (word == r.gemini || word == r.opencode || word == r.qwen) {
			return []string{r.neutral}
		}
	}
	return nil
}

// isToolSet reports whether VS Code has a set of tools by a name (documented).
func isToolSet(set string) bool {
	switch set {
	case "read", "edit", "search", "execute", "web", "agent", "todo", "vscode", "browser":
		return true
	}
	return false
}

// setTools are the neutral words for a tool in one of the sets of VS Code; nil where
// no other host has such a tool.
func setTools(set, tool string) []string {
	switch set + "/" + tool {
	case "read/readFile":
		return []string{"Read"}
	case "read/getNotebookSummary":
		return []string{"NotebookRead"}
	case "edit/editFiles":
		return []string{"Edit"}
	case "edit/createFile":
		return []string{"Write"}
	case "edit/editNotebook":
		return []string{"NotebookEdit"}
	case "search/codebase", "search/textSearch", "search/usages":
		return []string{"Grep"}
	case "search/fileSearch":
		return []string{"Glob"}
	case "search/listDirectory":
		return []string{"LS"}
	case "execute/runInTerminal":
		return []string{"Bash"}
	case "web/fetch":
		return []string{"WebFetch"}
	case "agent/runSubagent":
		return []string{"Agent"}
	case "vscode/askQuestions":
		return []string{"AskUserQuestion"}
	}
	if tool == "*" {
		return NeutralTools(set)
	}
	return nil
}

// AllTools are the neutral words for the tools that hosts have in common.
func AllTools() []string {
	var list []string
	for _, r := range toolRows() {
		list = append(list, r.neutral)
	}
	return list
}

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

// toolIn returns the word of one column.
func toolIn(column func(toolRow) string) func(string) string {
	return func(neutral string) string {
		for _, r := range toolRows() {
			if r.neutral == neutral {
				return column(r)
			}
		}
		return ""
	}
}

// slashServerTool and lineServerTool are the words of Copilot and of the hosts that
// join a server and its tool by low lines (documented; source: mcp-tool.ts).
func slashServerTool(server, tool string) string {
	if tool == "" {
		tool = "*"
	}
	return server + "/" + tool
}

func lineServerTool(prefix string) func(server, tool string) string {
	return func(server, tool string) string {
		if tool == "" {
			tool = "*"
		}
		return prefix + server + "_" + tool
	}
}
