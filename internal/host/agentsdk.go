package host

import "github.com/vadehq/vade/definition"

// OptionsForm is the type of an SDK's options.
type OptionsForm uint8

// The options types of the supported SDKs.
const (
	// QueryOptions is the Claude Agent SDK's Options type.
	QueryOptions OptionsForm = iota
	// SessionConfig is the Copilot SDK's SessionConfig type. It has no list of
	// denied tools and no rules for tool calls.
	SessionConfig
)

// AgentSDK describes an SDK that receives definitions in a single options object, which a module
// passes to it.
type AgentSDK struct {
	// Name is the SDK's name on the command line, and Version is its observed version.
	Name, Version string
	// Form is the type of the options object.
	Form OptionsForm
	// Module is the module's source text.
	Module string
	// Preset is the name of the SDK's system prompt to which exported text is appended.
	Preset string
	// Tool is the full name of the tool that loads a skill. Server is the name
	// of the MCP server that provides it.
	Server, Tool string
	// Unsupported lists the fields that the SDK's agents do not support.
	Unsupported []definition.Field
	// ToolName returns the SDK's name for a tool. nil means that the SDK uses the neutral names.
	ToolName func(name string) string
	// Model reports whether the SDK accepts name as a model name.
	Model func(name string) bool
	// Efforts lists the reasoning effort levels. Memories lists the places
	// where an agent can keep its memory.
	Efforts, Memories []string
	// Modes lists the permission modes that do not widen permissions. A file may request one of
	// these modes without the user's approval.
	Modes []string
	// SkillDir is the label for the skill's directory. The label and the directory precede the
	// skill's text if the skill has files besides SKILL.md.
	SkillDir string
	// PluginManifest is the path of a plugin's manifest, or "" if plugins are not passed to the
	// SDK. PluginInert lists the manifest keys that cannot start a program. PluginRuns lists the
	// plugin's top-level files and directories that can start programs or grant permissions without
	// asking the user.
	PluginManifest          string
	PluginInert, PluginRuns []string
}

// According to VS Code's documentation, prompt files have the suffix EditorSuffix and can refer to
// variables. The only variable with a meaning outside the editor is EditorProject, the project
// directory.
const (
	EditorSuffix  = ".prompt.md"
	EditorProject = "workspaceFolder"
)

// EditorWords returns all VS Code variables except EditorProject. They have no meaning outside the
// editor.
func EditorWords() []string {
	return []string{
		"workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension",
		"relativeFile", "relativeFileDirname", "lineNumber",
	}
}
