package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// cursorInstructions are those of Cursor, as its documentation has them: rules that
// say they always apply, rules with globs once a file matches, others only when a
// model or a user asks for them; AGENTS.md, also of the directories that are worked
// in; CLAUDE.md; the older .cursorrules. The order is inferred. The form is not known: the
// texts follow one another.
func cursorInstructions() *Instructions {
	project := definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: project, Source: SourceProject, Dir: ".cursor/rules", Conditional: true, OnRequest: true},
			{Layer: definition.Plugin, Source: SourceUser, Dir: "rules", Conditional: true, OnRequest: true},
			{Layer: project, Source: SourceProject, File: "AGENTS.md"},
			{Layer: project, Source: SourceProject, File: "CLAUDE.md", NotNested: true},
			{Layer: project, Source: SourceProject, File: ".cursorrules", NotNested: true},
		},
		MaxFile: maxNeutralFile,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var list []string
			for _, f := range files {
				list = append(list, f.Text)
			}
			return []InstructionMessage{{"system", strings.Join(list, "\n\n")}}
		},
	}
}
