package pi

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how to write definitions for pi, which has no agents (cases n05 to n07).
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".pi/skills", File: "SKILL.md", Join: "-", Kebab: true, Name: true}
			case definition.Command:
				return &host.ExportPlace{Dir: ".pi/prompts", Suffix: ".md", Join: "-"}
			}
			return nil
		},
		Syntax:       syntax,
		Model:        host.OwnModel,
		Instructions: &host.ExportInstructions{Whole: "AGENTS.md"},
		Basis:        host.Observed, Source: "n01 to n09; prompt-templates.js",
	}
}

// syntax returns the syntax of prompts. Nothing in a skill is replaced (cases n05 and n07).
func syntax(k definition.Kind) *host.Syntax {
	if k != definition.Command {
		return nil
	}
	return &host.Syntax{All: "$ARGUMENTS", Alls: []string{"$@"}, Positions: true, Base: 1, Slices: true}
}
