package host

import "github.com/vadehq/vade/internal/definition"

// PluginExport says how a plugin of a host is laid out. Paths are below the
// plugin's directory, that of the marketplace below the one that holds it.
type PluginExport struct {
	// Manifest is the file that makes a directory a plugin, Schema what it says under
	// "$schema" where it has to.
	Manifest, Schema string
	// Marketplace is the file that lists plugins, beside the plugin's directory.
	Marketplace string
	// Dir is where the files of a kind stand, "" for a kind that plugins do not
	// carry.
	Dir func(definition.Kind) string
	// Servers is the format of the file of MCP servers, whose Path is below the
	// plugin.
	Servers *ServerFormat
	// Root is what a text may write for the plugin's own directory, "" for nothing,
	// Project what it may write before a path of the project.
	Root, Project string
	// Dots: a name may have single dots. All names are of small letters, digits and
	// single hyphens, of at most 64 characters.
	Dots bool
	// Ignored are fields of a kind that have no effect in a plugin.
	Ignored func(definition.Kind) []string
	// Basis and Source say what the table rests on.
	Basis  Basis
	Source string
}

// componentDirs are the directories that plugins of all hosts have.
func componentDirs(kinds ...definition.Kind) func(definition.Kind) string {
	return func(k definition.Kind) string {
		for _, has := range kinds {
			if has == k {
				return k.String() + "s"
			}
		}
		return ""
	}
}

// marketplaceFile is the one that most hosts read: Claude Code, and Copilot behind
// its own (documented).
const marketplaceFile = ".claude-plugin/marketplace.json"

// claudePlugin is a plugin of Claude Code: its manifest and directories as the
// profile reads them. That the hooks, servers and mode of permission of a plugin's
// agent have no effect is documented.
func claudePlugin() *PluginExport {
	return &PluginExport{
		Manifest: ".claude-plugin/plugin.json", Marketplace: marketplaceFile,
		Dir:     componentDirs(definition.Skill, definition.Command, definition.Agent),
		Servers: mcpJSON(), Root: claudePluginRoot, Project: "${CLAUDE_PROJECT_DIR}/",
		Ignored: func(k definition.Kind) []string {
			if k == definition.Agent {
				return []string{"hooks", "mcpServers", "permissionMode"}
			}
			return nil
		},
		Basis: Documented, Source: "formats dossier, section 3.13; plugins reference",
	}
}

// copilotPlugin is a plugin of Copilot CLI (documented: cli-plugin-reference). Its
// commands are skills, as in a project.
func copilotPlugin() *PluginExport {
	return &PluginExport{
		Manifest: ".github/plugin/plugin.json", Marketplace: marketplaceFile,
		Dir:     componentDirs(definition.Skill, definition.Agent),
		Servers: copilotServers(),
		Basis:   Documented, Source: "cli-plugin-reference",
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
