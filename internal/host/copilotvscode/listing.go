package copilotvscode

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how Copilot in VS Code lists definitions, according to its source
// (computeAutomaticInstructions.ts). Nothing is escaped. No recording shows the listing, so the
// order is inferred. Agents are listed only with an experimental setting.
func listing() *host.Listing {
	return &host.Listing{
		MaxDescription: 1024,
		Line: func(e host.ListedItem) string {
			text := host.XMLTag("name", e.Name) + "\n"
			if e.Description != "" {
				text += host.XMLTag("description", e.Description) + "\n"
			}
			return host.XMLTall("skill", text+host.XMLTag("file", e.Path))
		},
		Frame: func(t host.ListedText) string {
			return host.XMLTall("skills", "Here is a list of skills that contain domain specific knowledge on a variety of topics.\n"+
				"Each skill comes with a description of the topic and a file path that contains the detailed instructions.\n"+
				"When a user asks you to perform a task that falls within the domain of a skill, use the #tool:readFile tool to "+
				"acquire the full instructions from the file URI.\n"+strings.Join(t.Lines, "\n"))
		},
		Rank:    host.ByLayer(definition.Project, definition.User, definition.Plugin),
		Compare: strings.Compare,
	}
}

// instructions describes how Copilot in VS Code reads instructions, according to its source and
// documentation. Files with applyTo wait for a matching file, and other files are only listed
// (computeAutomaticInstructions.ts). The order and wrapping are inferred.
func instructions() *host.Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) host.InstructionRow {
		// A rule without paths always applies. Other files without paths apply only on request,
		// according to VS Code's documentation.
		return host.InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			OnRequest: file == "" && !strings.HasSuffix(dir, "rules"),
		}
	}
	return &host.Instructions{
		Rows: []host.InstructionRow{
			row(user, host.SourceUser, ".copilot/instructions", ""),
			row(user, host.SourceUser, ".claude/rules", ""),
			row(user, host.SourceUser, ".claude", "CLAUDE.md"),
			row(project, host.SourceProject, ".github/instructions", ""),
			row(project, host.SourceProject, ".claude/rules", ""),
			row(project, host.SourceProject, ".github", "copilot-instructions.md"),
			row(project, host.SourceProject, "", "AGENTS.md"),
			row(project, host.SourceProject, "", "CLAUDE.md"),
			row(project, host.SourceProject, ".claude", "CLAUDE.md"),
			row(project, host.SourceLocal, "", "CLAUDE.local.md"),
		},
		MaxFile: host.MaxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			var list []string
			for _, f := range files {
				list = append(list, "<attachment filePath=\""+f.Path+"\">\n"+f.Text+"\n</attachment>")
			}
			return []host.InstructionMessage{{Role: "user", Text: strings.Join(list, "\n")}}
		},
		Closer: "</attachment>",
	}
}
