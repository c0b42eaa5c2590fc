package host

import "github.com/vadehq/vade/definition"

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

// ComponentDirs are the directories that plugins of all hosts have.
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

// MarketplaceFile is the one that most hosts read: Claude Code, and Copilot behind
// its own (documented).
const MarketplaceFile = ".claude-plugin/marketplace.json"
