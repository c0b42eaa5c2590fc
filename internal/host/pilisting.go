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

// piInstructions are those of pi 0.73.1: the user's, and of each directory of the
// project AGENTS.md, or else CLAUDE.md; nothing is imported (n02, n03, n04). The
// order and the wrapping are source (packages/coding-agent/src/core,
// resource-loader.ts and system-prompt.ts).
func piInstructions() *Instructions {
	user, project := definition.User, definition.Project
	return &Instructions{
		Rows: []InstructionRow{
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "AGENTS.md", Group: "pi"},
			{Layer: user, Source: SourceUser, Dir: ".pi/agent", File: "CLAUDE.md", Group: "pi"},
			{Layer: project, Source: SourceProject, File: "AGENTS.md", Group: "pi", NotNested: true},
			{Layer: project, Source: SourceProject, File: "CLAUDE.md", Group: "pi", NotNested: true},
		},
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var b strings.Builder
			b.WriteString("# Project Context\n\nProject-specific instructions and guidelines:\n\n")
			for _, f := range files {
				b.WriteString("## " + f.Path + "\n\n" + f.Text + "\n\n")
			}
			return []InstructionMessage{{Role: "system", Text: b.String()}}
		},
	}
}
