package copilotcli

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// listing describes the listing of Copilot CLI 1.0.102. Recorded: of 300 skills with
// descriptions of 297 characters, 37 are whole (n14), which matches 15,000 characters if
// each entry has this form and a line feed; commands are included (n05), agents are in the
// tools (n06), and texts are escaped (n09). The form, the order and the limit come from
// other records of the same host. The forms of an entry without a description and of
// agents are inferred.
func listing() *host.Listing {
	return &host.Listing{
		Commands: true,
		Escape:   host.EscapeXML,
		Line:     item, Frame: frame,
		Rank: host.SameRank, Compare: strings.Compare,
		Budget:      host.Budget{Overflow: host.BareRest, Around: 1, Least: 15_000, Env: "SKILL_CHAR_BUDGET"},
		Agent:       func(name, description, _ string) string { return name + ": " + description },
		AgentHidden: agentHidden,
	}
}

func item(e host.ListedItem) string {
	if e.Bare {
		return "<skill>\n  " + host.XMLTag("name", e.Name) + "\n</skill>"
	}
	return "<skill>\n  " + host.XMLTag("name", e.Name) + "\n  " + host.XMLTag("description", e.Description) +
		"\n  " + host.XMLTag("location", e.Layer.String()) + "\n</skill>"
}

func frame(t host.ListedText) string {
	return host.XMLTall("skill", host.XMLTall("available_skills", strings.Join(t.Lines, "\n")))
}

// agentHidden: an agent that models must not call is not offered to them (documented).
func agentHidden(_ *definition.Definition, field func(key string) string) string {
	switch {
	case field("disable-model-invocation") == "true":
		return "only users can invoke it: remove disable-model-invocation from its frontmatter to list it"
	case field("infer") == "false":
		return "only users can invoke it: remove infer from its frontmatter to list it"
	}
	return ""
}

// instructions describes those of Copilot CLI 1.0.102. Recorded: which files reach the
// model, that AGENTS.md and CLAUDE.md import files but GEMINI.md does not, and that a file
// without applyTo always applies (n02). The order, the form of imports and the wrapping
// are inferred; the tag comes from other records of the same host.
func instructions() *host.Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) host.InstructionRow {
		return host.InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			NoImports: file != "AGENTS.md" && file != "CLAUDE.md",
		}
	}
	return &host.Instructions{
		Rows: []host.InstructionRow{
			row(user, host.SourceUser, ".copilot", "copilot-instructions.md"),
			row(user, host.SourceUser, ".copilot/instructions", ""),
			// The directories in COPILOT_CUSTOM_INSTRUCTIONS_DIRS.
			row(user, host.SourceUser, "", "AGENTS.md"),
			row(user, host.SourceUser, ".github/instructions", ""),
			row(project, host.SourceProject, ".github", "copilot-instructions.md"),
			row(project, host.SourceProject, "", "AGENTS.md"),
			row(project, host.SourceProject, "", "CLAUDE.md"),
			row(project, host.SourceProject, "", "GEMINI.md"),
			row(project, host.SourceProject, ".github/instructions", ""),
			row(project, host.SourceProject, ".claude/rules", ""),
		},
		MaxFile: host.MaxNeutralFile, Imports: host.ImportsBeside, Depth: 5,
		Compose: compose, Closer: "</custom_instruction>",
	}
}

func compose(_ host.InstructionSession, files []host.InstructionText) []host.InstructionMessage {
	var list []string
	for _, f := range files {
		list = append(list, host.XMLTall("custom_instruction", f.Text))
	}
	return []host.InstructionMessage{{Role: "system", Text: strings.Join(list, "\n\n")}}
}
