package export

import (
	"encoding/json"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/servers"
)

// servers adds the MCP servers in the SDK's format. They come from the project's files and, for a
// local session, also from the user's files. If the request selects kinds or names, no servers are
// exported. Secrets are replaced with references to environment variables.
func (m *sdkMaker) servers() error {
	r := Request{Host: m.host, User: true}
	if m.request != nil {
		if r.User = m.request.User; len(m.request.Kinds)+len(m.request.Names) > 0 {
			return nil
		}
	}
	s, err := servers.List(m.ctx, m.c)
	if err != nil {
		return err
	}
	m.report(s.Diagnostics...)
	all, losses, err := Map(s, r)
	if err != nil {
		return err
	}
	for name, raw := range all {
		// Both values are valid JSON.
		m.out.MCPServers[name], _ = jsonc.Marshal(raw, "")
	}
	for _, l := range losses {
		l.Host = m.sdk.Name
		if !m.reported[l] {
			m.reported[l] = true
			m.out.Losses = append(m.out.Losses, l)
		}
	}
	return nil
}

// agentServers converts an agent's servers. It keeps names and converts definitions to the SDK's
// format.
func (m *sdkMaker) agentServers(d *definition.Definition, line int, e *definition.Entry, a *SDKAgent) {
	names := []definition.Value{e.Value}
	if e.Value.Kind == definition.List {
		names = e.Value.Items
	}
	for i := range names {
		if names[i].Kind == definition.String {
			raw, _ := jsonc.Marshal(names[i].Text, "")
			a.MCPServers = append(a.MCPServers, raw)
		}
	}
	found, wrong, err := servers.AgentServers(m.ctx, m.c, d)
	m.report(wrong...)
	p, ok := registry.Lookup(m.host)
	if err != nil || !ok || p.Servers == nil {
		m.reportLoss(d, line, "field", "use the name of a configured server", "cannot convert the servers in %s for the SDK, so they are omitted", e.Key)
		return
	}
	held, wrong := m.c.WithheldServers()
	m.report(wrong...)
	var list []mcp.Server
	for _, s := range mcp.Merge(found, m.c.Profile.ServerLayers,
		func(one *mcp.Server) string { why, _ := held(one.Name); return why }) {
		if s.State == definition.Loaded {
			list = append(list, s)
		}
	}
	all, losses := mcp.Map(list, p.Servers, false)
	for _, l := range losses {
		m.reportLoss(d, l.Line, l.Kind, l.Fix, "%s", l.Message)
	}
	for _, pair := range all.Pairs {
		raw, _ := jsonc.Marshal(map[string]json.RawMessage{pair.Key: jsonc.Append(nil, pair.Value, "")}, "")
		a.MCPServers = append(a.MCPServers, raw)
	}
}
