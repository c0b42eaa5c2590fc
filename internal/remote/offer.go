package remote

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/diag"
)

// offer is what one server lists.
type offer struct {
	entries []*Entry
	// skills: the server has the extension.
	skills bool
	diags  []diag.Diagnostic
}

func (o *offer) report(s *Server, code diag.Code, fix, format string, args ...any) {
	// A server that lists much nonsense is told of once in a while.
	if len(o.diags) < maxProblems {
		o.diags = append(o.diags, failed(code, fix, format, args...).Diagnostic(Scheme+s.Name))
	}
}

// maxProblems is how many problems of one server are told.
const maxProblems = 20

const tellServer = "tell whoever runs the server; the others of its definitions are there"

// list asks for what the server offers: its skills where it has the extension, or
// else its prompts and its resources that are skills. It reads none of them.
func (c *session) list(ctx context.Context) (*offer, error) {
	o := &offer{}
	caps := &mcp.ServerCapabilities{}
	if r := c.mcp.InitializeResult(); r != nil && r.Capabilities != nil {
		caps = r.Capabilities
	}
	_, o.skills = caps.Extensions[Extension]
	err := c.ask(ctx, MaxListing, func(ctx context.Context) (err error) {
		if o.skills {
			return c.listSkills(ctx, o)
		}
		if caps.Prompts != nil {
			err = c.listPrompts(ctx, o)
		}
		if err == nil && caps.Resources != nil {
			err = c.listResources(ctx, o)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var dropped []*Entry
	o.entries, dropped = settle(o.entries)
	// Which they are is not told: names of a server are for whoever looks at it.
	if len(dropped) > 0 {
		o.report(c.server, diag.RemoteInvalid, tellServer, "%d definitions of its list have the name of another, or one that can not be used", len(dropped))
	}
	return o, nil
}

// pages asks page by page. ask returns the cursor of the next one, and how many
// entries there are by now.
func (c *session) pages(o *offer, ask func(cursor string) (next string, err error)) error {
	seen := map[string]bool{"": true}
	cursor := ""
	for range MaxPages {
		next, err := ask(cursor)
		if err != nil {
			return err
		}
		if len(o.entries) >= MaxEntries {
			o.entries = o.entries[:MaxEntries]
			o.report(c.server, diag.RemoteLimit, "offer fewer", "only the first %d definitions are used", MaxEntries)
			return nil
		}
		switch {
		case next == "":
			return nil
		case seen[next]:
			o.report(c.server, diag.RemoteInvalid, tellServer, "the pages of the list go round in a circle")
			return nil
		}
		seen[next] = true
		cursor = next
	}
	o.report(c.server, diag.RemoteLimit, "offer larger pages", "only the first %d pages are used", MaxPages)
	return nil
}

func (c *session) listSkills(ctx context.Context, o *offer) error {
	have := map[string]bool{}
	// before is how many skills the pages before have.
	before := 0
	return c.pages(o, func(cursor string) (string, error) {
		r, err := mcp.CallCustomMethod[*listParams, *listResult](ctx, c.mcp, methodList, &listParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for i, raw := range r.Skills {
			if len(o.entries) >= MaxEntries {
				break
			}
			e, err := parseEntry(c.server.Name, raw)
			if err == nil && have[e.URI] {
				err = errors.New("is listed twice")
			}
			if err != nil {
				o.report(c.server, diag.RemoteInvalid, tellServer, "skill %d of its list %v", before+i+1, err)
				continue
			}
			have[e.URI] = true
			o.entries = append(o.entries, e)
		}
		before += len(r.Skills)
		return r.NextCursor, nil
	})
}

func (c *session) listPrompts(ctx context.Context, o *offer) error {
	return c.pages(o, func(cursor string) (string, error) {
		r, err := c.mcp.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, p := range r.Prompts {
			if p == nil || !validName(p.Name) {
				o.report(c.server, diag.RemoteInvalid, tellServer, "a prompt has a name that can not be used")
				continue
			}
			e := &Entry{Server: c.server.Name, Via: ViaPrompt, Name: p.Name, Prompt: p.Name, URI: "prompt:" + p.Name, Description: p.Description}
			for _, a := range p.Arguments {
				if a != nil && validName(a.Name) && len(e.Arguments) < 64 {
					e.Arguments = append(e.Arguments, Argument{a.Name, a.Description, a.Required})
				}
			}
			o.entries = append(o.entries, e)
		}
		return r.NextCursor, nil
	})
}

func (c *session) listResources(ctx context.Context, o *offer) error {
	have := map[string]bool{}
	return c.pages(o, func(cursor string) (string, error) {
		r, err := c.mcp.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, res := range r.Resources {
			if res == nil || !strings.HasPrefix(res.URI, "skill://") || path.Base(res.URI) != skillFile || have[res.URI] {
				continue
			}
			e := &Entry{Server: c.server.Name, Via: ViaResource, URI: res.URI, Description: res.Description}
			var ok bool
			if e.dir, e.place, e.Name, ok = skillURI(res.URI); !ok {
				o.report(c.server, diag.RemoteInvalid, tellServer, "a resource has a uri that does not lead to the SKILL.md of a name")
				continue
			}
			have[e.URI] = true
			o.entries = append(o.entries, e)
		}
		return r.NextCursor, nil
	})
}

// ask does something that may cost so many bytes, within the deadline of the server.
func (c *session) ask(ctx context.Context, cost int64, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.server.deadline())
	defer cancel()
	stop := context.AfterFunc(ctx, c.cut)
	defer stop()
	c.budget.allow(cost)
	if err := do(ctx); err != nil {
		return c.fault(ctx, err)
	}
	return nil
}

// get asks for one skill by its URI, which need not be in the list (documented).
func (c *session) get(ctx context.Context, uri string) (*Entry, error) {
	var r *getResult
	err := c.ask(ctx, 1<<20, func(ctx context.Context) (err error) {
		r, err = mcp.CallCustomMethod[*getParams, *getResult](ctx, c.mcp, methodGet, &getParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := parseEntry(c.server.Name, r.Skill)
	if err == nil && e.URI != uri {
		err = errors.New("is another than was asked for")
	}
	if err != nil {
		return nil, failed(diag.RemoteInvalid, "tell whoever runs the server", "%s %v", short(uri), err)
	}
	e.Name = e.place
	return e, nil
}

// maxBare is the length of the longest SKILL.md whose length is not listed.
const maxBare = 4 << 20

// read reads one resource. What is not listed is not asked for.
func (c *session) read(ctx context.Context, e *Entry, uri string) ([]byte, error) {
	most := int64(maxBare)
	listed := e.listed(uri)
	switch {
	case listed != nil:
		most = listed.Size
	case e.Via != ViaResource || uri != e.URI:
		return nil, failed(diag.RemoteUnlisted, "name a file of the skill's list", "%s does not list %s", e.Label(), short(uri))
	}
	var r *mcp.ReadResourceResult
	// Text may be three times as long in JSON, and base64 is a third longer.
	err := c.ask(ctx, 3*most+1<<20, func(ctx context.Context) (err error) {
		r, err = c.mcp.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(r.Contents) != 1 || r.Contents[0] == nil || r.Contents[0].URI != uri {
		return nil, failed(diag.RemoteInvalid, "tell whoever runs the server", "the server answered with another file than %s", short(uri))
	}
	data := r.Contents[0].Blob
	if data == nil {
		data = []byte(r.Contents[0].Text)
	}
	if listed == nil && len(data) > maxBare {
		return nil, failed(diag.RemoteLimit, "tell whoever runs the server", "%s has more than 4 MiB", short(uri))
	}
	return data, nil
}

// prompt asks for the text of a prompt.
func (c *session) prompt(ctx context.Context, e *Entry, args map[string]string) (string, error) {
	var r *mcp.GetPromptResult
	err := c.ask(ctx, MaxPrompt, func(ctx context.Context) (err error) {
		r, err = c.mcp.GetPrompt(ctx, &mcp.GetPromptParams{Name: e.Prompt, Arguments: args})
		return err
	})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, m := range r.Messages {
		if m == nil {
			continue
		}
		switch x := m.Content.(type) {
		case *mcp.TextContent:
			texts = append(texts, x.Text)
		case *mcp.EmbeddedResource:
			if x.Resource != nil && x.Resource.Blob == nil {
				texts = append(texts, x.Resource.Text)
			}
		}
	}
	if len(texts) == 0 {
		return "", failed(diag.RemoteInvalid, "tell whoever runs the server", "the prompt %s has no text", short(e.Prompt))
	}
	return strings.Join(texts, "\n\n"), nil
}
