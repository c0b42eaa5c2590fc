package copilotvscode

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/copilotcli"
)

// neutralTools returns the neutral tools for a tool name in VS Code. A tool in a built-in tool set
// is "set/tool", according to VS Code's tool reference. An MCP server's tools are "server/tool" or
// "server/*", as in Copilot CLI. Older names are also accepted.
func neutralTools(word string) []string {
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
	return []string{host.MCPToolName(set, tool)}
}

// isToolSet reports whether VS Code has a tool set with the given name, according to VS Code's
// documentation.
func isToolSet(set string) bool {
	switch set {
	case "read", "edit", "search", "execute", "web", "agent", "todo", "vscode", "browser":
		return true
	}
	return false
}

// setTools returns the neutral names for a tool in one of VS Code's sets, or nil if there is no
// equivalent.
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
		return copilotcli.NeutralTools(set)
	}
	return nil
}

// export describes how definitions are written for Copilot in VS Code.
func export() *host.Export {
	e := copilotcli.Export()
	place := e.Place
	e.Place = func(k definition.Kind) *host.ExportPlace {
		if k == definition.Command {
			return &host.ExportPlace{Dir: ".github/prompts", Suffix: ".prompt.md", Join: "-"}
		}
		return place(k)
	}
	e.Tools = copilotcli.Tools()
	e.CommandAsSkill, e.Syntax, e.References = false, syntax, true
	e.Drops = func(_ definition.Kind, f definition.Field) bool { return f == definition.FieldHooks }
	e.Basis, e.Source = host.FromSource, "promptFileParser.ts; format notes, section 5.2"
	return e
}

// syntax returns the syntax of prompt files (see VS Code's documentation and the format notes,
// section 5.2). Skills are sent unchanged.
func syntax(k definition.Kind) *host.Syntax {
	if k != definition.Command {
		return nil
	}
	return &host.Syntax{Inputs: true, Appended: true, Variable: variable, Own: isEditorVariable}
}

// isEditorVariable reports whether a variable in a prompt file refers to the editor's state,
// according to VS Code's prompt file reference.
func isEditorVariable(name string) bool {
	switch name {
	case "workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension":
		return true
	}
	return false
}

func variable(v host.Variable) string {
	if v == host.ProjectDir {
		return "workspaceFolder"
	}
	return ""
}

// bodies describes prompt files and the files in which references are resolved (see VS Code's
// documentation and promptFileParser.ts in its source code).
func bodies() *host.Bodies {
	return &host.Bodies{
		Suffix: ".prompt.md", Syntax: syntax,
		References: []string{".prompt.md", ".agent.md", ".chatmode.md", ".instructions.md", ".github/copilot-instructions.md"},
	}
}
