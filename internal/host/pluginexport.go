package host

import "github.com/vadehq/vade/definition"

// PluginExport describes the layout of a host's plugin. Paths are relative to the
// plugin's directory. The marketplace path is relative to its parent directory.
type PluginExport struct {
	// Manifest is the file that makes a directory a plugin. Schema is the manifest's "$schema",
	// if it needs one.
	Manifest, Schema string
	// Marketplace is the file that lists plugins, next to the plugin's directory.
	Marketplace string
	// Dir returns the directory for the files of a kind, or "" if plugins cannot include the
	// kind.
	Dir func(definition.Kind) string
	// Servers is the format of the MCP server file, whose Path is relative to the
	// plugin.
	Servers *ServerFormat
	// Root is the variable for the plugin's own directory, or "". Project is the prefix
	// for a path in the project.
	Root, Project string
	// Dots means that names may contain single dots. Otherwise names have only lowercase letters,
	// digits and single hyphens, and at most 64 characters.
	Dots bool
	// Ignored returns the fields of a kind that have no effect in a plugin.
	Ignored func(definition.Kind) []string
	// Basis and Source state the evidence for the table.
	Basis  Basis
	Source string
}

// ComponentDirs returns a function for the directories that the plugins of all hosts have.
func ComponentDirs(kinds ...definition.Kind) func(definition.Kind) string {
	return func(k definition.Kind) string {
		for _, has := range kinds {
			if has == k {
				return k.String() + "s"
			}
		}
		return ""
	}
}

// MarketplaceFile is the marketplace file that most hosts read: Claude Code reads it, and Copilot
// does after its own (documented).
const MarketplaceFile = ".claude-plugin/marketplace.json"

// PluginManifest is the manifest of a plugin, relative to the plugin, in most hosts.
const PluginManifest = ".claude-plugin/plugin.json"
