package host

import "github.com/vadehq/vade/definition"

// OptionsForm is the type of an SDK's options.
type OptionsForm uint8

// The forms of options.
const (
	// QueryOptions is the type Options of the Claude Agent SDK.
	QueryOptions OptionsForm = iota
	// SessionConfig is the type SessionConfig of the Copilot SDK. It has no list of denied tools,
	// and no rules for calls of a tool.
	SessionConfig
)

// AgentSDK describes how an SDK receives definitions: as one options object, and a module that
// passes the object on.
type AgentSDK struct {
	// Name and Version are the SDK's name on the command line and its observed version.
	Name, Version string
	// Form is the type of the options.
	Form OptionsForm
	// Module is the source text of the module.
	Module string
	// Preset is the system prompt that exported text is appended to.
	Preset string
	// Tool is the full name of the tool that loads a skill. Server is the name of its
	// MCP server.
	Server, Tool string
	// Lacks are the fields that the SDK's agents do not have.
	Lacks []definition.Field
	// ToolName returns the SDK's name of a tool. nil means that the SDK uses the neutral names.
	ToolName func(name string) string
	// Model reports whether a name is a model name.
	Model func(name string) bool
	// Efforts are the reasoning effort levels. Memories are the places where an agent can keep
	// its memory.
	Efforts, Memories []string
	// Modes are the permission modes that do not widen permissions. A file may request
	// them without the user's approval.
	Modes []string
	// SkillDir is the label before the skill's directory. The host adds it when the skill bundles
	// files besides SKILL.md.
	SkillDir string
	// PluginManifest is a plugin's manifest, or "" if no plugins are passed. PluginInert lists the manifest keys that start
	// nothing. PluginRuns lists the top-level names in a plugin whose contents run or are allowed
	// without a prompt.
	PluginManifest          string
	PluginInert, PluginRuns []string
}

// The prompt files of VS Code have the suffix EditorSuffix and can refer to variables (documented).
// Only EditorProject, the project directory, also has a meaning outside the editor.
const (
	EditorSuffix  = ".prompt.md"
	EditorProject = "workspaceFolder"
)

// EditorWords returns the other variables of VS Code.
func EditorWords() []string {
	return []string{
		"workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension",
		"relativeFile", "relativeFileDirname", "lineNumber",
	}
}
