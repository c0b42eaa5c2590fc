package materialize

import (
	"context"
	"errors"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/servers"
)

// wantedServers returns the files of MCP servers that should stand: those that hold
// nothing else, and that the project has not got by itself. The entries are those of
// all files that were not made.
func (y *Syncer) wantedServers(ctx context.Context, hosts []catalog.CheckedHost) ([]mirror.Want, error) {
	o := y.Options
	o.Made = y.made
	c, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	servers, err := servers.List(ctx, c)
	if err != nil {
		return nil, err
	}
	var wants []mirror.Want
	for _, h := range hosts {
		x, err := export.Servers(ctx, servers, export.Request{Host: h.Host})
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
		if x.Shared || there && !y.State.Made(x.Path) {
			if same, err := y.hasServers(ctx, h.Host, servers); err != nil || same {
				if err != nil {
					return nil, err
				}
				continue
			}
			y.sayServers(x, there)
			continue
		}
		if y.widens(h.Host, x.Losses, func(l *export.HostLoss) bool { return slices.Contains(x.Losses, *l) }) {
			continue
		}
		y.Result.Losses = append(y.Result.Losses, x.Losses...)
		wants = append(wants, mirror.Want{Path: x.Path, Data: x.Data, Source: serversSource, Hosts: []string{h.Host}})
	}
	return wants, nil
}

// serversSource is what .vade/sync.json says that files of MCP servers are made of.
const serversSource = "MCP servers"

// sayServers reports that a host's file does not get the servers of the project.
func (y *Syncer) sayServers(x *export.ServerExport, there bool) {
	d := diag.For(x.Path, diag.SyncHost, "the project has a file of MCP servers for %s by itself, which stays as it is and has not all servers of the others", x.Host).
		WithFix("put the text of vade mcp export %s into it by hand", x.Host)
	switch {
	case x.Shared && there:
		d = diag.For(x.Path, diag.SyncHost, "%s has its servers in a file with other settings, which stays as it is and has not all servers of the project", x.Host).
			WithFix("put the text of vade mcp export %s into it by hand", x.Host)
	case x.Shared:
		d = diag.For(x.Path, diag.SyncHost, "%s has its servers in a file with other settings, which is not there and is not made: it gets none", x.Host).
			WithFix("have it made once: vade mcp export %s --out .", x.Host)
	}
	d.Severity = diag.Warning
	y.Result.Diagnostics = append(y.Result.Diagnostics, d)
}

// hasServers reports whether a host finds in the project's files what would be written for
// it: what is exported of its own view is the same.
func (y *Syncer) hasServers(ctx context.Context, name string, list *servers.Servers) (bool, error) {
	want, _, err := export.Map(list, export.Request{Host: name})
	if err != nil {
		return false, err
	}
	o := y.Options
	o.As, o.Made = name, y.made
	c, err := Open(ctx, o)
	if err != nil {
		return false, err
	}
	defer c.Close()
	own, err := servers.List(ctx, c)
	if err != nil {
		return false, err
	}
	has, _, err := export.Map(own, export.Request{Host: name})
	if err != nil {
		return false, err
	}
	for key, entry := range want {
		if string(has[key]) != string(entry) {
			return false, nil
		}
	}
	return true, nil
}
