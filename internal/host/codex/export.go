package codex

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how to write definitions for Codex. Agents are TOML files, according to Codex's
// documentation. Codex no longer has commands and does not replace anything in bodies (cases n05
// and n07).
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".agents/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".codex/agents", Suffix: ".toml", Format: definition.TOML, Body: "developer_instructions", Join: "-", Name: true}
			}
			return nil
		},
		// Commands are exported to .codex/skills because only Codex and Cursor read it (see case
		// n01 and Cursor's documentation). Nearly all hosts read .agents/skills, so many of them
		// would load both the command and the skill.
		CommandAsSkill: true, CommandDir: ".codex/skills",
		// From the source (core-skills/src/loader.rs).
		Manual:       &host.ExportExtra{Path: "agents/openai.yaml", Text: "policy:\n  allow_implicit_invocation: false\n"},
		Tools:        &host.ExportTools{ReadOnly: host.ReadOnlyKey("sandbox_mode", definition.Value{Kind: definition.String, Text: "read-only"})},
		Model:        host.OwnModel,
		Instructions: &host.ExportInstructions{Whole: "AGENTS.md", Nested: true},
		Basis:        host.Observed, Source: "n01 to n09; format notes, section 4",
	}
}

// promptSyntax returns the syntax of custom prompts, which Codex supported until 0.116 (see Codex's
// documentation and the format notes, section 10.5).
func promptSyntax(definition.Kind) *host.Syntax {
	return &host.Syntax{All: "$ARGUMENTS", Positions: true, Base: 1}
}
