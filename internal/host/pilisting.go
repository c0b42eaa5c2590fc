package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// piListing is that of pi 0.73.1: everything in full (n14), escaped (n09), without
// what only a user may call, agents and commands (n05, n06). The form is source
// (packages/coding-agent/src/core/skills.ts); the order is inferred: the
// project's before the user's, as the project's win.
func piListing() *Listing {
	return &Listing{
		Escape: escapeXML,
		Line: func(e ListedItem) string {
			return "  <skill>\n    " + xmlTag("name", e.Name) + "\n    " + xmlTag("description", e.Description) +
				"\n    " + xmlTag("location", escapeXML(e.Path)) + "\n  </skill>"
		},
		Frame: func(t ListedText) string {
			return "The following skills provide specialized instructions for specific tasks.\n" +
				"Use the read tool to load a skill's file when the task matches its description.\n" +
				"When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / " +
				"dirname of the path) and use that absolute path in tool commands.\n\n" +
				xmlTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    byLayer(definition.Project, definition.User),
		Compare: strings.Compare,
	}
}
