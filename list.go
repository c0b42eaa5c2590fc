package vade

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
)

// listed is the JSON of one definition.
type listed struct {
	Kind                   Kind         `json:"kind"`
	Name                   string       `json:"name"`
	Title                  string       `json:"title"`
	Description            string       `json:"description"`
	Layer                  Layer        `json:"layer"`
	Path                   string       `json:"path"`
	State                  State        `json:"state"`
	Reason                 string       `json:"reason,omitempty"`
	ReasonCode             diag.Code    `json:"reasonCode,omitempty"`
	ShadowedBy             string       `json:"shadowedBy,omitempty"`
	SameAs                 string       `json:"sameAs,omitempty"`
	Root                   string       `json:"root,omitempty"`
	Plugin                 string       `json:"plugin,omitempty"`
	Nested                 string       `json:"nested,omitempty"`
	Legacy                 bool         `json:"legacy,omitempty"`
	Aliases                []string     `json:"aliases,omitempty"`
	WhenToUse              string       `json:"whenToUse,omitempty"`
	ArgumentHint           string       `json:"argumentHint,omitempty"`
	Arguments              []string     `json:"arguments,omitempty"`
	AllowedTools           []string     `json:"allowedTools,omitempty"`
	DisallowedTools        []string     `json:"disallowedTools,omitempty"`
	Tools                  []string     `json:"tools,omitempty"`
	Model                  string       `json:"model,omitempty"`
	Effort                 string       `json:"effort,omitempty"`
	Context                string       `json:"context,omitempty"`
	Agent                  string       `json:"agent,omitempty"`
	Shell                  string       `json:"shell,omitempty"`
	Paths                  []string     `json:"paths,omitempty"`
	UserInvocable          *bool        `json:"userInvocable,omitempty"`
	DisableModelInvocation bool         `json:"disableModelInvocation,omitempty"`
	Agents                 []string     `json:"agents,omitempty"`
	Skills                 []string     `json:"skills,omitempty"`
	Keywords               []string     `json:"keywords,omitempty"`
	ExcludeAgent           []string     `json:"excludeAgent,omitempty"`
	Target                 string       `json:"target,omitempty"`
	HasArchitectureAccess  bool         `json:"hasArchitectureAccess,omitempty"`
	Hooks                  bool         `json:"hooks,omitempty"`
	MCPServers             bool         `json:"mcpServers,omitempty"`
	Version                string       `json:"version,omitempty"`
	Requires               string       `json:"requires,omitempty"`
	License                string       `json:"license,omitempty"`
	Compatibility          string       `json:"compatibility,omitempty"`
	UnknownFields          []string     `json:"unknownFields,omitempty"`
	Size                   int64        `json:"size"`
	Tokens                 tokenCounts  `json:"tokens"`
	Diagnostics            []Diagnostic `json:"diagnostics,omitempty"`
}

// tokenCounts estimate what the listing entry and the whole file cost a model.
type tokenCounts struct {
	Listing int `json:"listing"`
	Total   int `json:"total"`
}

func view(d *definition.Definition) listed {
	f, o := &d.Fields, &d.Origin
	v := listed{
		Kind: d.Kind, Name: d.Name, Title: d.Title, Description: d.Description, Layer: o.Layer, Path: o.Path,
		State: d.State, Reason: d.Reason, ReasonCode: d.ReasonCode,
		Root: o.Root, Plugin: o.Plugin, Nested: o.Nested, Legacy: o.Legacy, Aliases: d.Aliases,
		WhenToUse: f.WhenToUse, ArgumentHint: f.ArgumentHint, Arguments: f.Arguments,
		AllowedTools: f.AllowedTools, DisallowedTools: f.DisallowedTools, Tools: f.Tools,
		Model: f.Model, Effort: f.Effort, Context: f.Context, Agent: f.Agent, Shell: f.Shell, Paths: f.Paths,
		UserInvocable: f.UserInvocable, DisableModelInvocation: f.DisableModelInvocation,
		Agents: f.Agents, Skills: f.Skills, Keywords: f.Keywords, ExcludeAgent: f.ExcludeAgent, Target: f.Target,
		HasArchitectureAccess: f.HasArchitectureAccess, Hooks: f.HasHooks, MCPServers: f.HasMCPServers,
		Version: f.Version, Requires: f.Requires, License: f.License, Compatibility: f.Compatibility, UnknownFields: f.Unknown,
		Size: d.Size, Tokens: tokenCounts{d.ListingTokens, d.Tokens}, Diagnostics: d.Diagnostics,
	}
	if d.By != nil {
		if d.State == definition.Shadowed {
			v.ShadowedBy = d.By.Origin.Path
		} else {
			v.SameAs = d.By.Origin.Path
		}
	}
	return v
}

