package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// geminiListing is that of Gemini CLI 0.61.0: everything in full (n14), nothing
// escaped and nothing hidden (n09 and the frontmatter matrix), no agents (n06),
// no commands (n05). The form is source (packages/core/src/prompts/snippets.ts), as
// is the order of directories; that of the skills in one is inferred.
func geminiListing() *Listing {
	return &Listing{
		Manual: true,
		Line: func(e ListedItem) string {
			return "  <skill>\n    " + xmlTag("name", e.Name) + "\n    " + xmlTag("description", e.Description) +
				"\n    " + xmlTag("location", e.Path) + "\n  </skill>"
		},
		Frame: func(t ListedText) string {
			return "# Available Agent Skills\n\nYou have access to the following specialized skills. To activate a skill and " +
				"receive its detailed instructions, call the `activate_skill` tool with the skill's name.\n\n" +
				xmlTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    byRowsReversed(definition.Plugin, definition.User, definition.Project),
		Compare: strings.Compare,
	}
}
