package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/shell"
)

// ServerState describes an MCP server that the user configured.
type ServerState struct {
	Name      string `json:"name"`
	Transport string `json:"transport"`
	// Address is the command or URL, without secrets.
	Address string `json:"address"`
	// State is "ready", "failed", or "held" if the project's vade.yaml
	// withholds the server. Reason and Fix give details.
	State  string    `json:"state"`
	Code   diag.Code `json:"code,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Fix    string    `json:"fix,omitempty"`
	// Extension is set if the server supports the skills extension.
	Extension bool `json:"extension"`
	// Definitions is the number of definitions that the server offers. Trusted is the number of
	// these that are approved.
	Definitions  int   `json:"definitions"`
	Trusted      int   `json:"trusted"`
	Milliseconds int64 `json:"milliseconds"`
}

// RemoteServers queries all of the user's servers in parallel and returns their states. The result
// is empty unless [Options.Remote] is set.
func (c *Catalog) RemoteServers(ctx context.Context) ([]ServerState, []diag.Diagnostic, error) {
	if _, err := c.remoteDefinitions(ctx); err != nil {
		return nil, nil, err
	}
	r := c.servers()
	list := append([]ServerState{}, r.withheld...)
	for _, b := range r.broken {
		list = append(list, ServerState{
			Name: b.Name, State: "failed", Code: b.Problem.Code, Fix: b.Problem.Fix,
			Reason: fmt.Sprintf("%s:%d:%d: %s", b.Problem.File, b.Problem.Line, b.Problem.Column, b.Problem.Message),
		})
	}
	if r.set != nil {
		listings, err := r.set.List(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range listings {
			list = append(list, c.stateOf(l))
		}
	}
	slices.SortFunc(list, func(a, b ServerState) int { return cmp.Compare(a.Name, b.Name) })
	return list, c.remoteDiagnostics(), nil
}

// serverAddress returns the server's URL or command line.
func serverAddress(s *remote.Server) string {
	if s.URL != "" {
		return s.URL
	}
	return shell.Join(s.Command)
}

func (c *Catalog) stateOf(l *remote.Listing) ServerState {
	s := ServerState{
		Name: l.Server.Name, Transport: l.Server.Transport(), Address: serverAddress(l.Server),
		State: "ready", Extension: l.Extension, Milliseconds: l.Took.Round(time.Millisecond).Milliseconds(),
	}
	if l.Problem != nil {
		s.State, s.Code, s.Reason, s.Fix = "failed", l.Problem.Code, l.Problem.Message, l.Problem.Fix
	}
	for _, d := range c.serverDefinitions(l) {
		s.Definitions++
		if d.State == definition.Loaded {
			s.Trusted++
		}
	}
	return s
}
