package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/servers"
)

// ServerExport is a set of MCP servers in a host's format.
type ServerExport struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	// Path is the host's file, relative to the project root. It is "" if the
	// servers are passed as an option.
	Path string `json:"path,omitempty"`
	// Shared reports whether the host's file also holds other settings. Fragment reports whether
	// that file already exists. If it does, Data contains only the servers, and the user must add
	// them to the file.
	Shared   bool `json:"shared,omitempty"`
	Fragment bool `json:"fragment,omitempty"`
	// Data is the content of the file or fragment. It does not contain secrets. The same servers
	// always produce the same bytes.
	Data []byte `json:"-"`
	// Servers lists the exported servers' names in order.
	Servers []string `json:"servers"`
	// Losses lists what the host cannot express. A loss with Whole set means that the server is
	// omitted.
	Losses []HostLoss `json:"losses"`
}

// Write writes the file to a directory, like [Export.Write]. If a different file exists, Write
// returns [ErrDiffers] unless force is set. It never replaces a file that has other settings.
func (x *ServerExport) Write(dir string, force bool) ([]WrittenFile, error) {
	if x.Path == "" {
		return nil, fmt.Errorf("vade: %s: %w", x.Host, ErrNoFiles)
	}
	e := Export{Files: []ExportedFile{{Path: x.Path, Data: x.Data}}}
	return e.Write(dir, force && !x.Shared)
}

// Servers exports the active servers to another host's file. Request.Host is required, Names
// selects servers by name, and User also includes servers from the user's files. Servers does not
// copy secrets: it replaces each with a reference to an environment variable and reports it as a
// loss. Servers does not write to disk. An existing file with other settings is never replaced; see
// [ServerExport.Fragment].
func Servers(ctx context.Context, s *servers.Servers, r Request) (*ServerExport, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := serverProfile(r.Host)
	if err != nil {
		return nil, err
	}
	list := chosen(s, r)
	f := p.Servers
	x := &ServerExport{Host: p.Name, Version: p.Version, Path: f.Path, Shared: f.Shared}
	var losses []mcp.Loss
	if f.Path == "" {
		var all definition.Value
		all, losses = mcp.Map(list, f, false)
		x.Data = append(jsonc.Append(nil, all, ""), '\n')
	} else {
		x.Data, losses = mcp.Write(list, f, false)
	}
	x.Losses = serverLosses(p.Name, losses)
	x.Servers = keptServers(list, losses)
	if tree := s.C.Quick.Project; f.Shared && tree != nil {
		_, err := tree.Lstat(f.Path)
		x.Fragment = err == nil
	}
	return x, nil
}

// Map returns the active servers in the host's format. The result has one JSON object for each
// server name, even if the host's file is not JSON. Map takes the same request as [Servers].
func Map(s *servers.Servers, r Request) (map[string]json.RawMessage, []HostLoss, error) {
	p, err := serverProfile(r.Host)
	if err != nil {
		return nil, nil, err
	}
	all, losses := mcp.Map(chosen(s, r), p.Servers, false)
	m := map[string]json.RawMessage{}
	for _, e := range all.Pairs {
		m[e.Key] = jsonc.Append(nil, e.Value, "")
	}
	return m, serverLosses(p.Name, losses), nil
}

func serverProfile(name string) (*host.Profile, error) {
	p, ok := registry.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("vade: %s: %w", name, ErrNoHost)
	}
	if p.Servers == nil {
		return nil, fmt.Errorf("vade: %s: MCP servers: %w", p.Name, ErrNoFiles)
	}
	return p, nil
}

// ServerHosts returns the hosts for which MCP servers can be exported.
func ServerHosts() []string { return registry.With(host.CanServers) }

func serverLosses(name string, losses []mcp.Loss) []HostLoss {
	list := []HostLoss{}
	for _, l := range losses {
		list = append(list, HostLoss{
			Host: name, Name: l.Server, Source: l.Source, Line: l.Line, What: l.Kind, Message: l.Message, Fix: l.Fix,
			Whole: l.Omitted, Widens: l.Kind == LossTool,
		})
	}
	return list
}

func keptServers(list []mcp.Server, losses []mcp.Loss) []string {
	names := []string{}
	for i := range list {
		left := slices.ContainsFunc(losses, func(l mcp.Loss) bool { return l.Omitted && l.Server == list[i].Name })
		if !left && !slices.Contains(names, list[i].Name) {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// chosen returns the active entries that a request selects, sorted by name. It skips entries that
// belong to a single agent, and considers entries in the user's files only if r.User is set.
func chosen(s *servers.Servers, r Request) []mcp.Server {
	var list []mcp.Server
	for i := range s.Merged {
		m := &s.Merged[i]
		if m.State != definition.Loaded || m.Agent() != "" || len(r.Names) > 0 && !slices.Contains(r.Names, m.Name) {
			continue
		}
		if slices.ContainsFunc(m.Origins, func(o mcp.Origin) bool {
			return o.Layer == definition.Project || r.User && o.Layer == definition.User
		}) {
			list = append(list, *m)
		}
	}
	slices.SortStableFunc(list, func(a, b mcp.Server) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
