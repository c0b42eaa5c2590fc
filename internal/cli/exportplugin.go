package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
)

// pluginFlags are the flags of vade export that make a plugin.
func pluginFlags(c *cobra.Command, r *export.PluginRequest) {
	flags := c.Flags()
	flags.StringVar(&r.Name, "as-plugin", "", "make a plugin of this `NAME` and a marketplace beside it, for "+strings.Join(export.PluginHosts(), ", "))
	flags.StringVar(&r.Version, "plugin-version", "", "with --as-plugin: its `VERSION`, such as 1.2.3 (default 0.1.0)")
	flags.BoolVar(&r.NoServers, "no-mcp", false, "with --as-plugin: leave the MCP servers out")
	flags.StringVar(&r.Description, "plugin-description", "", "with --as-plugin: `TEXT` that says what it is for")
	flags.StringVar(&r.Author, "plugin-author", "", "with --as-plugin: the `NAME` of who made it")
}

// exportOf makes the export that the flags ask for.
func exportOf(ctx context.Context, cat *catalog.Catalog, f exportFlags) (*export.Export, error) {
	if f.plugin.Name == "" {
		if f.plugin.Version+f.plugin.Description+f.plugin.Author != "" || f.plugin.NoServers {
			return nil, usage{failure{"--plugin-version, --plugin-description, --plugin-author and --no-mcp are for --as-plugin", "name the plugin: --as-plugin NAME"}}
		}
		return export.To(ctx, cat, f.request)
	}
	f.plugin.Request = f.request
	return export.Plugin(ctx, cat, f.plugin)
}

// pluginNameHint says which name a plugin can have.
func pluginNameHint(host, name string) string {
	if near := export.NearestPluginName(host, name); near != "" {
		return "use --as-plugin " + near
	}
	return "use small letters, digits and hyphens, such as my-plugin"
}
