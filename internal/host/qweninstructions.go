package host

import (
	"path"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// qwenInstructions are those of Qwen Code 0.24.4: QWEN.md and AGENTS.md of the user
// and of the project, with what they import, all in the system prompt (n02, n03,
// n04). The order, first by the name of the file, and the wrapping are source
// (packages/core/src/utils/memoryDiscovery.ts).
func qwenInstructions() *Instructions {
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".qwen", File: "QWEN.md"},
			{Layer: project, Source: SourceProject, File: "QWEN.md", NotNested: true},
			{Layer: user, Source: SourceUser, Dir: ".qwen", File: "AGENTS.md"},
			{Layer: project, Source: SourceProject, File: "AGENTS.md", NotNested: true},
			{Layer: definition.Plugin, Source: SourceUser, File: "QWEN.md"},
		},
		ByRow:   true,
		MaxFile: maxNeutralFile, Whole: true, Imports: ImportsInline, Depth: 5, Inline: geminiInline(),
		Compose: func(s InstructionSession, files []InstructionText) []InstructionMessage {
			return []InstructionMessage{{
				"system", contextBlocks(files, 0, func(path string) string { return relativeTo(s.WorkDir, path) }),
			}}
		},
	}
}

// relativeTo is the path of a file as it is written from a directory; both are
// absolute.
func relativeTo(dir, file string) string {
	up := ""
	for d := path.Clean(dir); ; d = path.Dir(d) {
		if rel, ok := strings.CutPrefix(file, strings.TrimSuffix(d, "/")+"/"); ok {
			return up + rel
		}
		if d == path.Dir(d) {
			return file
		}
		up += "../"
	}
}
