package opencode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes how opencode 1.18.33 lists definitions. The listing is complete (case n14) and
// not escaped. It includes definitions that disable model invocation (n09, row dmi) but not
// commands (case n05). Agents are listed in the tool definitions (case n06). The formats and order
// come from the source (packages/opencode/src/skill, session/system.ts, tool/registry.ts). It is
// inferred from ports that skills without a description are omitted.
func listing() *host.Listing {
	return &host.Listing{
		Manual: true, NeedsDescription: true,
		Line: func(e host.ListedItem) string {
			return "  <skill>\n    " + host.XMLTag("name", e.Name) + "\n    " + host.XMLTag("description", e.Description) +
				"\n    " + host.XMLTag("location", e.Path) + "\n  </skill>"
		},
		Frame: func(t host.ListedText) string {
			return "Skills provide specialized instructions and workflows for specific tasks.\n" +
				"Use the skill tool to load a skill when a task matches its description.\n" +
				host.XMLTall("available_skills", strings.Join(t.Lines, "\n"))
		},
		Rank: host.SameRank, Compare: host.Collate,
		Agent: func(name, description, _ string) string {
			return name + ": " + cmp.Or(description, "This subagent should only be called manually by the user.")
		},
		AgentFrame: func(lines []string) string {
			return "Available agent types and the tools they have access to:\n- " + strings.Join(lines, "\n- ")
		},
		AgentHidden: func(d *definition.Definition, _ func(key string) string) string {
			if d.Fields.Text(definition.FieldMode) == "primary" {
				return "the agent's mode is primary, so only a user can start it; to list it, set mode: subagent or mode: all"
			}
			if d.Fields.Text(definition.FieldMode) == "" && slices.Contains([]string{"build", "plan"}, d.Name) {
				return "the file modifies a built-in agent, which only a user can start; to list it, set mode: subagent or mode: all"
			}
			return ""
		},
	}
}

// instructions describes which instructions opencode 1.18.33 reads. In the project, it reads
// AGENTS.md or, if there is none, CLAUDE.md. In the home directory, it reads AGENTS.md in its own
// directory or, if there is none, Claude Code's file. It does not support imports (cases n02, n03
// and n04). The user's file comes first (case i10). The wrapping and the effect of touched files
// come from the source (packages/opencode/src/session/instruction.ts, tool/read.ts).
func instructions() *host.Instructions {
	user, project := definition.User, definition.Project
	return &host.Instructions{
		Rows: []host.InstructionRow{
			{Layer: user, Source: host.SourceUser, Dir: ".config/opencode", File: "AGENTS.md", Set: "user"},
			{Layer: user, Source: host.SourceUser, Dir: ".claude", File: "CLAUDE.md", Set: "user"},
			{Layer: project, Source: host.SourceProject, File: "AGENTS.md", Set: "project"},
			{Layer: project, Source: host.SourceProject, File: "CLAUDE.md", Set: "project"},
			{Layer: project, Source: host.SourceProject, File: "CONTEXT.md", Set: "project"},
		},
		ByRow: true, Inward: true,
		// Files that contain only whitespace are sent (case i05).
		MaxFile: host.MaxNeutralFile, Whole: true, Exact: true, Blank: true,
		Compose: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			return []host.InstructionMessage{{Role: "system", Text: texts(files, "\n")}}
		},
		Brought: func(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
			return []host.InstructionMessage{{Role: "tool_result", Text: host.XMLTall("system-reminder", texts(files, "\n\n"))}}
		},
		Closer: "</system-reminder>",
	}
}

func texts(files []host.InstructionText, between string) string {
	var list []string
	for _, f := range files {
		list = append(list, "Instructions from: "+f.Path+"\n"+f.Text)
	}
	return strings.Join(list, between)
}
