package rpc

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// handler answers a request.
type handler func(ctx context.Context, s *Server, params json.RawMessage) (any, error)

// methods returns the methods by name.
func methods() map[string]handler {
	return map[string]handler{
		"open":      func(ctx context.Context, s *Server, params json.RawMessage) (any, error) { return s.open(ctx, params) },
		"close":     closeCatalog,
		"list":      on(list),
		"get":       on(get),
		"load":      on(load),
		"loadSkill": on(loadSkill),
	}
}

// inCatalog is the parameter of the methods that need a catalog.
type inCatalog struct {
	Catalog int `json:"catalog"`
}

func (p inCatalog) number() int { return p.Catalog }

// on returns the handler of a method with parameters P in a catalog.
func on[P interface{ number() int }](call func(ctx context.Context, c *session, p P) (any, error)) handler {
	return func(ctx context.Context, s *Server, params json.RawMessage) (any, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return nil, err
		}
		s.mu.Lock()
		c := s.catalogs[p.number()]
		s.mu.Unlock()
		if c == nil {
			return nil, unknownCatalog()
		}
		return call(ctx, c, p)
	}
}

func closeCatalog(_ context.Context, s *Server, params json.RawMessage) (any, error) {
	var p inCatalog
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	c := s.catalogs[p.Catalog]
	delete(s.catalogs, p.Catalog)
	s.mu.Unlock()
	if c == nil {
		return nil, unknownCatalog()
	}
	c.close()
	return struct{}{}, nil
}

type listParams struct {
	inCatalog
	Kinds []string `json:"kinds"`
	All   bool     `json:"all"`
}

func list(ctx context.Context, c *session, p listParams) (any, error) {
	q := catalog.Query{All: p.All}
	for _, word := range p.Kinds {
		kind, err := kindOf(word)
		if err != nil {
			return nil, err
		}
		q.Kinds = append(q.Kinds, kind)
	}
	var out bytes.Buffer
	err := c.use(ctx, variant{remote: true, unread: p.All}, func(e *catalog.Catalog) error {
		found, err := e.Overview(ctx, q)
		if err != nil {
			return err
		}
		return found.WriteJSON(&out)
	})
	return oneLine(out.Bytes()), err
}

// oneLine removes the line breaks between the tokens of a JSON text.
func oneLine(text []byte) json.RawMessage {
	var b bytes.Buffer
	// Vade wrote the text, so it is valid.
	_ = json.Compact(&b, text)
	return b.Bytes()
}

func kindOf(word string) (definition.Kind, error) {
	kind, ok := definition.ParseKind(word)
	if !ok {
		return 0, invalidParams("unknown kind " + word + "; use skill, command, agent, instruction or workflow")
	}
	return kind, nil
}

type getParams struct {
	inCatalog
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func get(ctx context.Context, c *session, p getParams) (any, error) {
	kind, err := kindOf(p.Kind)
	if err != nil {
		return nil, err
	}
	var out json.RawMessage
	err = c.use(ctx, variant{remote: true}, func(e *catalog.Catalog) error {
		d, err := e.Get(ctx, kind, p.Name)
		if err != nil {
			return err
		}
		out, err = d.MarshalJSON()
		return err
	})
	return out, err
}

type loadParams struct {
	inCatalog
	Request []string `json:"request"`
}

// load returns a result for failures too, as the command does.
func load(ctx context.Context, c *session, p loadParams) (any, error) {
	if len(p.Request) == 0 {
		return nil, invalidParams("the parameter request is empty")
	}
	var out json.RawMessage
	err := c.use(ctx, variant{remote: true}, func(e *catalog.Catalog) error {
		result, _ := e.Load(ctx, p.Request...)
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := catalog.JSON(result)
		out = oneLine(text)
		return err
	})
	return out, err
}

type loadSkillParams struct {
	inCatalog
	Name  string `json:"name"`
	Agent string `json:"agent"`
}

func loadSkill(ctx context.Context, c *session, p loadSkillParams) (any, error) {
	var skill *catalog.LoadedSkill
	err := c.use(ctx, variant{}, func(e *catalog.Catalog) (err error) {
		skill, err = e.LoadSkill(ctx, p.Agent, p.Name)
		return err
	})
	return skill, err
}
