package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotVSCodeInstructions are those of Copilot in VS Code, as its source and its
// documentation have them: files with applyTo wait for a file that matches, those
// without are only listed; a pattern that names no place matches anywhere
// (computeAutomaticInstructions.ts). The order and the wrapping are inferred.
func copilotVSCodeInstructions() *Instructions {
	user, project := definition.User, definition.Project
	row := func(l definition.Layer, source, dir, file string) InstructionRow {
		// A rule without paths applies always, other files only on request
		// (documented).
		return InstructionRow{
			Layer: l, Source: source, Dir: dir, File: file, NotNested: true, Conditional: file == "",
			OnRequest: file == "" && !strings.HasSuffix(dir, "rules"),
		}
	}
	return &Instructions{
		Rows: []InstructionRow{
			row(user, SourceUser, ".copilot/instructions", ""),
			row(user, SourceUser, ".claude/rules", ""),
			row(user, SourceUser, ".claude", "CLAUDE.md"),
			row(project, SourceProject, ".github/instructions", ""),
			row(project, SourceProject, ".claude/rules", ""),
			row(project, SourceProject, ".github", "copilot-instructions.md"),
			row(project, SourceProject, "", "AGENTS.md"),
			row(project, SourceProject, "", "CLAUDE.md"),
			row(project, SourceProject, ".claude", "CLAUDE.md"),
			row(project, SourceLocal, "", "CLAUDE.local.md"),
		},
		MaxFile: maxNeutralFile, Whole: true, Exact: true,
		Everywhere: everywhere(),
		Glob: func(pattern string) string {
			if strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "**/") {
				return pattern
			}
			return "**/" + pattern
		},
		Compose: func(_ InstructionSession, files []InstructionText) []InstructionMessage {
			var list []string
			for _, f := range files {
				list = append(list, "<attachment filePath=\""+f.Path+"\">\n"+f.Text+"\n</attachment>")
			}
			return []InstructionMessage{{"user", strings.Join(list, "\n")}}
		},
		Closer: "</attachment>",
	}
}
