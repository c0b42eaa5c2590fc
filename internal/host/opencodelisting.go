package host

import (
	"cmp"
	"strings"
)

// openCodeListing is that of opencode 1.18.33: everything in full (n14), nothing
// escaped and nothing hidden (n09, row dmi), agents in the tools (n06), no commands
// (n05). The forms and the order are source (packages/opencode/src/skill,
// session/system.ts, tool/registry.ts); that a skill without a description is left
// out is inferred from ports of it.
func openCodeListing() *Listing {
	return &Listing{
		Manual: true, NeedsDescription: true,
		Line: func(e ListedItem) string {
			return "  <skill>\n    " + xmlTag("name", e.Name) + "\n    " + xmlTag("description", e.Description) +
				"\n    " + xmlTag("location", fileURL(e.Path)) + "\n  </skill>"
		},
		Frame: func(t ListedText) string {
			return "Skills provide specialized instructions and workflows for specific tasks.\n" +
				"Use the skill tool to load a skill when a task matches its description.\n" +
				xmlTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank: sameRank, Compare: claudeOrder,
		Agent: func(name, description, _ string) string {
			return name + ": " + cmp.Or(description, "This subagent should only be called manually by the user.")
		},
		AgentFrame: func(lines []string) string {
			return "Available agent types and the tools they have access to:\n- " + strings.Join(lines, "\n- ")
		},
		AgentHidden: func(field func(key string) string) string {
			switch {
			case field("mode") == "primary":
				return "its mode is primary: a user starts it; write mode: subagent or mode: all to list it"
			case field("disable") == "true":
				return "its frontmatter switches it off: take disable out of it"
			}
			return ""
		},
	}
}
