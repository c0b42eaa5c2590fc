// Package servers reports the MCP servers that a project configures, for which hosts, and
// whether they are approved.
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

// Servers are the entries of MCP servers that a view finds: in the files of hosts,
// in plugins and in agents. They are read and nothing else: no server is started
// and no address is asked.
type Servers struct {
	// Host and Version say whose view it is.
	Host    string `json:"host"`
	Version string `json:"version"`
	// List is in the order of names. Of one name the first is in force, unless it
	// is held back or switched off.
	List []Server `json:"servers"`
	// Diagnostics are about the entries and the files that they stand in, and about
	// the project's file that says which are let through.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`

	Merged []mcp.Server     `json:"-"`
	C      *catalog.Catalog `json:"-"`
}

// Server is one entry of an MCP server. In its texts references have one form,
// whatever the file's is: ${NAME} and ${NAME:-text} for an environment variable,
// ${input:id} for what the user is asked for, ${dir:project}, ${dir:home},
// ${dir:plugin} and ${dir:plugin-data} for directories. What may be a secret is not
// there: ‹hidden› stands in its place.
type Server struct {
	Name string `json:"name"`
	// Transport is "stdio", "http", "sse" or "ws".
	Transport string `json:"transport"`
	// Command is the program with its arguments, which Env and Dir are for; URL and
	// Headers are those of the other transports.
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Dir     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Timeout is the longest time of a call, and StartTimeout of the start, in
	// milliseconds; 0 is what the host takes.
	Timeout      int64 `json:"timeout,omitempty"`
	StartTimeout int64 `json:"startTimeout,omitempty"`
	// Tools are those that alone are used, nil for all; NotTools are not used.
	Tools    []string `json:"tools,omitempty"`
	NotTools []string `json:"notTools,omitempty"`
	// Extras are keys of the entry that only its host knows, Hidden the places of
	// what is not shown.
	Extras []string `json:"extras,omitempty"`
	Hidden []string `json:"hidden,omitempty"`
	// State is [definition.Loaded], [definition.Shadowed] by another entry of its name, [definition.Disabled] by
	// itself or its plugin, or [definition.Dropped] where it is held back. Reason says why.
	State  definition.State `json:"state"`
	Reason string           `json:"reason,omitempty"`
	// Approval is what the host's settings say of one that it uses only once it is
	// approved: "asks" where the user is asked first, "denied" where it is not used and
	// so held back; "" else, and in views in which that is not known.
	Approval string `json:"approval,omitempty"`
	// Fix says what lets one through that is held back, or is asked for.
	Fix string `json:"fix,omitempty"`
	// Origins are where it stands; several files may say the same. The first is the
	// one that counts.
	Origins []ServerOrigin `json:"origins"`
}

// ServerOrigin is a place where an entry stands.
type ServerOrigin struct {
	Layer definition.Layer `json:"layer"`
	// Path and Line are the file and the line of the name, 0 where it is not known.
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	// Plugin and Agent are whose entry it is.
	Plugin string `json:"plugin,omitempty"`
	Agent  string `json:"agent,omitempty"`
	// Format is the form of the file, by the name of the file that has it first.
	Format string `json:"format"`
}

