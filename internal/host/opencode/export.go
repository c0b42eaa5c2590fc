package opencode

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how to write definitions for opencode. Tools are written as switches, and the
// switch for all tools comes first, according to opencode's documentation.
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".opencode/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &host.ExportPlace{Dir: ".opencode/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".opencode/agents", Suffix: ".md", Join: "-"}
			}
			return nil
		},
		Syntax: syntax,
		Tools: &host.ExportTools{
			Name: tool, Server: host.LineServerTool(""), Form: host.ToolSwitches, Key: "tools",
		},
		// A model name includes a provider, which the user must choose.
		Model: func(name string) (string, bool) {
			if provider, model, ok := strings.Cut(name, "/"); ok && provider != "" && model != "" && !strings.ContainsAny(name, " ") {
				return name, true
			}
			return host.OwnModel(name)
		},
		Instructions: &host.ExportInstructions{Whole: "AGENTS.md", Nested: true},
		Basis:        host.FromSource, Source: "config/command.ts, config/agent.ts; format notes, section 7",
	}
}

// syntax returns the syntax of commands and skills. Both are templates (cases n05 and n07).
func syntax(k definition.Kind) *host.Syntax {
	if k == definition.Agent || k == definition.Instruction {
		return nil
	}
	return &host.Syntax{
		All: "$ARGUMENTS", Positions: true, Base: 1, Rest: true, Appended: true,
		ShellOpen: "!`", ShellClose: "`", ShellAll: "$ARGUMENTS", FileOpen: "@",
	}
}

// tool returns opencode's name for a tool, according to opencode's documentation.
func tool(neutral string) string {
	return map[string]string{
		"Read": "read", "NotebookRead": "read", "Edit": "edit", "MultiEdit": "edit",
		"Agent": "task", "Task": "task", "LS": "list", "AskUserQuestion": "question",
		"Write": "write", "Grep": "grep", "Glob": "glob", "Bash": "bash", "WebFetch": "webfetch",
		"WebSearch": "websearch", "TodoWrite": "todowrite", "Skill": "skill",
	}[neutral]
}
