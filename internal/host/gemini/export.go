package gemini

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how definitions are written for Gemini CLI. Agents may use only Gemini's own
// tool names, according to agentLoader.ts in Gemini CLI's source code.
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".gemini/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &host.ExportPlace{Dir: ".gemini/commands", Suffix: ".toml", Format: definition.TOML, Body: "prompt", Join: "/"}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".gemini/agents", Suffix: ".md", Join: "-", Kebab: true, Name: true}
			}
			return nil
		},
		Syntax: Syntax,
		Tools:  &host.ExportTools{Name: tool, Server: host.LineServerTool("mcp_")},
		Model: func(name string) (string, bool) {
			if strings.HasPrefix(name, "gemini-") {
				return name, true
			}
			return host.OwnModel(name)
		},
		Instructions: &host.ExportInstructions{Whole: "GEMINI.md", Nested: true, Imports: true},
		Basis:        host.FromSource, Source: "FileCommandLoader.ts, agentLoader.ts, tool-names.ts",
	}
}

// Syntax returns the syntax of commands. Nothing in a skill is replaced (cases n05 and n07).
func Syntax(k definition.Kind) *host.Syntax {
	if k != definition.Command {
		return nil
	}
	return &host.Syntax{
		All: "{{args}}", Appended: true, ShellOpen: "!{", ShellClose: "}", Braces: true, ShellQuotes: true, ShellAll: "{{args}}", FileOpen: "@{", FileClose: "}",
	}
}

// tool returns Gemini CLI's name for a tool, according to tools/tool-names.ts in Gemini CLI's
// source code.
func tool(neutral string) string {
	return map[string]string{
		"Read": "read_file", "NotebookRead": "read_file", "Edit": "replace",
		"MultiEdit": "replace", "Write": "write_file", "Grep": "grep_search", "Glob": "glob",
		"LS": "list_directory", "Bash": "run_shell_command", "WebFetch": "web_fetch",
		"WebSearch": "google_web_search", "TodoWrite": "write_todos", "Skill": "activate_skill",
		"AskUserQuestion": "ask_user",
	}[neutral]
}

// neutralTools returns the neutral tools for a Gemini CLI name, including older
// names that the CLI still accepts.
func neutralTools(word string) []string {
	if word == "search_file_content" {
		return []string{"Grep"}
	}
	return host.ToolsNamed(tool)(word)
}
