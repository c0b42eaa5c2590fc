package copilotcli

import (
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// connect returns the files in Copilot CLI's documentation. Copilot CLI also reads the project's
// .mcp.json, but that file belongs to Claude Code.
func connect(string) host.Connect {
	return host.Connect{
		Project: []string{".github/mcp.json"}, User: []string{".copilot/mcp-config.json"},
		Next: "the host reads this file only in trusted directories; to check, run /mcp in the host",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Project, host.InProject, ".mcp.json", host.MCPJSON(), "servers", "."),
		host.ServersIn(definition.Project, host.InProject, ".github/mcp.json", servers(), "servers"),
		host.HooksIn(definition.Project, host.InProject, ".github/hooks/hooks.json", Hooks()),
		host.ServersIn(definition.User, host.InHome, ".copilot/mcp-config.json", servers()).MovedBy(homeEnv, 0),
		host.ServersIn(definition.Plugin, host.InPlugin, ".mcp.json", host.MCPJSON(), "."),
		host.ServersIn(definition.Plugin, host.InPlugin, ".github/mcp.json", servers(), "servers"),
	}
}

// servers describes Copilot CLI's server files. The fields, the tool list, and $NAME as an
// alternative to ${NAME} are documented. Support for default values in references is inferred.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: ".github/mcp.json", Basis: host.Documented, Path: ".github/mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Types:     []host.ServerWord{{Word: "local", Transport: host.Stdio}, {Word: "stdio", Transport: host.Stdio}, {Word: "http", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}},
		Addresses: []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers", Timeout: "timeout", Unit: time.Millisecond,
		Tools: "tools", AllTools: "*",
		Refs: host.RefBraces | host.RefDefault | host.RefDollar, RefsIn: host.AtAll,
		Words: []host.ServerPlace{{Word: "${CLAUDE_PLUGIN_ROOT}", Var: host.VarPlugin}},
	}
}

// agentServers describes mcp-servers in a Copilot agent, according to Copilot CLI's documentation.
func agentServers(key string, _ definition.Format) *host.ServerFormat {
	if key != "mcp-servers" {
		return nil
	}
	f := servers()
	f.Name, f.Path, f.Key = "an agent's mcp-servers field", "", "mcp-servers"
	f.Refs |= host.RefActions | host.RefEnv | host.RefInput
	return f
}

// settings returns the keys in ~/.copilot/settings.json that disable or exclude skills. In the
// recordings, the other documented files had no such effect.
func settings() []host.UnreadSetting {
	const file = ".copilot/settings.json"
	return host.UnreadIn(host.InHome, file, homeEnv, [2]string{"ignoredSkillsLocations", "excludes skill directories"},
		[2]string{"disabledSkills", "disables skills"})
}

func adaptations() []host.Adaptation {
	return host.Adapting(settings(), "disabledSkills", host.InHome, host.SkillsOff)
}
