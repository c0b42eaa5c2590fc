package host

// AgentSDK describes how an SDK receives definitions: as one options object, and a module that
// passes the object on.
type AgentSDK struct {
	// Options, Skills, Commands, Agents and Module are file names. Record is the name of
	// the file that lists what was exported.
	Options, Skills, Commands, Agents, Module, Record string
	// Text is the source text of the module.
	Text string
	// Preset is the system prompt that exported text is appended to.
	Preset string
	// Tool is the full name of the tool that loads a skill. Server is the name of its
	// MCP server.
	Server, Tool string
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
	// EditorSuffix is the suffix of an editor's own prompt files. EditorProject is the
	// editor's variable for the project directory, EditorWords its other variables.
	EditorSuffix, EditorProject string
	EditorWords                 []string
	// PluginManifest is a plugin's manifest. PluginInert lists the manifest keys that start
	// nothing. PluginRuns lists the top-level names in a plugin whose contents run or are allowed
	// without a prompt.
	PluginManifest          string
	PluginInert, PluginRuns []string
}
