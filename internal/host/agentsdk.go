package host

import (
	_ "embed" // holds the module
	"slices"
	"strings"
)

// AgentSDK says how an SDK takes definitions: as one object of options, with a
// module beside it that hands them over.
type AgentSDK struct {
	// Options, Skills, Commands, Agents and Module are the names of the files, Record
	// that of the one that says what was made.
	Options, Skills, Commands, Agents, Module, Record string
	// Text is the text of the module.
	Text string
	// Preset is the system prompt that texts are put behind.
	Preset string
	// Tool is the full name of the tool that loads a skill, Server what its server
	// is called.
	Server, Tool string
	// Model reports whether a name is one of a model.
	Model func(name string) bool
	// Efforts are the words for how much a model thinks, Memories those for where an
	// agent keeps what it learns.
	Efforts, Memories []string
	// Modes are the permission modes that take away and give nothing: what a file
	// may ask for without its user.
	Modes []string
	// SkillDir stands before the directory of a skill that has further files.
	SkillDir string
	// EditorProject and EditorWords are what an editor puts into the prompts of its own
	// files, which end in EditorSuffix: the directory of the project, and all else.
	EditorSuffix, EditorProject string
	EditorWords                 []string
	// PluginManifest is the manifest of a plugin, PluginInert are its keys that start
	// nothing, and PluginRuns the names at the top of a plugin whose contents start, or
	// are let through, without anybody being asked.
	PluginManifest          string
	PluginInert, PluginRuns []string
}

//go:embed sdk/vade-options.ts
var sdkModule string

// agentSDK is the Claude Agent SDK for TypeScript. All but Modes is the type Options
// of 0.3.329 and what it refers to: source, sdk.d.ts.
func agentSDK() *AgentSDK {
	return &AgentSDK{
		Options: "options.json", Skills: "skills.json", Commands: "commands.json", Agents: "agents.json",
		Module: "vade-options.ts", Record: "vade-made.json", Text: sdkModule,
		Preset: "claude_code", Server: "vade", Tool: "mcp__vade__loadSkill",
		Model: func(name string) bool {
			return slices.Contains([]string{"inherit", "sonnet", "opus", "haiku", "fable"}, name) || strings.HasPrefix(name, "claude-")
		},
		Efforts:  []string{"low", "medium", "high", "xhigh", "max"},
		Memories: []string{"user", "project", "local"},
		Modes:    []string{"default", "plan", "dontAsk"},
		SkillDir: "Base directory for this skill: ",
		// Documented: prompt files and the reference of variables of VS Code. Only the
		// word for the project has one meaning for every editor and none.
		EditorSuffix: ".prompt.md", EditorProject: "workspaceFolder",
		EditorWords: []string{
			"workspaceFolderBasename", "selection", "selectedText", "file", "fileBasename", "fileDirname", "fileBasenameNoExtension",
			"relativeFile", "relativeFileDirname", "lineNumber",
		},
		// Documented: plugins reference. Servers are no part of PluginRuns, since
		// skipMcpDiscovery leaves them out (source, sdk.d.ts).
		PluginManifest: ".claude-plugin/plugin.json",
		PluginInert: []string{
			"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "displayName", "category", "tags",
			"skills", "commands", "agents", "outputStyles", "mcpServers", "metadata",
		},
		PluginRuns: []string{"hooks", ".lsp.json", "monitors", "bin", "workflows", "settings.json"},
	}
}
