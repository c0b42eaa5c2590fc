package materialize

import (
	"context"
	"errors"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/servers"
)

// serversSource is the source name recorded in .vade/sync.json for MCP server files.
const serversSource = "MCP servers"

// desiredServers returns the MCP server files that hosts need. It skips files that contain other
// settings and files that the project already has. The entries come from all files that Vade did
// not write. c must be a neutral view that has not been scanned.
func (y *Syncer) desiredServers(ctx context.Context, c *catalog.Catalog) ([]desiredFile, error) {
	files := slices.DeleteFunc(c.Profile.ConfigFiles(), func(f host.Config) bool {
		return f.Layer == definition.Project && y.State.Has(f.Path)
	})
	c.Profile.Configs = func() []host.Config { return files }
	list, err := servers.List(ctx, c)
	if err != nil {
		return nil, err
	}
	var wants []desiredFile
	for _, h := range y.Result.Hosts {
		x, err := export.Servers(ctx, list, export.Request{Host: h.Host})
		if errors.Is(err, export.ErrNoFiles) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if x.Path == "" || len(x.Servers) == 0 {
			continue
		}
		_, err = y.Tree.Lstat(x.Path)
		exists := err == nil
		if x.Shared || exists && !y.State.Has(x.Path) {
			same, err := y.hasServers(ctx, h.Host, list)
			if err != nil {
				return nil, err
			}
			if !same {
				y.reportServers(x, exists)
			}
			continue
		}
		if y.reportWidening(h.Host, x.Losses, func(l *export.HostLoss) bool { return slices.Contains(x.Losses, *l) }) {
			continue
		}
		y.Result.Losses = append(y.Result.Losses, x.Losses...)
		wants = append(wants, desiredFile{path: x.Path, data: x.Data, source: serversSource, hosts: []string{h.Host}})
	}
	return wants, nil
}

// reportServers reports that the project's servers are not written to a host's file.
func (y *Syncer) reportServers(x *export.ServerExport, exists bool) {
	d := diag.For(x.Path, diag.SyncHost, "some of the project's MCP servers are missing from the file, which Vade does not edit because Vade did not create it; %s does not get these servers", x.Host).
		WithFix("manually add the output of vade mcp export %s to the file", x.Host)
	switch {
	case x.Shared && exists:
		d.Message = x.Host + " stores MCP servers in a settings file that Vade does not edit; some of the project's servers are missing from it"
	case x.Shared:
		d.Message = x.Host + " stores MCP servers in a settings file that vade sync does not create, so the host does not get the project's servers"
		d.Fix = "to create the file, run: vade mcp export " + x.Host + " --out ."
	}
	d.Severity = diag.Warning
	y.Result.Diagnostics = append(y.Result.Diagnostics, d)
}

// hasServers reports whether the host already finds the same servers in the project's files. It
// compares the exported entries against the entries that the host finds.
func (y *Syncer) hasServers(ctx context.Context, name string, list *servers.Servers) (bool, error) {
	request := export.Request{Host: name}
	desired, _, err := export.Map(list, request)
	if err != nil {
		return false, err
	}
	o := y.Options
	o.As = name
	c, err := catalog.Open(ctx, o)
	if err != nil {
		return false, err
	}
	defer c.Close()
	actual, err := servers.List(ctx, c)
	if err != nil {
		return false, err
	}
	found, _, err := export.Map(actual, request)
	for key, entry := range desired {
		if string(found[key]) != string(entry) {
			return false, err
		}
	}
	return true, err
}
