// Package servers lists the MCP servers configured in host files, plugins and agents, and reports
// which of them a host uses and which need approval.
package servers

import (
	"context"
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/mcp"
	"github.com/vadehq/vade/internal/settings"
)

// Servers contains the MCP server entries that a view finds in host files, plugins and agents.
// Servers are never started or contacted.
type Servers struct {
	// Host and Version identify the view.
	Host    string `json:"host"`
	Version string `json:"version"`
	// List is sorted by name. If multiple entries have the same name, the first one is active,
	// unless it is withheld or disabled.
	List []Server `json:"servers"`
	// Diagnostics lists problems with the entries, the files that contain them, and the servers
	// section in vade.yaml.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`

	Merged []mcp.Server     `json:"-"`
	C      *catalog.Catalog `json:"-"`
}

// Server is one MCP server entry. Its strings may contain references, whose syntax does not depend
// on the file's format: ${NAME} and ${NAME:-default} are environment variables; ${input:id} is a
// value that the user is prompted for; ${dir:project}, ${dir:home}, ${dir:plugin} and
// ${dir:plugin-data} are directories. Possible secrets are replaced with ‹hidden›.
type Server struct {
	Name string `json:"name"`
	// Transport is "stdio", "http", "sse" or "ws".
	Transport string `json:"transport"`
	// Command is the program and its arguments. Env and Dir are its environment variables and
	// working directory. URL and Headers are for the other transports.
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Timeout is the time limit for a call, and StartTimeout is the time limit for starting the
	// server, both in milliseconds. If one of them is 0, the host's default applies.
	Timeout      int64 `json:"timeout,omitempty"`
	StartTimeout int64 `json:"startTimeout,omitempty"`
	// Tools lists the tools that the host may use, or is nil if it may use all of them. NotTools
	// lists tools that the host must not use.
	Tools    []string `json:"tools,omitempty"`
	NotTools []string `json:"notTools,omitempty"`
	// Extras lists keys that only this host supports. Hidden lists the places in the entry where
	// values are hidden.
	Extras []string `json:"extras,omitempty"`
	Hidden []string `json:"hidden,omitempty"`
	// State is [definition.Loaded], [definition.Shadowed] by another entry with the same name,
	// [definition.Disabled] by the entry itself or its plugin, or [definition.Dropped] if the entry
	// is withheld. Reason says why the entry is not loaded.
	State  definition.State `json:"state"`
	Reason string           `json:"reason,omitempty"`
	// Approval is "asks" if the host asks the user before it uses the server, and "denied" if the
	// host's settings exclude the server. It is "" for other servers, and for hosts whose rules are
	// not known.
	Approval string `json:"approval,omitempty"`
	// Fix says how to allow a server that is withheld or needs approval.
	Fix string `json:"fix,omitempty"`
	// Origins lists where the entry is defined. Several files may contain the
	// same entry; the first one is used.
	Origins []ServerOrigin `json:"origins"`
}

// ServerOrigin is a place where an entry is defined.
type ServerOrigin struct {
	Layer definition.Layer `json:"layer"`
	// Path and Line are the position of the server's name. Line is 0 if unknown.
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	// Plugin and Agent are the plugin and the agent that the entry belongs to, if any.
	Plugin string `json:"plugin,omitempty"`
	Agent  string `json:"agent,omitempty"`
	// Format is the file's format. A format is named after the first file that used it.
	Format string `json:"format"`
}

// List returns the MCP server entries in a view, without secrets (see [Server]). vade.yaml can
// withhold an entry but cannot allow one that is not allowed otherwise. Vade does not write a
// withheld entry or pass it on, but the host still reads it from its own file. In a host's view,
// the entry's Reason says so.
func List(ctx context.Context, c *catalog.Catalog) (*Servers, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	s := &Servers{Host: c.Profile.Name, Version: c.Profile.Version, List: []Server{}, C: c}
	s.Diagnostics = slices.Clone(c.ConfigurationDiagnostics)
	found := slices.Clone(c.Configuration.Servers)
	for _, d := range all.All {
		if d.State != definition.Loaded || !d.Fields.HasMCPServers {
			continue
		}
		some, wrong, err := AgentServers(ctx, c, d)
		if err != nil {
			return nil, err
		}
		found, s.Diagnostics = append(found, some...), append(s.Diagnostics, wrong...)
	}
	withheld, wrong := c.WithheldServers()
	s.Diagnostics = append(s.Diagnostics, wrong...)
	decide := decide(ctx, c, found)
	s.Merged = mcp.Merge(found, c.Profile.ServerLayers, func(one *mcp.Server) string {
		why, _ := withheld(one.Name)
		if a := decide(one); why == "" && a.state == settings.Denied {
			why = a.reason
		}
		return why
	})
	reported := map[string]bool{}
	for i := range s.Merged {
		m := &s.Merged[i]
		one := publicServer(m)
		a := decide(m)
		readAnyway := false
		switch {
		case one.State == definition.Dropped:
			why, fix := withheld(one.Name)
			one.Fix = fix
			switch readAnyway = !reported[one.Name] && c.ReadsServersItself() && a.state != settings.Denied; {
			case why == "":
				one.Approval, one.Fix, readAnyway = "denied", a.fix, false
			case readAnyway:
				o := &m.Origins[0]
				reported[one.Name] = true
				location := o.Path
				if o.Line > 0 {
					location = fmt.Sprintf("%s:%d", location, o.Line)
				}
				m.Reason = fmt.Sprintf("omitted from the files that Vade writes: %s; %s still reads it from %s", why, c.Profile.Name, location)
				one.Reason = m.Reason
				one.Fix = "remove it from that file to keep it from running; to allow it: " + fix
			}
		case one.State == definition.Loaded && a.state == settings.Asks:
			one.Approval, one.Reason, one.Fix = "asks", a.reason, a.fix
		}
		s.List = append(s.List, one)
		found := serverDiagnostics(m, one.Fix)
		for j := range found {
			if readAnyway && found[j].Code == diag.MCPHeld && m.Origins[0].Layer == definition.Project {
				found[j].Severity = diag.Warning
			}
		}
		s.Diagnostics = append(s.Diagnostics, found...)
	}
	diag.Sort(s.Diagnostics)
	if s.Diagnostics == nil {
		s.Diagnostics = []diag.Diagnostic{}
	}
	return s, nil
}

