package host

import "github.com/vadehq/vade/internal/definition"

// UnreadSetting is a key of a host's settings file that changes what the host
// loads, and that Vade does not read: where it is there, that is said.
type UnreadSetting struct {
	// Base is where the file is looked for: InWorkDir, InProject or InHome. Env and
	// EnvDepth are those of a [Root].
	Base      Base
	Path, Env string
	EnvDepth  int
	Format    definition.Format
	// Key are the keys from the top of the file down to the value.
	Key []string
	// What says what the host does with it, as in "names further files".
	What string
}

// unreadIn are keys of one file, each with what it does.
func unreadIn(b Base, path, env string, keys ...[2]string) []UnreadSetting {
	var list []UnreadSetting
	for _, k := range keys {
		list = append(list, UnreadSetting{Base: b, Path: path, Env: env, Key: []string{k[0]}, What: k[1]})
	}
	return list
}

// belowKey puts the keys of settings below another key.
func belowKey(key string, list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Key = append([]string{key}, list[i].Key...)
	}
	return list
}

// inTOML are settings of TOML files.
func inTOML(list []UnreadSetting) []UnreadSetting {
	for i := range list {
		list[i].Format = definition.TOML
	}
	return list
}

// codexUnread: documented.
func codexUnread() []UnreadSetting {
	keys := [][2]string{
		{"project_doc_fallback_filenames", "names files that take the place of a missing AGENTS.md"},
		{"project_doc_max_bytes", "says how much of the instruction files is sent"},
		{"project_root_markers", "says what the top of a project is known by"},
	}
	return append(inTOML(unreadIn(InHome, ".codex/config.toml", codexHome, keys...)),
		inTOML(unreadIn(InProject, ".codex/config.toml", "", keys...))...)
}

// openCodeUnread: documented.
func openCodeUnread() []UnreadSetting {
	keys := [][2]string{
		{"instructions", "names further instruction files"},
		{"command", "defines commands"},
		{"agent", "defines agents"},
	}
	skills := [][2]string{{"paths", "names further directories of skills"}, {"urls", "names places on the network with skills"}}
	var list []UnreadSetting
	for _, name := range []string{"opencode.json", "opencode.jsonc"} {
		for _, at := range []UnreadSetting{
			{Base: InProject, Path: name}, {Base: InProject, Path: ".opencode/" + name},
			{Base: InHome, Path: ".config/opencode/" + name, Env: "XDG_CONFIG_HOME"},
		} {
			list = append(list, unreadIn(at.Base, at.Path, at.Env, keys...)...)
			list = append(list, belowKey("skills", unreadIn(at.Base, at.Path, at.Env, skills...))...)
		}
	}
	return list
}

// geminiUnread: source, settingsSchema.ts.
func geminiUnread() []UnreadSetting {
	names := [2]string{"fileName", "names the instruction files that are read in the place of GEMINI.md"}
	off := [2]string{"disabled", "switches skills off"}
	var list []UnreadSetting
	for _, b := range []Base{InWorkDir, InHome} {
		list = append(list, belowKey("context", unreadIn(b, ".gemini/settings.json", "", names))...)
		list = append(list, belowKey("skills", unreadIn(b, ".gemini/settings.json", "", off))...)
	}
	for i := range list {
		if list[i].Base == InHome {
			list[i].Env, list[i].EnvDepth = geminiHome, EnvHome
		}
	}
	return list
}

// qwenUnread: source, settingsSchema.ts.
func qwenUnread() []UnreadSetting {
	names := [2]string{"fileName", "names the instruction files that are read in the place of QWEN.md and AGENTS.md"}
	return append(belowKey("context", unreadIn(InWorkDir, ".qwen/settings.json", "", names)),
		belowKey("context", unreadIn(InHome, ".qwen/settings.json", qwenHome, names))...)
}

// copilotCLIUnread: that the key is there is documented, the files are inferred.
func copilotCLIUnread() []UnreadSetting {
	keys := [][2]string{
		{"ignoredSkillsLocations", "leaves directories of skills out"}, {"disabledSkills", "switches skills off"},
	}
	list := unreadIn(InProject, ".github/copilot/settings.json", "", keys...)
	for _, name := range []string{"config.json", "settings.json"} {
		list = append(list, unreadIn(InHome, ".copilot/"+name, copilotHome, keys...)...)
	}
	return list
}

// copilotVSCodeUnread are settings of the workspace (documented). Those of the user
// stand in a directory of the editor that is not looked into.
func copilotVSCodeUnread() []UnreadSetting {
	return unreadIn(InWorkDir, ".vscode/settings.json", "",
		[2]string{"chat.agentSkillsLocations", "says which directories of skills are read"},
		[2]string{"chat.instructionsFilesLocations", "says which directories of instructions are read"},
		[2]string{"chat.promptFilesLocations", "says which directories of prompts are read"},
		[2]string{"chat.agentFilesLocations", "says which directories of agents are read"},
		[2]string{"chat.useAgentsMdFile", "says whether AGENTS.md is read"},
		[2]string{"chat.useClaudeMdFile", "says whether CLAUDE.md is read"},
		[2]string{"chat.useCustomizationsInParentRepositories", "has the directories above the folder read"},
		[2]string{"github.copilot.chat.codeGeneration.useInstructionFiles", "says whether copilot-instructions.md is read"},
	)
}

// piUnread: source, settings-manager.ts.
func piUnread() []UnreadSetting {
	keys := [][2]string{
		{"skills", "names further files and directories of skills, or leaves some out"},
		{"prompts", "names further files and directories of prompts, or leaves some out"},
		{"packages", "brings in packages with skills and prompts"},
	}
	list := unreadIn(InWorkDir, ".pi/settings.json", "", keys...)
	for _, s := range unreadIn(InHome, ".pi/agent/settings.json", piAgentDir, keys...) {
		s.EnvDepth = 2
		list = append(list, s)
	}
	return list
}
