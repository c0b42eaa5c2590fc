package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
)

// AppendDefinition appends a definition's JSON to b. For speed, it does not use encoding/json: a
// listing may have thousands of definitions.
func AppendDefinition(b []byte, d *definition.Definition, diagnostics bool) []byte {
	f, o := &d.Fields, &d.Origin
	j := jsonObject{b: append(b, '{')}
	j.text("kind", d.Kind.String())
	j.text("name", d.Name)
	j.text("title", d.Title)
	j.text("description", d.Description)
	j.text("layer", o.Layer.String())
	j.text("source", SourceOf(d))
	j.text("path", o.Path)
	j.text("state", d.State.String())
	j.optional("reason", d.Reason)
	j.optional("reasonCode", string(d.ReasonCode))
	if d.ReplacedBy != nil && d.State == definition.Shadowed {
		j.optional("shadowedBy", d.ReplacedBy.Origin.Path)
	} else if d.ReplacedBy != nil {
		j.optional("sameAs", d.ReplacedBy.Origin.Path)
	}
	j.optional("root", o.Root)
	j.optional("plugin", o.Plugin)
	j.optional("nested", o.Nested)
	j.flag("legacy", o.Legacy)
	j.list("aliases", d.Aliases)
	j.optional("whenToUse", f.WhenToUse())
	j.optional("argumentHint", f.ArgumentHint())
	j.list("arguments", f.Arguments())
	j.list("allowedTools", f.AllowedTools())
	j.list("disallowedTools", f.DisallowedTools())
	j.list("tools", f.Tools())
	j.optional("model", f.Model())
	j.optional("effort", f.Effort())
	j.optional("context", f.Context())
	j.optional("agent", f.Agent())
	j.optional("shell", f.Shell())
	j.list("paths", f.Paths())
	if f.UserInvocable != nil {
		j.raw("userInvocable", strconv.FormatBool(*f.UserInvocable))
	}
	j.flag("disableModelInvocation", f.DisableModelInvocation)
	j.list("agents", f.Agents())
	j.list("skills", f.Skills())
	j.list("keywords", f.Keywords())
	j.list("excludeAgent", f.ExcludeAgent())
	j.optional("target", f.Target())
	j.flag("hasArchitectureAccess", f.HasArchitectureAccess)
	if f.HasHooks {
		// Hooks consist of strings, so marshaling cannot fail.
		text, _ := json.Marshal(append([]definition.TurnHook{}, f.Hooks()...))
		j.raw("hooks", string(text))
	}
	j.flag("mcpServers", f.HasMCPServers)
	j.optional("version", f.Version())
	j.optional("requires", f.Requires())
	j.optional("license", f.License())
	j.optional("compatibility", f.Compatibility())
	j.list("unknownFields", f.Unknown())
	j.number("size", d.Size)
	j.raw("tokens", `{"listing":`+strconv.Itoa(int(d.ListingTokens))+`,"total":`+strconv.Itoa(int(d.Tokens))+"}")
	if diagnostics && len(d.Diagnostics) > 0 {
		// Diagnostics consist of strings and numbers, so marshaling cannot fail.
		text, _ := json.Marshal(d.Diagnostics)
		j.raw("diagnostics", string(text))
	}
	return append(j.b, '}')
}

// DefinitionJSON describes the JSON that [AppendDefinition] writes.
type DefinitionJSON struct {
	Kind        definition.Kind  `json:"kind"`
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Layer       definition.Layer `json:"layer"`
	// Source is the result of [Definition.Source].
	Source     string    `json:"source"`
	Path       string    `json:"path"`
	State      string    `json:"state"`
	Reason     string    `json:"reason,omitempty"`
	ReasonCode diag.Code `json:"reasonCode,omitempty"`
	// ShadowedBy is the path of the definition that is active instead. SameAs is the path at which
	// the same file was found first.
	ShadowedBy             string                `json:"shadowedBy,omitempty"`
	SameAs                 string                `json:"sameAs,omitempty"`
	Root                   string                `json:"root,omitempty"`
	Plugin                 string                `json:"plugin,omitempty"`
	Nested                 string                `json:"nested,omitempty"`
	Legacy                 bool                  `json:"legacy,omitempty"`
	Aliases                []string              `json:"aliases,omitempty"`
	WhenToUse              string                `json:"whenToUse,omitempty"`
	ArgumentHint           string                `json:"argumentHint,omitempty"`
	Arguments              []string              `json:"arguments,omitempty"`
	AllowedTools           []string              `json:"allowedTools,omitempty"`
	DisallowedTools        []string              `json:"disallowedTools,omitempty"`
	Tools                  []string              `json:"tools,omitempty"`
	Model                  string                `json:"model,omitempty"`
	Effort                 string                `json:"effort,omitempty"`
	Context                string                `json:"context,omitempty"`
	Agent                  string                `json:"agent,omitempty"`
	Shell                  string                `json:"shell,omitempty"`
	Paths                  []string              `json:"paths,omitempty"`
	UserInvocable          *bool                 `json:"userInvocable,omitempty"`
	DisableModelInvocation bool                  `json:"disableModelInvocation,omitempty"`
	Agents                 []string              `json:"agents,omitempty"`
	Skills                 []string              `json:"skills,omitempty"`
	Keywords               []string              `json:"keywords,omitempty"`
	ExcludeAgent           []string              `json:"excludeAgent,omitempty"`
	Target                 string                `json:"target,omitempty"`
	HasArchitectureAccess  bool                  `json:"hasArchitectureAccess,omitempty"`
	Hooks                  []definition.TurnHook `json:"hooks,omitempty"`
	MCPServers             bool                  `json:"mcpServers,omitempty"`
	Version                string                `json:"version,omitempty"`
	Requires               string                `json:"requires,omitempty"`
	License                string                `json:"license,omitempty"`
	Compatibility          string                `json:"compatibility,omitempty"`
	UnknownFields          []string              `json:"unknownFields,omitempty"`
	// Size is in bytes. Tokens holds estimates.
	Size   int64            `json:"size"`
	Tokens DefinitionTokens `json:"tokens"`
	// Hosts lists the hosts that load the definition. Only vade list --long sets it.
	Hosts []string `json:"hosts,omitempty"`
	// Diagnostics is omitted in lists, where a separate field holds the diagnostics of all
	// definitions.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
}

