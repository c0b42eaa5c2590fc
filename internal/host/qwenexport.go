package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// qwenExport is how definitions are written for Qwen Code.
func qwenExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".qwen/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &ExportPlace{Dir: ".qwen/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &ExportPlace{Dir: ".qwen/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax:       qwenSyntax,
		Tools:        &ExportTools{Name: qwenTool, Server: mcpToolName},
		Model:        ownModel,
		Instructions: &ExportInstructions{Whole: "QWEN.md", Imports: true},
		Basis:        FromSource, Source: "markdown-command-parser.ts, subagents/types.ts, tool-names.ts",
	}
}

// qwenSyntax is that of Gemini CLI, in Markdown too, where a command may have
// another place for the arguments (n05, n05-1).
func qwenSyntax(k definition.Kind) *Syntax {
	s := geminiSyntax(k)
	if s != nil {
		s.ShellAlls = []string{"$ARGUMENTS"}
	}
	return s
}

// qwenTool is its name of a tool (source: tools/tool-names.ts).
func qwenTool(neutral string) string {
	switch neutral {
	case "Read", "NotebookRead":
		return "read_file"
	case "Edit", "MultiEdit":
		return "edit"
	case "Write":
		return "write_file"
	case "Grep":
		return "grep_search"
	case "Glob":
		return "glob"
	case "LS":
		return "list_directory"
	case "Bash":
		return "run_shell_command"
	case "WebFetch":
		return "web_fetch"
	case "WebSearch":
		return "web_search"
	case "Agent", "Task":
		return "agent"
	case "TodoWrite":
		return "todo_write"
	case "Skill":
		return "skill"
	case "AskUserQuestion":
		return "ask_user_question"
	}
	return ""
}
