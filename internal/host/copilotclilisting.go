package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotCLIListing is that of Copilot CLI 1.0.102. Recorded are that of 300
// skills with descriptions of 297 characters 37 are whole (n14), which holds for
// 15,000 characters where each entry has this form and a line feed, that commands
// are among them (n05) and agents in the tools (n06), and that texts are escaped
// (n09). The form, the order and the figure are those of other records of the same
// host; that of an entry without room for a description, and that of agents, is
// inferred.
func copilotCLIListing() *Listing {
	return &Listing{
		Commands: true,
		Escape:   escapeXML,
		Line:     copilotItem, Frame: copilotFrame,
		Rank: sameRank, Compare: strings.Compare,
		Budget:      Budget{Overflow: BareRest, Around: 1, Least: 15_000, Env: "SKILL_CHAR_BUDGET"},
		Agent:       func(name, description, _ string) string { return name + ": " + description },
		AgentHidden: copilotAgentHidden,
	}
}

func copilotItem(e ListedItem) string {
	if e.Bare {
		return "<skill>\n  " + xmlTag("name", e.Name) + "\n</skill>"
	}
	return "<skill>\n  " + xmlTag("name", e.Name) + "\n  " + xmlTag("description", e.Description) +
		"\n  " + xmlTag("location", e.Layer.String()) + "\n</skill>"
}

func copilotFrame(t ListedText) string {
	return xmlTall("skill", xmlTall("available_skills", strings.Join(t.Lines, "\n")))
}

// copilotAgentHidden: an agent that models must not call is not offered to them
// (documented).
func copilotAgentHidden(field func(key string) string) string {
	switch {
	case field("disable-model-invocation") == "true":
		return "only a user can call it: take disable-model-invocation out of its frontmatter to list it"
	case field("infer") == "false":
		return "only a user can call it: take infer out of its frontmatter to list it"
	}
	return ""
}

// copilotCLIInstructions are those of Copilot CLI 1.0.102. Recorded is which files
// reach the model, that AGENTS.md and CLAUDE.md import and GEMINI.md does not (n02),
// and that a file without applyTo applies always (n02). The order, the form of
// imports and the wrapping are inferred; the tag is that of other records of the
// same host.
func copilotCLIInstructions() *Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) InstructionRow {
		return InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			NoImports: file != "AGENTS.md" && file != "CLAUDE.md",
		}
	}
	return &Instructions{
		Rows: []InstructionRow{
			row(user, SourceUser, ".copilot", "copilot-instructions.md"),
			row(user, SourceUser, ".copilot/instructions", ""),
			// Those of COPILOT_CUSTOM_INSTRUCTIONS_DIRS.
			row(user, SourceUser, "", "AGENTS.md"),
			row(user, SourceUser, ".github/instructions", ""),
			row(project, SourceProject, ".github", "copilot-instructions.md"),
			row(project, SourceProject, "", "AGENTS.md"),
			row(project, SourceProject, "", "CLAUDE.md"),
			row(project, SourceProject, "", "GEMINI.md"),
			row(project, SourceProject, ".github/instructions", ""),
			row(project, SourceProject, ".claude/rules", ""),
		},
		MaxFile: maxNeutralFile, Imports: ImportsBeside, Depth: 5,
		Compose: copilotCompose, Closer: "</custom_instruction>",
	}
}

func copilotCompose(_ InstructionSession, files []InstructionText) []InstructionMessage {
	var list []string
	for _, f := range files {
		list = append(list, xmlTall("custom_instruction", f.Text))
	}
	return []InstructionMessage{{Role: "system", Text: strings.Join(list, "\n\n")}}
}
