package qwen

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/gemini"
)

// export describes how definitions are written for Qwen Code.
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".qwen/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &host.ExportPlace{Dir: ".qwen/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".qwen/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax:       syntax,
		Tools:        &host.ExportTools{Name: tool, Server: host.MCPToolName},
		Model:        host.OwnModel,
		Instructions: &host.ExportInstructions{Whole: "QWEN.md", Imports: true},
		Basis:        host.FromSource, Source: "markdown-command-parser.ts, subagents/types.ts, tool-names.ts",
	}
}

// syntax returns Gemini CLI's syntax. It also applies to Markdown commands, which have an
// additional argument placeholder (n05, n05-1).
func syntax(k definition.Kind) *host.Syntax {
	s := gemini.Syntax(k)
	if s != nil {
		s.ShellAlls = []string{"$ARGUMENTS"}
	}
	return s
}

// tool returns Qwen Code's name for a tool (source: tools/tool-names.ts).
func tool(neutral string) string {
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
