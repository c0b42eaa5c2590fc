package host

import (
	"time"

	"github.com/vadehq/vade/internal/definition"
)

func openCodeConnect(string) Connect {
	return Connect{
		Project: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
		User:    []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
		Next:    "start it anew; see: opencode mcp list",
	}
}

func openCodeConfigs() []Config {
	return []Config{
		serversIn(definition.Project, InProject, "opencode.json", openCodeServers()),
		serversIn(definition.Project, InProject, "opencode.jsonc", openCodeServers()),
		serversIn(definition.Project, InProject, ".opencode/opencode.json", openCodeServers()),
		serversIn(definition.Project, InProject, ".opencode/opencode.jsonc", openCodeServers()),
		serversIn(definition.User, InHome, ".config/opencode/opencode.json", openCodeServers()).movedBy("XDG_CONFIG_HOME", 0),
		serversIn(definition.User, InHome, ".config/opencode/opencode.jsonc", openCodeServers()).movedBy("XDG_CONFIG_HOME", 0),
	}
}

// openCodeServers are the key mcp of opencode's configuration: source
// (config/mcp.ts); {env:NAME} is replaced in the text of the whole file:
// documented.
func openCodeServers() *ServerFormat {
	return &ServerFormat{
		Name: "opencode.json", Basis: FromSource, Path: "opencode.json", Shared: true, Syntax: definition.Package, Key: "mcp",
		Types:       []ServerWord{{Word: "local", Transport: Stdio}, {Word: "remote", Transport: HTTP}, {Word: "remote", Transport: SSE}},
		Addresses:   []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}},
		Detects:     true,
		CommandList: true, Env: "environment", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond, On: "enabled",
		Refs: RefCurly, RefsIn: AtAll,
	}
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
