package host

import "github.com/vadehq/vade/internal/definition"

func qwenConnect(string) Connect {
	return Connect{
		Project: []string{".qwen/settings.json"}, User: []string{".qwen/settings.json"},
		Next: "it reads the file only in a folder that you trust; see /mcp",
	}
}

func qwenConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".qwen/settings.json", qwenServers()),
		serversIn(definition.User, InHome, ".qwen/settings.json", qwenServers()).movedBy(qwenHome, 0),
	}
}

// qwenServers are those of Qwen Code, which has Gemini CLI's: documented.
func qwenServers() *ServerFormat {
	f := geminiServers()
	f.Name, f.Path = ".qwen/settings.json", ".qwen/settings.json"
	return f
}

// qwenUnread: source, settingsSchema.ts.
func qwenUnread() []UnreadSetting {
	names := [2]string{"fileName", "names the instruction files that are read in the place of QWEN.md and AGENTS.md"}
	return append(belowKey("context", unreadIn(InWorkDir, ".qwen/settings.json", "", names)),
		belowKey("context", unreadIn(InHome, ".qwen/settings.json", qwenHome, names))...)
}
