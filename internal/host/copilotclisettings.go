package host

import (
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// copilotCLIConnect: documented. The project's .mcp.json is read too, and is Claude
// Code's.
func copilotCLIConnect(string) Connect {
	return Connect{
		Project: []string{".github/mcp.json"}, User: []string{".copilot/mcp-config.json"},
		Next: "it reads the file only in a directory that you trust; see /mcp",
	}
}

func copilotCLIConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, ".mcp.json", mcpJSON(), "servers", "."),
		serversIn(definition.Project, InProject, ".github/mcp.json", copilotServers(), "servers"),
		hooksIn(definition.Project, InProject, ".github/hooks/hooks.json"),
		serversIn(definition.User, InHome, ".copilot/mcp-config.json", copilotServers()).movedBy(copilotHome, 0),
		serversIn(definition.Plugin, InPlugin, ".mcp.json", mcpJSON(), "."),
		serversIn(definition.Plugin, InPlugin, ".github/mcp.json", copilotServers(), "servers"),
	}
}

// copilotServers are the files of Copilot CLI. The fields, the list of tools and
// $NAME beside ${NAME} are documented; that defaults work is inferred.
func copilotServers() *ServerFormat {
	return &ServerFormat{
		Name: ".github/mcp.json", Basis: Documented, Path: ".github/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []ServerWord{{Word: "local", Transport: Stdio}, {Word: "stdio", Transport: Stdio}, {Word: "http", Transport: HTTP}, {Word: "sse", Transport: SSE}},
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "tools", AllTools: "*",
		Refs: RefBraces | RefDefault | RefDollar, RefsIn: AtAll,
		Words: []ServerPlace{{Word: "${CLAUDE_PLUGIN_ROOT}", Var: VarPlugin}},
	}
}

// copilotAgentServers are the mcp-servers of a Copilot agent: documented.
func copilotAgentServers(key string, _ definition.Format) *ServerFormat {
	if key != "mcp-servers" {
		return nil
	}
	f := copilotServers()
	f.Name, f.Path, f.Key = "mcp-servers of an agent", "", "mcp-servers"
	f.Refs |= RefActions | RefEnv | RefInput
	return f
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
