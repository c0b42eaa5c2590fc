package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// openCodeInstructions are those of opencode 1.18.33: of the project AGENTS.md, or
// else CLAUDE.md, and of the user the host's own AGENTS.md, or else Claude Code's
// file; nothing is imported (n02, n03, n04). The order, the wrapping and what a
// touched file brings in are source (packages/opencode/src/session/instruction.ts,
// tool/read.ts).
func openCodeInstructions() *Instructions {
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: project, Source: SourceProject, File: "AGENTS.md", Set: "project"},
			{Layer: project, Source: SourceProject, File: "CLAUDE.md", Set: "project"},
			{Layer: project, Source: SourceProject, File: "CONTEXT.md", Set: "project"},
			{Layer: user, Source: SourceUser, Dir: ".config/opencode", File: "AGENTS.md", Set: "user"},
			{Layer: user, Source: SourceUser, Dir: ".claude", File: "CLAUDE.md", Set: "user"},
		},
		ByRow: true, Inward: true,
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			return []InstructionMessage{{"system", openCodeTexts(files, "\n")}}
		},
		Brought: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			return []InstructionMessage{{"tool_result", xmlTall("system-reminder", openCodeTexts(files, "\n\n"))}}
		},
		Closer: "</system-reminder>",
	}
}

func openCodeTexts(files []InstructionText, between string) string {
	var list []string
	for _, f := range files {
		list = append(list, "Instructions from: "+f.Path+"\n"+f.Text)
	}
	return strings.Join(list, between)
}
