package vade

import (
	"context"
	"errors"

	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/mirror"
)

// wantedServers returns the files of MCP servers that should stand: those that hold
// nothing else, and that the project has not got by itself. The entries are those of
// all files that were not made.
func (y *syncer) wantedServers(ctx context.Context, hosts []CheckedHost) ([]mirror.Want, error) {
	o := y.options
	o.made = y.made
	c, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	servers, err := c.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var wants []mirror.Want
	for _, h := range hosts {
		x, err := servers.Export(ctx, ExportRequest{Host: h.Host})
		if errors.Is(err, ErrNoFiles) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if x.Path == "" || len(x.Servers) == 0 {
			continue
		}
		if x.Shared {
			y.result.Diagnostics = append(y.result.Diagnostics, diag.For(x.Path, diag.SyncHost, "%s: its servers stand in %s with other settings, which is left as it is", h.Host, x.Path).
				WithFix("vade mcp export %s --out .", h.Host))
			continue
		}
		if _, err := y.tree.Lstat(x.Path); err == nil && !y.state.Made(x.Path) {
			y.result.Diagnostics = append(y.result.Diagnostics, diag.For(x.Path, diag.SyncHost, "the project has a file of MCP servers for %s, which stays as it is", h.Host).
				WithFix("compare the two with: vade mcp export %s", h.Host))
			continue
		}
		y.result.Losses = append(y.result.Losses, x.Losses...)
		wants = append(wants, mirror.Want{Path: x.Path, Data: x.Data, Source: "MCP servers", Hosts: []string{h.Host}})
	}
	return wants, nil
}
