package host

import (
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// copilotTools are the aliases of Copilot.
func copilotTools() *ExportTools {
	return &ExportTools{Name: copilotTool, Server: slashServerTool}
}

// copilotTool is its documented alias of a tool, which VS Code has too
// (custom-agents-configuration, github/docs@03e038c).
func copilotTool(neutral string) string {
	switch neutral {
	case "Read", "NotebookRead":
		return "read"
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return "edit"
	case "Grep", "Glob", "LS":
		return "search"
	case "Bash":
		return "execute"
	case "WebFetch", "WebSearch":
		return "web"
	case "Agent", "Task":
		return "agent"
	case "TodoWrite":
		return "todo"
	}
	return ""
}

// copilotNeutralTools are the tools of an alias of Copilot.
func copilotNeutralTools(word string) []string {
	switch word {
	case "read":
		return []string{"Read"}
	case "edit":
		return []string{"Edit", "Write"}
	case "search":
		return []string{"Grep", "Glob"}
	case "execute", "shell", "powershell":
		return []string{"Bash"}
	case "web":
		return []string{"WebFetch", "WebSearch"}
	case "agent", "custom-agent":
		return []string{"Agent"}
	case "todo":
		return []string{"TodoWrite"}
	}
	return nil
}

// vscodeNeutralTools are the tools of a name in VS Code: "set/tool" (documented: the
// reference of tools), in which the set is none of a server, "server/tool" and
// "server/*", which Copilot CLI has too, or an older name.
func vscodeNeutralTools(word string) []string {
	switch word {
	case "editFiles":
		return []string{"Edit", "Write"}
	case "codebase", "usages":
		return []string{"Grep", "Glob"}
	case "runCommands", "runInTerminal":
		return []string{"Bash"}
	case "fetch":
		return []string{"WebFetch"}
	case "runSubagent":
		return []string{"Agent"}
	case "todos":
		return []string{"TodoWrite"}
	}
	set, tool, ok := strings.Cut(word, "/")
	if !ok || set == "" || tool == "" || strings.Contains(tool, "/") && !isToolSet(set) {
		return nil
	}
	if isToolSet(set) {
		return setTools(set, tool)
	}
	if tool == "*" {
		tool = ""
	}
	return []string{mcpToolName(set, tool)}
}

// isToolSet reports whether VS Code has a set of tools by a name (documented).
func isToolSet(set string) bool {
	switch set {
	case "read", "edit", "search", "execute", "web", "agent", "todo", "vscode", "browser":
		return true
	}
	return false
}

// setTools are the neutral words for a tool in one of the sets of VS Code; nil where
// no other host has such a tool.
func setTools(set, tool string) []string {
	switch set + "/" + tool {
	case "read/readFile":
		return []string{"Read"}
	case "read/getNotebookSummary":
		return []string{"NotebookRead"}
	case "edit/editFiles":
		return []string{"Edit"}
	case "edit/createFile":
		return []string{"Write"}
	case "edit/editNotebook":
		return []string{"NotebookEdit"}
	case "search/codebase", "search/textSearch", "search/usages":
		return []string{"Grep"}
	case "search/fileSearch":
		return []string{"Glob"}
	case "search/listDirectory":
		return []string{"LS"}
	case "execute/runInTerminal":
		return []string{"Bash"}
	case "web/fetch":
		return []string{"WebFetch"}
	case "agent/runSubagent":
		return []string{"Agent"}
	case "vscode/askQuestions":
		return []string{"AskUserQuestion"}
	}
	if tool == "*" {
		return copilotNeutralTools(set)
	}
	return nil
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
