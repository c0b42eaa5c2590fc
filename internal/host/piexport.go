package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// piExport is how definitions are written for pi, which has no agents (observed:
// n05 to n07).
func piExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".pi/skills", File: "SKILL.md", Join: "-", Kebab: true, Name: true}
			case definition.Command:
				return &ExportPlace{Dir: ".pi/prompts", Suffix: ".md", Join: "-"}
			}
			return nil
		},
		Syntax:       piSyntax,
		Model:        ownModel,
		Instructions: &ExportInstructions{Whole: "AGENTS.md"},
		Basis:        Observed, Source: "n01 to n09; prompt-templates.js",
	}
}

// piSyntax is that of prompts; a skill is its body (n05, n07).
func piSyntax(k definition.Kind) *Syntax {
	if k != definition.Command {
		return nil
	}
	return &Syntax{All: "$ARGUMENTS", Alls: []string{"$@"}, Positions: true, Base: 1, Slices: true}
}