// DefinitionTokens holds the estimated token counts of a definition's listing entry and of its
// whole file.
type DefinitionTokens struct {
	Listing int `json:"listing"`
	Total   int `json:"total"`
}

// Counts holds the number of definitions by state. Found is the sum of Loaded, Shadowed, Dropped
// and Disabled.
type Counts struct {
	Found        int `json:"found"`
	Loaded       int `json:"loaded"`
	Shadowed     int `json:"shadowed"`
	Dropped      int `json:"dropped"`
	Disabled     int `json:"disabled"`
	WithProblems int `json:"withProblems"`
	// Copies counts the definitions in Dropped that are copies written by vade sync.
	Copies int `json:"copies,omitempty"`
	// BundledOff counts the definitions in Disabled that come with Vade.
	BundledOff int `json:"bundledOff,omitempty"`
	// Hooks and MCPServers count the configured hooks and MCP servers. MCPHeld counts the servers
	// that vade.yaml withholds.
	Hooks      int            `json:"hooks"`
	MCPServers int            `json:"mcpServers"`
	MCPHeld    int            `json:"mcpServersHeld,omitempty"`
	ByKind     map[string]int `json:"byKind"`
	ByLayer    map[string]int `json:"byLayer"`
}

// Overview is the result of a query. The counts cover every definition that the query selects.
type Overview struct {
	Definitions []Definition
	Counts      Counts
	// Hosts, if not nil, returns the hosts that load a definition. It is used for the JSON output.
	Hosts func(*definition.Definition) []string
	c     *Catalog
}

// Overview lists and counts definitions. ByKind and ByLayer count active definitions, and
// WithProblems counts active definitions with a warning or an error.
func (c *Catalog) Overview(ctx context.Context, q Query) (*Overview, error) {
	found, err := c.selected(ctx, q)
	if err != nil {
		return nil, err
	}
	n := Counts{ByKind: map[string]int{}, ByLayer: map[string]int{}, Found: len(found)}
	n.Hooks, n.MCPServers = len(c.Configuration.Hooks), len(c.Configuration.Servers)
	withheldReason := c.withheldReasons()
	for i := range c.Configuration.Servers {
		if withheldReason(c.Configuration.Servers[i].Name) != "" {
			n.MCPHeld++
		}
	}
	for _, d := range found {
		switch d.State {
		case definition.Shadowed:
			n.Shadowed++
		case definition.Dropped:
			n.Dropped++
			if d.ReasonCode == diag.SyncCopy {
				n.Copies++
			}
		case definition.Disabled:
			n.Disabled++
			if c.ComesWithVade(d) {
				n.BundledOff++
			}
		default:
			n.Loaded++
			n.ByKind[d.Kind.String()]++
			n.ByLayer[d.Origin.Layer.String()]++
			if hasProblems(d) {
				n.WithProblems++
			}
		}
	}
	return &Overview{Definitions: c.listed(found, q), Counts: n, c: c}, nil
}

func hasProblems(d *definition.Definition) bool {
	for i := range d.Diagnostics {
		if d.Diagnostics[i].Severity >= diag.Warning {
			return true
		}
	}
	return false
}

// HasProblems reports whether the definition has a warning or an error.
func (d Definition) HasProblems() bool { return hasProblems(d.d) }

