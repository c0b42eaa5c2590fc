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

// serversSource is what .vade/sync.json says that files of MCP servers are made of.
const serversSource = "MCP servers"

// wantedServers returns the files of MCP servers that hosts need: those that hold nothing
// else, and that the project has not got by itself. The entries are those of all files
// that Vade has not written. The catalog has the neutral view and has read nothing yet.
func (y *Syncer) wantedServers(ctx context.Context, c *catalog.Catalog) ([]want, error) {
	files := slices.DeleteFunc(c.Profile.ConfigFiles(), func(f host.Config) bool {
		return f.Layer == definition.Project && y.State.Has(f.Path)
	})
	c.Profile.Configs = func() []host.Config { return files }
	list, err := servers.List(ctx, c)
	if err != nil {
		return nil, err
	}
	var wants []want
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
		there := err == nil
		if x.Shared || there && !y.State.Has(x.Path) {
			same, err := y.hasServers(ctx, h.Host, list)
			if err != nil {
				return nil, err
			}
			if !same {
				y.sayServers(x, there)
			}
			continue
		}
		if y.widens(h.Host, x.Losses, func(l *export.HostLoss) bool { return slices.Contains(x.Losses, *l) }) {
			continue
		}
		y.Result.Losses = append(y.Result.Losses, x.Losses...)
		wants = append(wants, want{path: x.Path, data: x.Data, source: serversSource, hosts: []string{h.Host}})
	}
	return wants, nil
}

// sayServers reports that a host's file does not get the servers of the project.
func (y *Syncer) sayServers(x *export.ServerExport, there bool) {
	d := diag.For(x.Path, diag.SyncHost, "the project has a file of MCP servers for %s by itself, which stays as it is and has not all servers of the others", x.Host).
		WithFix("put the text of vade mcp export %s into it by hand", x.Host)
	switch {
	case x.Shared && there:
		d.Message = x.Host + " has its servers in a file with other settings, which stays as it is and has not all servers of the project"
	case x.Shared:
		d.Message = x.Host + " has its servers in a file with other settings, which is not there and is not made: it gets none"
		d.Fix = "have it made once: vade mcp export " + x.Host + " --out ."
	}
	d.Severity = diag.Warning
	y.Result.Diagnostics = append(y.Result.Diagnostics, d)
}

// hasServers reports whether a host finds in the project's files what would be written for
// it: what is exported of its own view is the same.
func (y *Syncer) hasServers(ctx context.Context, name string, list *servers.Servers) (bool, error) {
	request := export.Request{Host: name}
	want, _, err := export.Map(list, request)
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
	own, err := servers.List(ctx, c)
	if err != nil {
		return false, err
	}
	has, _, err := export.Map(own, request)
	for key, entry := range want {
		if string(has[key]) != string(entry) {
			return false, err
		}
	}
	return true, err
}
