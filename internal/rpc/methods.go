package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/instructions"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/search"
)

// handler handles a request and returns the encoded result.
type handler func(ctx context.Context, s *Server, params json.RawMessage) (json.RawMessage, error)

// methods returns all methods by name.
func methods() map[string]handler {
	return map[string]handler{
		"open":          open,
		"close":         closeCatalog,
		"list":          on(list),
		"get":           on(get),
		"load":          on(load),
		"loadSkill":     on(loadSkill),
		"render":        on(render),
		"listing":       on(listing),
		"instructions":  on(instruct),
		"prompt":        on(promptOf),
		"agentOptions":  on(agentOptions),
		"sessionConfig": on(sessionConfig),
		"search":        on(find),
		"explain":       on(explainOf),
		"check":         on(checkOf),
		"audit":         on(audit),
		"watch":         on(watchFiles),
		"unwatch":       unwatch,
	}
}

// inCatalog holds the parameter that identifies a catalog. Parameter types embed it.
type inCatalog struct {
	Catalog int `json:"catalog"`
}

func (p inCatalog) number() int { return p.Catalog }

// on returns a handler that decodes the parameters, looks up the catalog number in them, and calls
// call with that catalog's session.
func on[P interface{ number() int }](call func(ctx context.Context, c *session, p P) (json.RawMessage, error)) handler {
	return func(ctx context.Context, s *Server, params json.RawMessage) (json.RawMessage, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return nil, err
		}
		c, err := s.session(p.number())
		if err != nil {
			return nil, err
		}
		return call(ctx, c, p)
	}
}

type listParams struct {
	inCatalog
	Kinds []string `json:"kinds"`
	All   bool     `json:"all"`
	Agent string   `json:"agent"`
}

func list(ctx context.Context, c *session, p listParams) (json.RawMessage, error) {
	kinds, err := kindsOf(p.Kinds)
	if err != nil {
		return nil, err
	}
	q := catalog.Query{Kinds: kinds, All: p.All, Agent: p.Agent}
	return c.use(ctx, variant{unread: p.All}, func(e *catalog.Catalog) (any, error) {
		found, err := e.Overview(ctx, q)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = found.WriteJSON(&out)
		return json.RawMessage(out.Bytes()), err
	})
}

