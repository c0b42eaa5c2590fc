package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// cursorExport is how definitions are written for Cursor (documented; formats
// dossier, section 8).
func cursorExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".cursor/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &ExportPlace{Dir: ".cursor/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &ExportPlace{Dir: ".cursor/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax: cursorSyntax,
		Tools:  &ExportTools{ReadOnly: readOnlyKey("readonly", definition.Value{Kind: definition.Bool, Text: "true", Plain: true})},
		Model: func(name string) (string, bool) {
			if name == "inherit" || name == "fast" {
				return name, true
			}
			return "", false
		},
		Drops: func(_ definition.Kind, f definition.Field) bool { return f == definition.FieldColor },
		Instructions: &ExportInstructions{
			Whole: "AGENTS.md", Nested: true, Dir: ".cursor/rules", Suffix: ".mdc", Paths: "globs", Always: "alwaysApply", Unquoted: true,
		},
		Basis: Documented, Source: "formats dossier, section 8",
	}
}

// cursorSyntax: what was typed follows the text of a command, and nothing is put in.
func cursorSyntax(k definition.Kind) *Syntax {
	if k != definition.Command && k != definition.Skill {
		return nil
	}
	return &Syntax{Appended: true}
}
