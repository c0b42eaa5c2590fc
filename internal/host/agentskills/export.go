package agentskills

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// export describes how to write definitions for the open standard. According to its specification,
// the standard covers only skills.
func export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			if k != definition.Skill {
				return nil
			}
			return &host.ExportPlace{Dir: ".agents/skills", File: "SKILL.md", Join: "-", Kebab: true, Name: true}
		},
		CommandAsSkill: true,
		Tools:          &host.ExportTools{Name: host.SameTool, Server: host.MCPToolName, Rules: true, SpaceSeparated: true},
		Model:          host.OwnModel,
		Basis:          host.FromSource, Source: "specification; skills-ref/validator.py",
	}
}

func Configs() []host.Config {
	return []host.Config{
		host.ServersIn(definition.Plugin, host.InPlugin, "mcp.json", servers(), "servers"),
	}
}

// plugin describes an Agent Plugins 1.0.0 plugin. According to the specification, a plugin can
// contain only skills and MCP servers. The specification does not define a marketplace file, so
// Vade writes Claude Code's, which clients of the standard also read.
func plugin() *host.PluginExport {
	return &host.PluginExport{
		Manifest: "plugin.json", Schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", Marketplace: host.MarketplaceFile,
		Dir:     host.ComponentDirs(definition.Skill),
		Servers: servers(), Dots: true,
		Basis: host.Documented, Source: "Agent Plugins 1.0.0, sections 5 to 7",
	}
}

// servers describes mcp.json in an Agent Plugins 1.0.0 plugin (see sections 7.2 and 9 of the
// specification). The format has placeholders for the plugin's directories but does not support
// references to environment variables.
func servers() *host.ServerFormat {
	return &host.ServerFormat{
		Name: "mcp.json in Agent Plugins", Basis: host.Documented, Path: "mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Schema:    "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
		Types:     []host.ServerWord{{Word: "stdio", Transport: host.Stdio}, {Word: "streamable-http", Transport: host.HTTP}, {Word: "sse", Transport: host.SSE}, {Word: "http", Transport: host.HTTP}},
		Addresses: []host.ServerWord{{Word: "url", Transport: host.HTTP}, {Word: "url", Transport: host.SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers",
		RefsIn:   host.AtArgs | host.AtEnv | host.AtCwd,
		Words:    []host.ServerPlace{{Word: "${PLUGIN_ROOT}", Var: host.VarPlugin}, {Word: "${PLUGIN_DATA}", Var: host.VarPluginData}},
		Portable: true,
	}
}