func kindsOf(words []string) (kinds []definition.Kind, err error) {
	for _, word := range words {
		kind, ok := definition.ParseKind(word)
		if !ok {
			return nil, invalidParams("unknown kind \"" + word + "\"; use skill, command, agent, instruction or workflow")
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

type getParams struct {
	inCatalog
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func get(ctx context.Context, c *session, p getParams) (json.RawMessage, error) {
	kinds, err := kindsOf([]string{p.Kind})
	if err != nil {
		return nil, err
	}
	return c.use(ctx, variant{}, func(e *catalog.Catalog) (any, error) { return e.Get(ctx, kinds[0], p.Name) })
}

type loadParams struct {
	inCatalog
	Request []string `json:"request"`
	Agent   string   `json:"agent"`
}

// load returns a result even if loading fails, as vade load does.
func load(ctx context.Context, c *session, p loadParams) (json.RawMessage, error) {
	if len(p.Request) == 0 {
		return nil, invalidParams("parameter \"request\" is empty")
	}
	return c.use(ctx, variant{}, func(e *catalog.Catalog) (any, error) {
		result, _ := e.LoadFor(ctx, p.Agent, p.Request...)
		text, err := catalog.JSON(result)
		return json.RawMessage(text), errors.Join(ctx.Err(), err)
	})
}

type loadSkillParams struct {
	inCatalog
	Name  string `json:"name"`
	Agent string `json:"agent"`
}

func loadSkill(ctx context.Context, c *session, p loadSkillParams) (json.RawMessage, error) {
	return c.use(ctx, variant{local: true}, func(e *catalog.Catalog) (any, error) { return e.LoadSkill(ctx, p.Agent, p.Name) })
}

type renderParams struct {
	inCatalog
	Request []string `json:"request"`
	By      string   `json:"by"`
	Session string   `json:"session"`
}

func render(ctx context.Context, c *session, p renderParams) (json.RawMessage, error) {
	r := catalog.RenderRequest{Prompt: strings.Join(p.Request, " "), ByModel: p.By == "model", Session: p.Session}
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return nil, invalidParams("parameter \"request\" is empty")
	case p.By != "" && p.By != "user" && p.By != "model":
		return nil, invalidParams("parameter \"by\" must be \"user\" or \"model\"")
	case r.ByModel && c.neutral():
		return nil, invalidParams("parameter \"by\" can be \"model\" only if the catalog was opened for a host")
	}
	if profile := c.profile(); p.Session != "" && !c.neutral() && profile.Switches&host.SwitchSession == 0 {
		return nil, invalidParams(profile.Name + " does not support session IDs")
	}
	return c.with(ctx, catalog.ClientOptions{}, p.Session, func(e *catalog.Catalog) (any, error) { return e.Render(ctx, r) })
}

type listingParams struct {
	inCatalog
	Agent         string   `json:"agent"`
	Touched       []string `json:"touched"`
	ContextTokens int      `json:"contextTokens"`
}

func listing(ctx context.Context, c *session, p listingParams) (json.RawMessage, error) {
	client := catalog.ClientOptions{Agent: p.Agent, Touched: p.Touched, ContextTokens: p.ContextTokens}
	return c.with(ctx, client, "", func(e *catalog.Catalog) (any, error) { return e.Listing(ctx) })
}

type instructionsParams struct {
	inCatalog
	Agent string   `json:"agent"`
	Files []string `json:"files"`
}

func instruct(ctx context.Context, c *session, p instructionsParams) (json.RawMessage, error) {
	var client catalog.ClientOptions
	if !c.neutral() {
		client.Agent = p.Agent
	}
	return c.with(ctx, client, "", func(e *catalog.Catalog) (any, error) {
		return instructions.Build(ctx, e, instructions.Request{Agent: p.Agent, Files: p.Files})
	})
}

type promptParams struct {
	inCatalog
	Agent  string   `json:"agent"`
	Files  []string `json:"files"`
	Budget int      `json:"budget"`
	Tool   string   `json:"tool"`
}

func promptOf(ctx context.Context, c *session, p promptParams) (json.RawMessage, error) {
	if p.Tool != "" && !c.neutral() {
		return nil, invalidParams("parameter \"tool\" cannot be used with a host")
	}
	r, client := prompt.ForHost(c.profile(), prompt.Request{Agent: p.Agent, Files: p.Files, Budget: p.Budget, Tool: p.Tool})
	return c.with(ctx, client, "", func(e *catalog.Catalog) (any, error) { return prompt.Build(ctx, e, r) })
}

type agentOptionsParams struct {
	inCatalog
	Base json.RawMessage `json:"base"`
}

// AgentOptions is the result of the method agentOptions.
type AgentOptions struct {
	// Options holds the SDK's options, merged with the request's base options.
	Options *export.SDKOptions `json:"options"`
	// Losses lists what the options cannot express.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

func agentOptions(ctx context.Context, c *session, p agentOptionsParams) (json.RawMessage, error) {
	if len(p.Base) > 0 && p.Base[0] != '{' {
		return nil, invalidParams("parameter \"base\" must be an object")
	}
	return c.use(ctx, variant{local: true}, func(e *catalog.Catalog) (any, error) {
		o, err := export.NewSDKOptions(ctx, e, p.Base)
		if err != nil {
			return nil, err
		}
		return AgentOptions{o, append([]export.HostLoss{}, o.Losses...), append([]diag.Diagnostic{}, o.Diagnostics...)}, nil
	})
}

// SessionOptions is the result of the method sessionConfig.
type SessionOptions struct {
	// Config configures a Copilot SDK session.
	Config export.CopilotConfig `json:"config"`
	// Losses lists what the configuration cannot express.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

func sessionConfig(ctx context.Context, c *session, _ inCatalog) (json.RawMessage, error) {
	return c.use(ctx, variant{}, func(e *catalog.Catalog) (any, error) {
		s, err := export.NewCopilotConfig(ctx, e)
		if err != nil {
			return nil, err
		}
		return SessionOptions{*s, append([]export.HostLoss{}, s.Losses...), append([]diag.Diagnostic{}, s.Diagnostics...)}, nil
	})
}

type searchParams struct {
	inCatalog
	Query string `json:"query"`
	Kind  string `json:"kind"`
	Limit int    `json:"limit"`
}

// Found is the result of the method search.
type Found struct {
	// Definitions lists the best matches, best first, without near-duplicates.
	// More counts the other matches.
	Definitions []catalog.Definition `json:"definitions"`
	More        int                  `json:"more"`
}

func find(ctx context.Context, c *session, p searchParams) (json.RawMessage, error) {
	// The length of the query is limited because the search time is proportional to it.
	const maxQuery, usual = 1000, 10
	var kinds []definition.Kind
	var err error
	if p.Kind != "" {
		kinds, err = kindsOf([]string{p.Kind})
	}
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(p.Query) == "" || len(p.Query) > maxQuery:
		return nil, invalidParams("parameter \"query\" must be 1 to 1000 bytes long")
	case p.Limit < 0:
		return nil, invalidParams("parameter \"limit\" must not be negative")
	case p.Limit == 0:
		p.Limit = usual
	}
	v := variant{local: true}
	return c.use(ctx, v, func(e *catalog.Catalog) (any, error) {
		index, err := c.index(ctx, v, e)
		if err != nil {
			return nil, err
		}
		found, err := index.Search(ctx, p.Query, search.Options{
			Limit: p.Limit, Accept: func(d catalog.Definition) bool { return kinds == nil || slices.Contains(kinds, d.Kind()) },
		})
		if err != nil {
			return nil, err
		}
		result := Found{Definitions: []catalog.Definition{}, More: found.More}
		for _, r := range found.Results {
			result.Definitions = append(result.Definitions, r.Definition)
			result.More += len(r.Alike)
		}
		return result, nil
	})
}

type explainParams struct {
	inCatalog
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Hosts []string `json:"hosts"`
	All   bool     `json:"all"`
}

func explainOf(ctx context.Context, c *session, p explainParams) (json.RawMessage, error) {
	r := explain.Request{Name: p.Name, Hosts: p.Hosts, All: p.All}
	var err error
	if p.Kind != "" {
		r.Kinds, err = kindsOf([]string{p.Kind})
	}
	if err == nil && p.All == (p.Name != "") {
		err = invalidParams("set either parameter \"name\" or parameter \"all\"")
	}
	if err == nil {
		err = knownHosts(p.Hosts)
	}
	if err != nil {
		return nil, err
	}
	return encodeResult(explain.Run(ctx, c.everyHost(), r))
}

type checkParams struct {
	inCatalog
	Paths []string `json:"paths"`
	Hosts []string `json:"hosts"`
}

func checkOf(ctx context.Context, c *session, p checkParams) (json.RawMessage, error) {
	if !slices.Equal(p.Hosts, []string{"all"}) {
		if err := knownHosts(p.Hosts); err != nil {
			return nil, err
		}
	}
	return encodeResult(check.Run(ctx, c.everyHost(), check.Options{Paths: c.paths(p.Paths), Hosts: p.Hosts}))
}

type auditParams struct {
	inCatalog
	Paths        []string `json:"paths"`
	Loaded       bool     `json:"loaded"`
	Capabilities bool     `json:"capabilities"`
	Persona      string   `json:"persona"`
}

func audit(ctx context.Context, c *session, p auditParams) (json.RawMessage, error) {
	if p.Loaded && len(p.Paths) > 0 {
		return nil, invalidParams("parameters \"loaded\" and \"paths\" cannot be used together")
	}
	r, err := scan.Run(ctx, c.options, scan.Options{Paths: c.paths(p.Paths), Loaded: p.Loaded, Persona: p.Persona,
		Capabilities: p.Capabilities})
	if errors.Is(err, scan.ErrPersona) {
		return nil, invalidParams("parameter \"persona\" must be \"regular\", \"pedantic\" or \"auditor\"")
	}
	return encodeResult(r, err)
}

// paths returns list with the paths that start with ".." made absolute, based on the catalog's
// directory.
func (c *session) paths(list []string) []string {
	list = slices.Clone(list)
	for i, p := range list {
		if p = strings.ReplaceAll(p, "\\", "/"); p == ".." || strings.HasPrefix(p, "../") {
			list[i] = path.Join(c.options.Dir, p)
		}
	}
	return list
}
