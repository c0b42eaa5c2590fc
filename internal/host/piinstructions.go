package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// piInstructions are those of pi 0.73.1: the user's, and of each directory of the
// project AGENTS.md, or else CLAUDE.md; nothing is imported (n02, n03, n04). The
// order and the wrapping are source (packages/coding-agent/src/core,
// resource-loader.ts and system-prompt.ts).
func piInstructions() *Instructions {
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "AGENTS.md", Group: "pi"},
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "CLAUDE.md", Group: "pi"},
			{Layer: project, Source: SourceProject, File: "AGENTS.md", Group: "pi", NotNested: true},
			{Layer: project, Source: SourceProject, File: "CLAUDE.md", Group: "pi", NotNested: true},
		},
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var b strings.Builder
			b.WriteString("# Project Context\n\nProject-specific instructions and guidelines:\n\n")
			for _, f := range files {
				b.WriteString("## " + f.Path + "\n\n" + f.Text + "\n\n")
			}
			return []InstructionMessage{{"system", b.String()}}
		},
	}
}
