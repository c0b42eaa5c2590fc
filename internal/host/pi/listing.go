package pi

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how pi 0.73.1 lists definitions. The listing is complete (case n14) and escaped
// (case n09), and omits user-only skills, agents and commands (cases n05 and n06). The format comes
// from the source (packages/coding-agent/src/core/skills.ts).
func listing(version string) *host.Listing {
	l := &host.Listing{
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
	if version == newVersion {
		old := l.Frame
		l.Frame = func(t host.ListedText) string { return host.XMLTall("skills", old(t)) }
	}
	return l
}

// rank orders the directories. Among directories of the same kind, the nearest comes first (case
// h16). Each directory is walked in name order (case h05).
func rank(d *definition.Definition) int {
	return host.ByLayer(definition.Project, definition.User)(d)<<16 + int(d.Origin.Distance)
}

// instructions describes pi's instructions: the user's file, and one file in each of the project's
// directories. Nothing is imported (cases n02, n03 and n04). The order and wrapping come from the
// source (packages/coding-agent/src/core, resource-loader.ts and system-prompt.ts).
func instructions(version string, files []string) *host.Instructions {
	in := &host.Instructions{MaxFile: host.MaxNeutralFile, Whole: true, Exact: true, Empty: true, Compose: compose}
	if version == newVersion {
		in.Compose = composeTags
	}
	for _, name := range files {
		in.Rows = append(in.Rows, host.InstructionRow{Layer: definition.User, Source: host.SourceUser, Dir: ".pi/agent", File: name, Group: "pi"})
	}
	for _, name := range files {
		in.Rows = append(in.Rows, host.InstructionRow{Layer: definition.Project, Source: host.SourceProject, File: name, Group: "pi", NotNested: true})
	}
	return in
}

const intro = "Project-specific instructions and guidelines:\n\n"

func compose(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	text := "# Project Context\n\n" + intro
	for _, f := range files {
		text += "## " + f.Path + "\n\n" + f.Text + "\n\n"
	}
	return []host.InstructionMessage{{Role: "system", Text: text}}
}

// composeTags returns the message with the instructions in the format of 0.87.1 (case i13).
func composeTags(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	var texts []string
	for _, f := range files {
		texts = append(texts, "<project_instructions path=\""+f.Path+"\">\n"+strings.TrimPrefix(f.Text, "\ufeff")+"\n</project_instructions>")
	}
	return []host.InstructionMessage{{Role: "system", Text: host.XMLTall("project_context", intro+strings.Join(texts, "\n\n"))}}
}
