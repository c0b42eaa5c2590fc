package cursor

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes Cursor's listing. It contains the names and descriptions of skills, except
// user-only skills and skills waiting for a matching file, according to Cursor's documentation. The
// format of the listing is unknown, so Frame is nil.
func listing() *host.Listing {
	return &host.Listing{
		Paths:   true,
		Rank:    host.ByLayer(definition.Project, definition.User),
		Compare: strings.Compare,
		Agent:   func(name, description, _ string) string { return name + ": " + description },
	}
}

// instructions describes Cursor's instructions, according to its documentation. Some rules always
// apply, rules with globs apply once a file matches, and other rules apply when a model or user
// requests them. Cursor also reads CLAUDE.md, the older .cursorrules, and AGENTS.md, including
// AGENTS.md files in subdirectories that are in use. The order is inferred. The format is unknown,
// so the texts are joined.
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
