package cursor

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how definitions are written for Cursor (see Cursor's documentation and the
// format notes, section 8).
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".cursor/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Command:
				return &host.ExportPlace{Dir: ".cursor/commands", Suffix: ".md", Join: "/"}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".cursor/agents", Suffix: ".md", Join: "-", Name: true}
			}
			return nil
		},
		Syntax: syntax,
		Tools:  &host.ExportTools{ReadOnly: host.ReadOnlyKey("readonly", definition.Value{Kind: definition.Bool, Text: "true", Plain: true})},
		Model: func(name string) (string, bool) {
			if name == "inherit" || name == "fast" {
				return name, true
			}
			return "", false
		},
		Drops: func(_ definition.Kind, f definition.Field) bool { return f == definition.FieldColor },
		Instructions: &host.ExportInstructions{
			Whole: "AGENTS.md", Nested: true, Dir: ".cursor/rules", Suffix: ".mdc", Paths: "globs", Always: "alwaysApply", Unquoted: true,
		},
		Basis: host.Documented, Source: "format notes, section 8",
	}
}

// syntax returns Cursor's syntax: the user's input is appended to the body, and nothing in the body
// is replaced.
func syntax(k definition.Kind) *host.Syntax {
	if k != definition.Command && k != definition.Skill {
		return nil
	}
	return &host.Syntax{Appended: true}
}
