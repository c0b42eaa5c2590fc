package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// cursorListing: that Cursor lists its skills with name and description, without
// what only a user may call and what waits for a file, is documented. Its form is
// not known, and so there is no frame.
func cursorListing() *Listing {
	return &Listing{
		Paths:   true,
		Rank:    byLayer(definition.Project, definition.User),
		Compare: strings.Compare,
		Agent:   func(name, description, _ string) string { return name + ": " + description },
	}
}

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
			return []InstructionMessage{{Role: "system", Text: strings.Join(list, "\n\n")}}
		},
	}
}