// Servers reads the entries of MCP servers in the view. Secrets are not kept: see
// [Server]. The project's file vade.yaml can hold entries back and let none in. That is
// for what Vade lists, writes and hands on: a host knows nothing of it, and in its view
// the reason says that it reads the entry all the same.
func List(ctx context.Context, c *catalog.Catalog) (*Servers, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	s := &Servers{Host: c.Profile.Name, Version: c.Profile.Version, List: []Server{}, C: c}
	s.Diagnostics = slices.Clone(c.CarriedDiagnostics)
	found := slices.Clone(c.Carried.Servers)
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
	held, wrong := c.HeldServers()
	s.Diagnostics = append(s.Diagnostics, wrong...)
	judge := approvals(ctx, c, found)
	s.Merged = mcp.Merge(found, c.Profile.ServerLayers, func(one *mcp.Server) string {
		why, _ := held(one.Name)
		if a := judge(one); why == "" && a.state == settings.Denied {
			why = a.why
		}
		return why
	})
	read := map[string]bool{}
	for i := range s.Merged {
		m := &s.Merged[i]
		one := shownServer(m)
		a := judge(m)
		inSpite := false
		switch {
		case one.State == definition.Dropped:
			why, fix := held(one.Name)
			one.Fix = fix
			switch inSpite = !read[one.Name] && c.ReadsServersItself() && a.state != settings.Denied; {
			case why == "":
				one.Approval, one.Fix, inSpite = "denied", a.fix, false
			case inSpite:
				o := &m.Origins[0]
				read[one.Name] = true
				place := o.Path
				if o.Line > 0 {
					place = fmt.Sprintf("%s:%d", place, o.Line)
				}
				m.Reason = fmt.Sprintf("held back in what Vade writes: %s; %s still reads it in %s", why, c.Profile.Name, place)
				one.Reason = m.Reason
				one.Fix = "take it out of that file, if it is not to run; to let it through: " + fix
			}
		case one.State == definition.Loaded && a.state == settings.Asks:
			one.Approval, one.Reason, one.Fix = "asks", a.why, a.fix
		}
		s.List = append(s.List, one)
		found := serverDiagnostics(m, one.Fix)
		for j := range found {
			if inSpite && found[j].Code == diag.MCPHeld && m.Origins[0].Layer == definition.Project {
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

// AgentServers reads the servers that an agent's own frontmatter writes out. Names
// in a list refer to entries of files, and are none.
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

// shownServer is an entry as it is shown.
func shownServer(m *mcp.Server) Server {
	s := Server{
		Name: m.Name, Transport: m.Transport.String(), Dir: m.Cwd.String(), URL: m.URL.String(),
		Timeout: m.Timeout.Milliseconds(), StartTimeout: m.Start.Milliseconds(),
		Tools: m.Tools, NotTools: m.NotTools, State: m.State, Reason: m.Reason,
		Env: shownPairs(m.Env), Headers: shownPairs(m.Headers),
	}
	if m.Only && s.Tools == nil {
		s.Tools = []string{}
	}
	for _, w := range m.Words() {
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

func shownPairs(pairs []mcp.Pair) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	m := map[string]string{}
	for _, p := range pairs {
		m[p.Key] = p.Value.String()
	}
	return m
}

// serverDiagnostics says what is to be known of an entry. No line of its file is
// shown: the secret may stand in it.
func serverDiagnostics(m *mcp.Server, heldFix string) []diag.Diagnostic {
	at := func(path string, line, column int, code diag.Code, format string, args ...any) diag.Diagnostic {
		d := diag.For(path, code, format, args...)
		d.Line, d.Column = line, column
		return d
	}
	var found []diag.Diagnostic
	for _, h := range m.Hidden {
		code, text := diag.MCPHidden, "is not plainly harmless"
		if h.Likely {
			code, text = diag.MCPSecret, "looks like a secret"
		}
		where := h.Where
		if h.Part != "" {
			where = h.Part + " in " + where
		}
		d := at(h.Path, h.Line, h.Column, code, "the MCP server %s: %s %s, and is neither shown nor copied", m.Name, where, text)
		fix := "put it into the environment, and refer to the variable as the host does"
		switch {
		case h.Reference != "":
			fix = "write " + h.Reference + " in its place, and put it into the environment"
		case h.Name != "":
			fix = "put it into the environment as " + h.Name + ", and refer to that variable as the host does"
		}
		if h.Likely {
			fix += "; renew it if it was committed"
		}
		d = d.WithFix("%s", fix)
		found = append(found, d)
	}
	for _, n := range m.Notes {
		found = append(found, at(n.Path, n.Line, n.Column, diag.MCPNote, "the MCP server %s: %s", m.Name, n.Text).WithFix("%s", n.Fix))
	}
	o := &m.Origins[0]
	switch m.State {
	case definition.Shadowed:
		found = append(found, at(o.Path, o.Line, o.Column, diag.MCPShadowed, "the MCP server %s: %s", m.Name, m.Reason).
			WithFix("give one of the two another name, or remove it"))
	case definition.Dropped:
		found = append(found, at(o.Path, o.Line, o.Column, diag.MCPHeld, "the MCP server %s is %s", m.Name, m.Reason).
			WithFix("%s", heldFix))
	}
	return found
}

// Named returns the entries that have a name, in every state.
func (s *Servers) Named(name string) []Server {
	var list []Server
	for _, one := range s.List {
		if one.Name == name {
			list = append(list, one)
		}
	}
	return list
}