// carriedServer and carriedHook are the JSON forms of servers and hooks.
type carriedServer struct {
	Name    string           `json:"name"`
	Type    string           `json:"type"`
	Command string           `json:"command,omitempty"`
	URL     string           `json:"url,omitempty"`
	Layer   definition.Layer `json:"layer"`
	Plugin  string           `json:"plugin,omitempty"`
	Path    string           `json:"path"`
	// Held explains why vade.yaml withholds the server.
	Held string `json:"held,omitempty"`
}

type carriedHook struct {
	Event   string           `json:"event"`
	Matcher string           `json:"matcher,omitempty"`
	Type    string           `json:"type"`
	Command string           `json:"command,omitempty"`
	Layer   definition.Layer `json:"layer"`
	Plugin  string           `json:"plugin,omitempty"`
	Path    string           `json:"path"`
}

// OverviewJSON describes the JSON that [Overview.WriteJSON] writes.
type OverviewJSON struct {
	Definitions []DefinitionJSON  `json:"definitions"`
	Hooks       []carriedHook     `json:"hooks"`
	MCPServers  []carriedServer   `json:"mcpServers"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
	Counts      Counts            `json:"counts"`
}

// WriteJSON writes the overview as one JSON object, with one definition per line:
//
//	{"definitions": […], "hooks": […], "mcpServers": […], "diagnostics": […], "counts": {…}}
//
// The diagnostics concern the listed definitions or the directory as a whole. The output is
// deterministic.
func (o *Overview) WriteJSON(w io.Writer) error {
	c := o.c
	out := newJSONWriter(w)
	out.begin(`{"definitions":`)
	diagnostics := slices.Concat(c.ScanDiagnostics, c.bundledDiagnostics(), c.remoteDiagnostics())
	out.definitions(o.Definitions, o.Hosts)
	for _, d := range o.Definitions {
		diagnostics = append(diagnostics, d.d.Diagnostics...)
	}
	out.end(`"hooks":`)
	for _, h := range c.Configuration.Hooks {
		out.item(carriedHook{h.Event, h.Matcher, h.Type, h.Command, h.Origin.Layer, h.Origin.Plugin, h.Origin.Path})
	}
	out.end(`"mcpServers":`)
	withheldReason := c.withheldReasons()
	for _, s := range c.Configuration.Servers {
		from := &s.Origins[0]
		out.item(carriedServer{s.Name, s.Transport.String(), s.Command.String(), s.URL.String(), from.Layer, from.Plugin,
			from.Path, withheldReason(s.Name)})
	}
	out.end(`"diagnostics":`)
	for i := range diagnostics {
		out.item(&diagnostics[i])
	}
	out.end(`"counts":`)
	return out.last(o.Counts)
}

// withheldReasons returns a function that takes the name of a server and explains why vade.yaml
// withholds the server in this view. The function returns "" if the server is not withheld. If the
// view's host reads its own server configuration, no servers are withheld.
func (c *Catalog) withheldReasons() func(name string) string {
	if len(c.Configuration.Servers) == 0 || c.ReadsServersItself() {
		return func(string) string { return "" }
	}
	withheldReason, _ := c.WithheldServers()
	return func(name string) string {
		why, _ := withheldReason(name)
		return why
	}
}

// ReadsServersItself reports whether the view's host reads its own server
// configuration, unaffected by vade.yaml.
func (c *Catalog) ReadsServersItself() bool {
	p := c.Profile
	return p.Name != host.NeutralName && !p.FromOptions && p.Program()
}

// WithheldServers reads vade.yaml and returns the problems in it. It also returns a function that
// explains why a server is withheld and how to allow it. For a server that is not withheld, the
// function returns empty strings.
func (c *Catalog) WithheldServers() (func(name string) (why, fix string), []diag.Diagnostic) {
	if c.Quick.Project == nil {
		return func(string) (string, string) { return "", "" }, nil
	}
	p, found, err := config.Read(c.Quick.Project)
	if err != nil {
		found = append(found, diag.For(config.File, diag.FileUnreadable, "cannot read the file: %v; all MCP servers are blocked", Cause(err)).
			WithFix("replace it with a readable regular file"))
	}
	if !p.Invalid {
		return p.WithheldReason, found
	}
	why, fix := config.File+" cannot be read, so all MCP servers are blocked", "replace it with a readable regular file"
	if i := slices.IndexFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Line > 0 }); i >= 0 {
		d := found[i]
		why = fmt.Sprintf("the setting at %s:%d:%d is invalid, so all MCP servers are blocked", d.File, d.Line, d.Column)
		fix = fmt.Sprintf("fix it: %s; %s", d.Message, d.Fix)
		blocked := diag.For(d.File, diag.ConfigInvalid, "all MCP servers are blocked until the file is valid").WithFix("fix the error at this location")
		blocked.Line, blocked.Column = d.Line, d.Column
		found = append(found, blocked)
	}
	return func(string) (string, string) { return why, fix }, found
}
