package host

import "github.com/vadehq/vade/definition"

// PluginExport describes a host's plugin layout. Paths are relative to the plugin's directory,
// except for Marketplace, which is relative to that directory's parent.
type PluginExport struct {
	// Manifest is the file that makes a directory a plugin. Schema is the
	// manifest's "$schema", if the host requires one.
	Manifest, Schema string
	// Marketplace is the file that lists plugins, next to the plugin's directory.
	Marketplace string
	// Dir returns the directory for files of the given kind, or "" if a plugin cannot contain them.
	Dir func(definition.Kind) string
	// Servers is the format of the MCP server file. Its Path is relative to the plugin.
	Servers *ServerFormat
	// Root is the host's variable that refers to the plugin's own directory, or "" if there is
	// none. Project is the prefix for paths in the project.
	Root, Project string
	// Dots is set if plugin names may contain single dots in addition to lowercase letters, digits
	// and single hyphens. In all formats, a name has at most 64 characters.
	Dots bool
	// Ignored returns the fields that have no effect in plugin definitions of the given kind.
	Ignored func(definition.Kind) []string
	// Basis and Source document the evidence for the table.
	Basis  Basis
	Source string
}

// ComponentDirs returns a [PluginExport.Dir] function for plugins that can include the given kinds.
// The directory names are the same for all hosts.
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

// MarketplaceFile is the path of Claude Code's marketplace file. Copilot CLI also reads it, but its
// own file takes precedence, according to its documentation.
const MarketplaceFile = ".claude-plugin/marketplace.json"

// PluginManifest is the path of Claude Code's plugin manifest, relative to the plugin. Several
// other hosts also read it.
const PluginManifest = ".claude-plugin/plugin.json"
