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
