package pi

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes the listing of pi 0.73.1. It is complete (n14) and escaped (n09), and omits
// user-only skills, agents and commands (n05, n06). The form comes from the source
// (packages/coding-agent/src/core/skills.ts).
func listing() *host.Listing {
	return &host.Listing{
		Escape: host.EscapeXML,
		Line: func(e host.ListedItem) string {
			return "  <skill>\n    " + host.XMLTag("name", e.Name) + "\n    " + host.XMLTag("description", e.Description) +
				"\n    " + host.XMLTag("location", host.EscapeXML(e.Path)) + "\n  </skill>"
		},
		Frame: func(t host.ListedText) string {
			return "The following skills provide specialized instructions for specific tasks.\n" +
				"Use the read tool to load a skill's file when the task matches its description.\n" +
				"When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / " +
				"dirname of the path) and use that absolute path in tool commands.\n\n" +
				host.XMLTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank:    rank,
		Key:     func(d *definition.Definition) string { return strings.ReplaceAll(d.Origin.Path, "/", "\x00") },
		Compare: strings.Compare,
	}
}

// rank orders the directories. Within a kind of directory, the nearest one comes first (h16).
// Each directory is walked by name (h05).
func rank(d *definition.Definition) int {
	return host.ByLayer(definition.Project, definition.User)(d)<<16 + int(d.Origin.Distance)
}

// instructions describes the instructions of pi 0.73.1: the user's file, and AGENTS.md, or else
// CLAUDE.md, in each directory of the project. Nothing is imported (n02, n03, n04). The order and
// the wrapping come from the source (packages/coding-agent/src/core, resource-loader.ts and
// system-prompt.ts).
func instructions() *host.Instructions {
	user, project := definition.User, definition.Project
	return &host.Instructions{
		Rows: []host.InstructionRow{
			{Layer: user, Source: host.SourceUser, Dir: ".pi/agent", File: "AGENTS.md", Group: "pi"},
			{Layer: user, Source: host.SourceUser, Dir: ".pi/agent", File: "CLAUDE.md", Group: "pi"},
			{Layer: project, Source: host.SourceProject, File: "AGENTS.md", Group: "pi", NotNested: true},
			{Layer: project, Source: host.SourceProject, File: "CLAUDE.md", Group: "pi", NotNested: true},
		},
		MaxFile: host.MaxNeutralFile, Whole: true, Exact: true, Empty: true,
		Compose: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			var b strings.Builder
			b.WriteString("# Project Context\n\nProject-specific instructions and guidelines:\n\n")
			for _, f := range files {
				b.WriteString("## " + f.Path + "\n\n" + f.Text + "\n\n")
			}
			return []host.InstructionMessage{{Role: "system", Text: b.String()}}
		},
	}
}
