package copilotcli

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
)

// Tools describes Copilot's tool aliases.
func Tools() *host.ExportTools {
	return &host.ExportTools{Name: tool, Server: slashServerTool}
}

// tool returns a tool's alias as given in Copilot's documentation (custom-agents-configuration,
// github/docs@03e038c). VS Code uses the same aliases.
func tool(neutral string) string {
	return map[string]string{
		"Read": "read", "NotebookRead": "read", "Edit": "edit", "Write": "edit",
		"MultiEdit": "edit", "NotebookEdit": "edit", "Grep": "search", "Glob": "search",
		"LS": "search", "Bash": "execute", "WebFetch": "web", "WebSearch": "web", "Agent": "agent",
		"Task": "agent", "TodoWrite": "todo",
	}[neutral]
}

// NeutralTools returns the neutral tools for a Copilot alias.
func NeutralTools(word string) []string {
	switch word {
	case "read":
		return []string{"Read"}
	case "edit":
		return []string{"Edit", "Write"}
	case "search":
		return []string{"Grep", "Glob"}
	case "execute", "shell", "powershell":
		return []string{"Bash"}
	case "web":
		return []string{"WebFetch", "WebSearch"}
	case "agent", "custom-agent":
		return []string{"Agent"}
	case "todo":
		return []string{"TodoWrite"}
	}
	return nil
}

// cliTools describes Copilot CLI's tools. The CLI also accepts Claude Code's names (see
// custom-agents-configuration in Copilot's documentation and the format notes, section 5.1).
func cliTools() *host.ExportTools {
	t := Tools()
	t.Aliases = true
	return t
}

// Export describes how definitions are written for Copilot CLI, which does not replace anything in
// bodies (cases n05 and n07).
func Export() *host.Export {
	return &host.Export{
		Place: func(k definition.Kind) *host.ExportPlace {
			switch k {
			case definition.Skill:
				return &host.ExportPlace{Dir: ".github/skills", File: "SKILL.md", Join: "-", Name: true}
			case definition.Agent:
				return &host.ExportPlace{Dir: ".github/agents", Suffix: ".agent.md", Join: "-", Name: true, MaxBody: 30_000}
			}
			return nil
		},
		CommandAsSkill: true,
		Tools:          cliTools(), Model: host.OwnModel,
		Instructions: &host.ExportInstructions{
			Whole: ".github/copilot-instructions.md",
			Dir:   ".github/instructions", Suffix: ".instructions.md", Paths: "applyTo", Everything: "**",
		},
		Basis: host.Documented, Source: "custom-agents-configuration; format notes, section 5.1",
	}
}

// slashServerTool returns Copilot's name for an MCP server's tool, according to Copilot CLI's
// documentation.
func slashServerTool(server, tool string) string {
	if tool == "" {
		tool = "*"
	}
	return server + "/" + tool
}

// plugin describes a Copilot CLI plugin, according to cli-plugin-reference in Copilot's
// documentation. Commands become skills, as in a project.
func plugin() *host.PluginExport {
	return &host.PluginExport{
		Manifest: ".github/plugin/plugin.json", Marketplace: host.MarketplaceFile,
		Dir:     host.ComponentDirs(definition.Skill, definition.Agent),
		Servers: servers(),
		Basis:   host.Documented, Source: "cli-plugin-reference",
	}
}
