package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// openCodeExport is how definitions are written for opencode. Tools are switches
// (documented): the first, for all of them, comes before the others.
func openCodeExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".opencode/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &ExportPlace{Dir: ".opencode/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &ExportPlace{Dir: ".opencode/agents", Suffix: ".md", Join: "-"}
			}
			return nil
		},
		Syntax: openCodeSyntax,
		Tools: &ExportTools{
			Name: openCodeTool, Server: lineServerTool(""), Form: ToolSwitches, Key: "tools",
		},
		// A model has its provider before it, which is the user's to choose.
		Model: func(name string) (string, bool) {
			if provider, model, ok := strings.Cut(name, "/"); ok && provider != "" && model != "" && !strings.ContainsAny(name, " ") {
				return name, true
			}
			return ownModel(name)
		},
		Instructions: &ExportInstructions{Whole: "AGENTS.md", Nested: true},
		Basis:        FromSource, Source: "config/command.ts, config/agent.ts; formats dossier, section 7",
	}
}

// openCodeSyntax: commands and skills alike are templates (n05, n07).
func openCodeSyntax(k definition.Kind) *Syntax {
	if k == definition.Agent || k == definition.Instruction {
		return nil
	}
	return &Syntax{
		All: "$ARGUMENTS", Positions: true, Base: 1, Rest: true, Appended: true,
		ShellOpen: "!`", ShellClose: "`", ShellAll: "$ARGUMENTS", FileOpen: "@",
	}
}

// openCodeTool is its name of a tool (documented).
func openCodeTool(neutral string) string {
	switch neutral {
	case "Read", "NotebookRead":
		return "read"
	case "Edit", "MultiEdit":
		return "edit"
	case "Agent", "Task":
		return "task"
	case "LS":
		return "list"
	case "AskUserQuestion":
		return "question"
	case "Write", "Grep", "Glob", "Bash", "WebFetch", "WebSearch", "TodoWrite", "Skill":
		return strings.ToLower(neutral)
	}
	return ""
}
