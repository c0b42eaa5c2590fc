package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// copilotTools are the aliases of Copilot.
func copilotTools() *ExportTools {
	return &ExportTools{Name: toolIn(func(r toolRow) string { return r.copilot }), Server: slashServerTool}
}

// copilotCLITools are those of Copilot CLI, which takes the words of Claude Code for the
// same (documented: custom-agents-configuration; formats dossier, section 5.1).
func copilotCLITools() *ExportTools {
	t := copilotTools()
	t.Aliases = true
	return t
}

// copilotCLIExport is how definitions are written for Copilot CLI. It puts nothing
// into bodies (observed: n05, n07).
func copilotCLIExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			switch k {
			case definition.Skill:
				return &ExportPlace{Dir: ".github/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Agent:
				return &ExportPlace{Dir: ".github/agents", Suffix: ".agent.md", Join: "-", Name: true, MaxBody: 30_000}
			}
			return nil
		},
		CommandAsSkill: true,
		Tools:          copilotCLITools(), Model: ownModel,
		Instructions: &ExportInstructions{
			Whole: ".github/copilot-instructions.md",
			Dir:   ".github/instructions", Suffix: ".instructions.md", Paths: "applyTo", Everything: "**",
		},
		Basis: Documented, Source: "custom-agents-configuration; formats dossier, section 5.1",
	}
}

// copilotVSCodeExport is how definitions are written for Copilot in VS Code.
func copilotVSCodeExport() *Export {
	e := copilotCLIExport()
	place := e.Place
	e.Place = func(k definition.Kind) *ExportPlace {
		if k == definition.Command {
			return &ExportPlace{Dir: ".github/prompts", Suffix: ".prompt.md", Join: "-"}
		}
		return place(k)
	}
	e.Tools = copilotTools()
	e.CommandAsSkill, e.Syntax, e.References = false, vscodeSyntax, true
	e.Drops = func(_ definition.Kind, f definition.Field) bool { return f == definition.FieldHooks }
	e.Basis, e.Source = FromSource, "promptFileParser.ts; formats dossier, section 5.2"
	return e
}

// vscodeSyntax is that of prompt files (documented; formats dossier, section 5.2).
// Skills are read as they are.
func vscodeSyntax(k definition.Kind) *Syntax {
	if k != definition.Command {
		return nil
	}
	return &Syntax{Inputs: true, Appended: true, Variable: vscodeVariable, Own: isEditorVariable}
}

// isEditorVariable: the variables of prompt files that speak of the editor
// (documented: the reference of prompt files).
func isEditorVariable(name string) bool {
	switch name {
	case "workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension":
		return true
	}
	return false
}

func vscodeVariable(v Variable) string {
	if v == ProjectDir {
		return "workspaceFolder"
	}
	return ""
}
