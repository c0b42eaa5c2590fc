package host

import (
	"github.com/vadehq/vade/internal/definition"
)

// agentSkillsExport is how skills are written for the open standard, which has
// skills alone (specification).
func agentSkillsExport() *Export {
	return &Export{
		Place: func(k definition.Kind) *ExportPlace {
			if k != definition.Skill {
				return nil
			}
			return &ExportPlace{Dir: ".agents/skills", File: "SKILL.md", Join: "-", Kebab: true, Name: true}
		},
		CommandAsSkill: true,
		Tools:          &ExportTools{Name: sameTool, Server: mcpToolName, Rules: true, Blanks: true},
		Model:          ownModel,
		Basis:          FromSource, Source: "specification; skills-ref/validator.py",
	}
}

func agentSkillsConfigs() []Config {
	return []Config{
		serversIn(definition.Plugin, InPlugin, "mcp.json", portableServers(), "servers"),
	}
}

// portablePlugin is a plugin of Agent Plugins 1.0.0: skills and MCP servers, and
// nothing else (the specification). It has no marketplace of its own: the one
// that its clients read beside it is written.
func portablePlugin() *PluginExport {
	return &PluginExport{
		Manifest: "plugin.json", Schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", Marketplace: marketplaceFile,
		Dir:     componentDirs(definition.Skill),
		Servers: portableServers(), Dots: true,
		Basis: Documented, Source: "Agent Plugins 1.0.0, sections 5 to 7",
	}
}

// portableServers are the file mcp.json of an Agent Plugins 1.0.0 plugin: the
// specification, sections 7.2 and 9. It has no references to variables.
func portableServers() *ServerFormat {
	return &ServerFormat{
		Name: "mcp.json of Agent Plugins", Basis: Documented, Path: "mcp.json", Syntax: definition.Package, Key: "mcpServers",
		Schema:    "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
		Types:     []ServerWord{{Word: "stdio", Transport: Stdio}, {Word: "streamable-http", Transport: HTTP}, {Word: "sse", Transport: SSE}, {Word: "http", Transport: HTTP}},
		Addresses: []ServerWord{{Word: "url", Transport: HTTP}, {Word: "url", Transport: SSE}},
		Args:      "args", Env: "env", Cwd: "cwd", Headers: "headers",
		RefsIn:   AtArgs | AtEnv | AtCwd,
		Words:    []ServerPlace{{Word: "${PLUGIN_ROOT}", Var: VarPlugin}, {Word: "${PLUGIN_DATA}", Var: VarPluginData}},
		Portable: true,
	}
}
