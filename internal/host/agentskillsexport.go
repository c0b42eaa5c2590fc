package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// agentSkillsExport is how skills are written for the open standard, which has
// skills alone (specification).
func agentSkillsExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			if k != definition.Skill {
				return nil
			}
			return &ExportPlace{Dir: ".agents/skills", File: "SKILL.md", Join: "-", Kebab: true, Name: true}
		},
		CommandAsSkill: true,
		Tools:          &ExportTools{Name: sameTool, Server: mcpToolName, Rules: true, Blanks: true},
		Model:          ownModel,
		Basis:          FromSource, Source: "specification; skills-ref/validator.py",
	}
}
