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
// additional argument placeholder (cases n05 and n05-1).
func syntax(k definition.Kind) *host.Syntax {
	s := gemini.Syntax(k)
	if s != nil {
		s.ShellAlls = []string{"$ARGUMENTS"}
	}
	return s
}

// tool returns Qwen Code's name for a tool, according to tools/tool-names.ts in Qwen Code's source
// code.
func tool(neutral string) string {
	return map[string]string{
		"Read": "read_file", "NotebookRead": "read_file", "Edit": "edit", "MultiEdit": "edit",
		"Write": "write_file", "Grep": "grep_search", "Glob": "glob", "LS": "list_directory",
		"Bash": "run_shell_command", "WebFetch": "web_fetch", "WebSearch": "web_search",
		"Agent": "agent", "Task": "agent", "TodoWrite": "todo_write", "Skill": "skill",
		"AskUserQuestion": "ask_user_question",
	}[neutral]
}
