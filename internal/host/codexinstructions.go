package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// codexInstructions are those of Codex 0.169.0: the override takes the place of
// AGENTS.md in its own directory (n02), nothing else is read and nothing imported
// (n02, n03, n04). The order, the length and the wrapping are source
// (codex-rs/core/src/agents_md.rs).
func codexInstructions() *Instructions {
	const override, agents = "AGENTS.override.md", "AGENTS.md"
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".codex", File: override, Group: "codex", SkipEmpty: true},
			{Layer: user, Source: SourceUser, Dir: ".codex", File: agents, Group: "codex", SkipEmpty: true},
			{Layer: project, Source: SourceProject, File: override, Group: "codex", NotNested: true},
			{Layer: project, Source: SourceProject, File: agents, Group: "codex", NotNested: true},
		},
		MaxFile: maxNeutralFile, MaxTotal: 32 << 10, Whole: true, Exact: true,
		Compose: codexCompose, Closer: "</INSTRUCTIONS>",
	}
}

func codexCompose(s InstructionSession, files []InstructionText) []InstructionMessage {
	var own, project []string
	for _, f := range files {
		if f.Layer == definition.User {
			own = append(own, strings.TrimSpace(f.Text))
		} else {
			project = append(project, f.Text)
		}
	}
	text := strings.Join(own, "\n\n")
	if len(own) > 0 && len(project) > 0 {
		text += "\n\n--- project-doc ---\n\n"
	}
	text += strings.Join(project, "\n\n")
	return []InstructionMessage{{
		"user", "# AGENTS.md instructions for " + s.WorkDir + "\n\n<INSTRUCTIONS>\n" + text + "\n</INSTRUCTIONS>",
	}}
}
