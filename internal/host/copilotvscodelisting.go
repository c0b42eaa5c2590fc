package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotVSCodeListing is that of Copilot in VS Code, as its source has it
// (computeAutomaticInstructions.ts): nothing is escaped. No recording shows it; the
// order is inferred. Agents are listed only where an experimental setting says so.
func copilotVSCodeListing() *Listing {
	return &Listing{
		MaxDescription: 1024,
		Line: func(e ListedItem) string {
			text := xmlTag("name", e.Name) + "\n"
			if e.Description != "" {
				text += xmlTag("description", e.Description) + "\n"
			}
			return xmlTall("skill", text+xmlTag("file", e.Path))
		},
		Frame: func(t ListedText) string {
			return xmlTall("skills", "Here is a list of skills that contain domain specific knowledge on a variety of topics.\n"+
				"Each skill comes with a description of the topic and a file path that contains the detailed instructions.\n"+
				"When a user asks you to perform a task that falls within the domain of a skill, use the #tool:readFile tool to "+
				"acquire the full instructions from the file URI.\n"+strings.Join(t.Lines, "\n"))
		},
		Rank:    byLayer(definition.Project, definition.User, definition.Plugin),
		Compare: strings.Compare,
	}
}

// copilotVSCodeInstructions are those of Copilot in VS Code, as its source and its
// documentation have them: files with applyTo wait for a file that matches, those
// without are only listed (computeAutomaticInstructions.ts). The order and the wrapping are inferred.
func copilotVSCodeInstructions() *Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) InstructionRow {
		// A rule without paths applies always, other files only on request
		// (documented).
		return InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			OnRequest: file == "" && !strings.HasSuffix(dir, "rules"),
		}
	}
	return &Instructions{
		Rows: []InstructionRow{
			row(user, SourceUser, ".copilot/instructions", ""),
			row(user, SourceUser, ".claude/rules", ""),
			row(user, SourceUser, ".claude", "CLAUDE.md"),
			row(project, SourceProject, ".github/instructions", ""),
			row(project, SourceProject, ".claude/rules", ""),
			row(project, SourceProject, ".github", "copilot-instructions.md"),
			row(project, SourceProject, "", "AGENTS.md"),
			row(project, SourceProject, "", "CLAUDE.md"),
			row(project, SourceProject, ".claude", "CLAUDE.md"),
			row(project, SourceLocal, "", "CLAUDE.local.md"),
		},
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var list []string
			for _, f := range files {
				list = append(list, "<attachment filePath=\""+f.Path+"\">\n"+f.Text+"\n</attachment>")
			}
			return []InstructionMessage{{Role: "user", Text: strings.Join(list, "\n")}}
		},
		Closer: "</attachment>",
	}
}
