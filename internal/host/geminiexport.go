package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// geminiExport is how definitions are written for Gemini CLI. Its own names of
// tools are the only ones that an agent may have (source: agentLoader.ts).
func geminiExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".gemini/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &ExportPlace{Dir: ".gemini/commands", Suffix: ".toml", Format: definition.TOML, Body: "prompt", Join: "/"}
			case definition.Agent:
				return &ExportPlace{Dir: ".gemini/agents", Suffix: ".md", Join: "-", Kebab: true, Name: true}
			}
			return nil
		},
		Syntax: geminiSyntax,
		Tools:  &ExportTools{Name: toolIn(func(r toolRow) string { return r.gemini }), Server: lineServerTool("mcp_")},
		Model: func(name string) (string, bool) {
			if strings.HasPrefix(name, "gemini-") {
				return name, true
			}
			return ownModel(name)
		},
		Instructions: &ExportInstructions{Whole: "GEMINI.md", Nested: true, Imports: true},
		Basis:        FromSource, Source: "FileCommandLoader.ts, agentLoader.ts, tool-names.ts",
	}
}

// geminiSyntax is that of commands; nothing in a skill is replaced (n05, n07).
func geminiSyntax(k definition.Kind) *Syntax {
	if k != definition.Command {
		return nil
	}
	return &Syntax{
		All: "{{args}}", Appended: true, ShellOpen: "!{", ShellClose: "}", Braces: true, ShellQuotes: true, ShellAll: "{{args}}", FileOpen: "@{", FileClose: "}",
	}
}
