package host

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