// AgentServers reads the servers that are defined in an agent's frontmatter. It
// skips names in a list, which refer to entries in files.
func AgentServers(ctx context.Context, c *catalog.Catalog, d *definition.Definition) ([]mcp.Server, []diag.Diagnostic, error) {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	var list []mcp.Server
	var found []diag.Diagnostic
	origin := mcp.Origin{Origin: d.Origin, Agent: d.Name}
	for i := range doc.Entries {
		e := &doc.Entries[i]
		if definition.LookupField(e.Key) != definition.FieldMCPServers {
			continue
		}
		values := []definition.Value{e.Value}
		if e.Value.Kind == definition.List {
			values = e.Value.Items
		}
		for _, v := range values {
			if v.Kind != definition.Map {
				continue
			}
			some, wrong := mcp.Read(doc.File, v, registry.AgentServers(e.Key, d.Format), origin)
			list, found = append(list, some...), append(found, wrong...)
		}
	}
	return list, found, nil
}

// publicServer converts an entry for display.
func publicServer(m *mcp.Server) Server {
	s := Server{
		Name: m.Name, Transport: m.Transport.String(), Dir: m.Cwd.String(), URL: m.URL.String(),
		Timeout: m.Timeout.Milliseconds(), StartTimeout: m.StartTimeout.Milliseconds(),
		Tools: m.Tools, NotTools: m.NotTools, State: m.State, Reason: m.Reason,
		Env: publicPairs(m.Env), Headers: publicPairs(m.Headers),
	}
	if m.HasTools && s.Tools == nil {
		s.Tools = []string{}
	}
	for _, w := range m.CommandLine() {
		s.Command = append(s.Command, w.String())
	}
	for _, x := range m.Extras {
		s.Extras = append(s.Extras, x.Key)
	}
	for _, h := range m.Hidden {
		if !slices.Contains(s.Hidden, h.Where) {
			s.Hidden = append(s.Hidden, h.Where)
		}
	}
	for _, o := range m.Origins {
		s.Origins = append(s.Origins, ServerOrigin{
			Layer: o.Layer, Path: o.Path, Line: o.Line, Plugin: o.Plugin, Agent: o.Agent, Format: o.Format,
		})
	}
	return s
}

func publicPairs(pairs []mcp.Pair) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	m := map[string]string{}
	for _, p := range pairs {
		m[p.Key] = p.Value.String()
	}
	return m
}

// serverDiagnostics returns an entry's diagnostics. They never quote the file,
// because the line may contain a secret.
func serverDiagnostics(m *mcp.Server, withheldFix string) []diag.Diagnostic {
	at := func(path string, line, column int, code diag.Code, format string, args ...any) diag.Diagnostic {
		d := diag.For(path, code, format, args...)
		d.Line, d.Column = line, column
		return d
	}
	var found []diag.Diagnostic
	for _, h := range m.Hidden {
		code, text := diag.MCPHidden, "may be a secret"
		if h.Likely {
			code, text = diag.MCPSecret, "looks like a secret"
		}
		where := h.Where
		if h.Part != "" {
			where = h.Part + " in " + where
		}
		d := at(h.Path, h.Line, h.Column, code, "MCP server %s: %s %s, so it is neither shown nor copied", m.Name, where, text)
		fix := "move the value to an environment variable and refer to it in the host's syntax"
		switch {
		case h.Reference != "":
			fix = "replace the value with " + h.Reference + " and set that environment variable"
		case h.Name != "":
			fix = "move the value to the environment variable " + h.Name + " and refer to it in the host's syntax"
		}
		if h.Likely {
			fix += "; rotate the secret if it was committed"
		}
		d = d.WithFix("%s", fix)
		found = append(found, d)
	}
	for _, n := range m.Notes {
		found = append(found, at(n.Path, n.Line, n.Column, diag.MCPNote, "MCP server %s: %s", m.Name, n.Text).WithFix("%s", n.Fix))
	}
	o := &m.Origins[0]
	switch m.State {
	case definition.Shadowed:
		found = append(found, at(o.Path, o.Line, o.Column, diag.MCPShadowed, "MCP server %s: %s", m.Name, m.Reason).
			WithFix("rename or remove one of the two entries"))
	case definition.Dropped:
		found = append(found, at(o.Path, o.Line, o.Column, diag.MCPHeld, "MCP server %s is %s", m.Name, m.Reason).
			WithFix("%s", withheldFix))
	}
	return found
}

// Named returns the entries with the given name, in any state.
func (s *Servers) Named(name string) []Server {
	var list []Server
	for _, one := range s.List {
		if one.Name == name {
			list = append(list, one)
		}
	}
	return list
}
