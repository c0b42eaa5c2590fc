package cursor

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing: that Cursor lists its skills with name and description, without
// what only a user may call and what waits for a file, is documented. Its form is
// not known, and so there is no frame.
func listing() *host.Listing {
	return &host.Listing{
		Paths:   true,
		Rank:    host.ByLayer(definition.Project, definition.User),
		Compare: strings.Compare,
		Agent:   func(name, description, _ string) string { return name + ": " + description },
	}
}

// instructions are those of Cursor, as its documentation has them: rules that
// say they always apply, rules with globs once a file matches, others only when a
// model or a user asks for them; AGENTS.md, also of the directories that are worked
// in; CLAUDE.md; the older .cursorrules. The order is inferred. The form is not known: the
// texts follow one another.
func instructions() *host.Instructions {
	project := definition.Project
	return &host.Instructions{
		Rows: []host.InstructionRow{
			{Layer: project, Source: host.SourceProject, Dir: ".cursor/rules", Conditional: true, OnRequest: true},
			{Layer: definition.Plugin, Source: host.SourceUser, Dir: "rules", Conditional: true, OnRequest: true},
			{Layer: project, Source: host.SourceProject, File: "AGENTS.md"},
			{Layer: project, Source: host.SourceProject, File: "CLAUDE.md", NotNested: true},
			{Layer: project, Source: host.SourceProject, File: ".cursorrules", NotNested: true},
		},
		MaxFile: host.MaxNeutralFile,
		Compose: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			var list []string
			for _, f := range files {
				list = append(list, f.Text)
			}
			return []host.InstructionMessage{{Role: "system", Text: strings.Join(list, "\n\n")}}
		},
	}
}