// Counts say how many definitions were found and what became of them. Found is
// the sum of Loaded, Shadowed, Dropped and Disabled.
type Counts struct {
	Found        int            `json:"found"`
	Loaded       int            `json:"loaded"`
	Shadowed     int            `json:"shadowed"`
	Dropped      int            `json:"dropped"`
	Disabled     int            `json:"disabled"`
	WithProblems int            `json:"withProblems"`
	ByKind       map[string]int `json:"byKind"`
	ByLayer      map[string]int `json:"byLayer"`
}

// Count counts the definitions of the kinds that are asked for. ByKind and
// ByLayer count those in force, WithProblems those of them that have a warning
// or an error.
func (c *Catalog) Count(ctx context.Context, q Query) (Counts, error) {
	n := Counts{ByKind: map[string]int{}, ByLayer: map[string]int{}}
	all, err := c.scan(ctx)
	if err != nil {
		return n, err
	}
	q.All = true
	for _, d := range all.All {
		if !q.wants(d) {
			continue
		}
		n.Found++
		switch d.State {
		case definition.Shadowed:
			n.Shadowed++
		case definition.Dropped:
			n.Dropped++
		case definition.Disabled:
			n.Disabled++
		default:
			n.Loaded++
			n.ByKind[d.Kind.String()]++
			n.ByLayer[d.Origin.Layer.String()]++
			if faulty(d) {
				n.WithProblems++
			}
		}
	}
	return n, nil
}

func faulty(d *definition.Definition) bool {
	for i := range d.Diagnostics {
		if d.Diagnostics[i].Severity >= diag.Warning {
			return true
		}
	}
	return false
}

// Faulty reports whether a definition has a warning or an error.
func (d Definition) Faulty() bool { return faulty(d.d) }

// carriedServer and carriedHook are the JSON of what travels with definitions.
type carriedServer struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"`
	Layer   Layer  `json:"layer"`
	Plugin  string `json:"plugin,omitempty"`
	Path    string `json:"path"`
}

type carriedHook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command,omitempty"`
	Layer   Layer  `json:"layer"`
	Plugin  string `json:"plugin,omitempty"`
	Path    string `json:"path"`
}

// WriteJSON writes the definitions that are asked for as one JSON object, with
// one definition a line:
//
//	{"definitions": […], "hooks": […], "mcpServers": […], "diagnostics": […], "counts": {…}}
//
// The diagnostics are those of the listed definitions and those that belong to
// none. The same files give the same bytes.
func (c *Catalog) WriteJSON(ctx context.Context, w io.Writer, q Query) error {
	list, err := c.List(ctx, q)
	if err != nil {
		return err
	}
	counts, err := c.Count(ctx, q)
	if err != nil {
		return err
	}
	out := newJSONWriter(w)
	out.begin(`{"definitions":`)
	diagnostics := c.diagnostics[:len(c.diagnostics):len(c.diagnostics)]
	for _, d := range list {
		v := view(d.d)
		v.Diagnostics = nil
		out.item(&v)
		diagnostics = append(diagnostics, d.d.Diagnostics...)
	}
	out.end(`"hooks":`)
	for _, h := range c.carried.Hooks {
		out.item(carriedHook{h.Event, h.Matcher, h.Type, h.Command, h.Origin.Layer, h.Origin.Plugin, h.Origin.Path})
	}
	out.end(`"mcpServers":`)
	for _, s := range c.carried.Servers {
		out.item(carriedServer{s.Name, s.Type, s.Command, s.URL, s.Origin.Layer, s.Origin.Plugin, s.Origin.Path})
	}
	out.end(`"diagnostics":`)
	for i := range diagnostics {
		out.item(&diagnostics[i])
	}
	out.end(`"counts":`)
	return out.last(counts)
}

// jsonWriter writes arrays with one item a line, without holding them.
type jsonWriter struct {
	w       *bufio.Writer
	buf     bytes.Buffer
	encoder *json.Encoder
	count   int
	err     error
}

func newJSONWriter(w io.Writer) *jsonWriter {
	j := &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)}
	j.encoder = json.NewEncoder(&j.buf)
	j.encoder.SetEscapeHTML(false)
	return j
}

func (j *jsonWriter) begin(s string) {
	j.w.WriteString(s)
	j.w.WriteByte('[')
	j.count = 0
}

func (j *jsonWriter) item(v any) {
	if j.count++; j.count > 1 {
		j.w.WriteByte(',')
	}
	j.w.WriteByte('\n')
	j.value(v)
}

func (j *jsonWriter) value(v any) {
	j.buf.Reset()
	j.err = cmp.Or(j.err, j.encoder.Encode(v))
	j.w.Write(bytes.TrimSuffix(j.buf.Bytes(), []byte("\n")))
}

func (j *jsonWriter) end(next string) {
	j.w.WriteString("],\n")
	if next != `"counts":` {
		j.begin(next)
		return
	}
	j.w.WriteString(next)
}

func (j *jsonWriter) last(v any) error {
	j.value(v)
	j.w.WriteString("}\n")
	return cmp.Or(j.err, j.w.Flush())
}
