package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

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
		Everywhere: everywhere(),
		Compose:    copilotCompose, Closer: "</custom_instruction>",
	}
}

// everywhere are the patterns that VS Code takes for every file.
func everywhere() []string { return []string{"**", "**/*", "*"} }

func copilotCompose(_ InstructionSession, files []InstructionText) []InstructionMessage {
	var list []string
	for _, f := range files {
		list = append(list, xmlTall("custom_instruction", f.Text))
	}
	return []InstructionMessage{{"system", strings.Join(list, "\n\n")}}
}
