package remote

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/diag"
)

// listing holds the definitions that one server lists.
type listing struct {
	entries []*Entry
	// skills reports whether the server supports the skills extension.
	skills bool
	diags  []diag.Diagnostic
}

func (l *listing) report(s *Server, code diag.Code, fix, format string, args ...any) {
	// Limit the output for a server with many invalid entries.
	if len(l.diags) < maxDiagnostics {
		l.diags = append(l.diags, newError(code, fix, format, args...).Diagnostic(Scheme+s.Name))
	}
}

// maxDiagnostics limits the diagnostics for one server.
const maxDiagnostics = 20

// fixList is the fix to show if the server answers a request with an error.
const fixList = "to list what the server offers, run: vade remote"

const fixServer = "report it to the server's operator; its other definitions are not affected"

// list lists what the server offers: its skills if it supports the extension, and otherwise its
// prompts and the resources that are skills. If a server declares the extension but answers
// skills/list with an error, list treats the extension as unsupported. It does not read files.
func (c *session) list(ctx context.Context) (*listing, error) {
	o := &listing{}
	caps := &mcp.ServerCapabilities{}
	if r := c.mcp.InitializeResult(); r != nil && r.Capabilities != nil {
		caps = r.Capabilities
	}
	_, o.skills = caps.Extensions[Extension]
	err := c.do(ctx, MaxListing, func(ctx context.Context) (err error) {
		if o.skills {
			err = c.listSkills(ctx, o)
			if !isServerError(err) || c.unauthorized() {
				return err
			}
			o.skills, o.entries, err = false, nil, nil
			o.report(c.server, diag.RemoteInvalid, fixServer,
				"the server declares the skills extension, but skills/list failed; its prompts and resources are listed instead")
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
		var e *Error
		if errors.As(err, &e) && e.Fix == fixList {
			// The fix must not suggest listing again, because that would fail in the same way.
			e.Fix = "report it to the server's operator, or remove the server from " + c.world.configLocation(c.server)
		}
		return nil, err
	}
	var dropped []*Entry
	o.entries, dropped = assignNames(o.entries)
	// Report only their number, because the names come from the server and are invalid.
	if len(dropped) > 0 {
		o.report(c.server, diag.RemoteInvalid, fixServer, "ignored listed definitions with an invalid or duplicate name: %d", len(dropped))
	}
	return o, nil
}

// paginate calls fetch for each page of a list. fetch adds the page's entries
// to o and returns the next page's cursor.
func (c *session) paginate(o *listing, fetch func(cursor string) (next string, err error)) error {
	seen := map[string]bool{"": true}
	cursor := ""
	for range MaxPages {
		next, err := fetch(cursor)
		if err != nil {
			return err
		}
		if len(o.entries) > MaxEntries || len(o.entries) == MaxEntries && next != "" {
			o.entries = o.entries[:MaxEntries]
			o.report(c.server, diag.RemoteLimit, "reduce the number of definitions on the server", "only the first %d definitions are used", MaxEntries)
			return nil
		}
		switch {
		case next == "":
			return nil
		case seen[next]:
			o.report(c.server, diag.RemoteInvalid, fixServer, "the list's page cursors form a cycle")
			return nil
		}
		seen[next] = true
		cursor = next
	}
	o.report(c.server, diag.RemoteLimit, "increase the server's page size", "only the first %d pages are used", MaxPages)
	return nil
}

func (c *session) listSkills(ctx context.Context, o *listing) error {
	seen := map[string]bool{}
	// previous is the number of skills on earlier pages.
	previous := 0
	return c.paginate(o, func(cursor string) (string, error) {
		r, err := mcp.CallCustomMethod[*listParams, *listResult](ctx, c.mcp, methodList, &listParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for i, raw := range r.Skills {
			if len(o.entries) > MaxEntries {
				break
			}
			e, err := parseEntry(c.server.Name, raw)
			if err == nil && seen[e.URI] {
				err = errors.New("is listed twice")
			}
			if err != nil {
				o.report(c.server, diag.RemoteInvalid, fixServer, "skill %d in the list %v", previous+i+1, err)
				continue
			}
			seen[e.URI] = true
			o.entries = append(o.entries, e)
		}
		previous += len(r.Skills)
		return r.NextCursor, nil
	})
}

func (c *session) listPrompts(ctx context.Context, o *listing) error {
	return c.paginate(o, func(cursor string) (string, error) {
		r, err := c.mcp.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, p := range r.Prompts {
			if p == nil || !validName(p.Name) {
				o.report(c.server, diag.RemoteInvalid, fixServer, "a prompt has an invalid name")
				continue
			}
			e := &Entry{Server: c.server.Name, Via: FromPrompt, Name: p.Name, Prompt: p.Name, URI: "prompt:" + p.Name, Description: p.Description}
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

func (c *session) listResources(ctx context.Context, o *listing) error {
	have := map[string]bool{}
	return c.paginate(o, func(cursor string) (string, error) {
		r, err := c.mcp.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, res := range r.Resources {
			if res == nil || !strings.HasPrefix(res.URI, "skill://") || path.Base(res.URI) != skillFile || have[res.URI] {
				continue
			}
			e := &Entry{Server: c.server.Name, Via: FromResource, URI: res.URI, Description: res.Description}
			var ok bool
			if e.dir, e.path, e.Name, ok = skillURI(res.URI); !ok {
				o.report(c.server, diag.RemoteInvalid, fixServer, "a resource has a URI that does not match SCHEME://PATH/NAME/SKILL.md")
				continue
			}
			have[e.URI] = true
			o.entries = append(o.entries, e)
		}
		return r.NextCursor, nil
	})
}

// do runs an operation within the server's timeout. The operation may read up to cost bytes from
// the server.
func (c *session) do(ctx context.Context, cost int64, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.server.timeout())
	defer cancel()
	stop := context.AfterFunc(ctx, c.abort)
	defer stop()
	c.budget.reset(cost)
	if err := f(ctx); err != nil {
		return c.translate(ctx, err)
	}
	return nil
}

// get reads a skill's entry by its URI. According to the specification, the skill need not be
// listed.
func (c *session) get(ctx context.Context, uri string) (*Entry, error) {
	var r *getResult
	err := c.do(ctx, 1<<20, func(ctx context.Context) (err error) {
		r, err = mcp.CallCustomMethod[*getParams, *getResult](ctx, c.mcp, methodGet, &getParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := parseEntry(c.server.Name, r.Skill)
	if err == nil && e.URI != uri {
		err = errors.New("was requested, but the server returned a different skill")
	}
	if err != nil {
		return nil, newError(diag.RemoteInvalid, "report it to the server's operator", "%s %v", truncate(uri), err)
	}
	e.Name = e.path
	return e, nil
}

// maxUnlisted is the maximum size in bytes of a SKILL.md whose size is not listed.
const maxUnlisted = 4 << 20

// read reads one resource. It requests only listed resources.
func (c *session) read(ctx context.Context, e *Entry, uri string) ([]byte, error) {
	limit := int64(maxUnlisted)
	listed := e.resource(uri)
	switch {
	case listed != nil:
		limit = listed.Size
	case e.Via != FromResource || uri != e.URI:
		return nil, newError(diag.RemoteUnlisted, "use a file that the skill lists", "%s does not list %s", e.Label(), truncate(uri))
	}
	var r *mcp.ReadResourceResult
	// Allow for the encoding: JSON escapes rarely more than triple the size of a text, and base64
	// adds a third.
	err := c.do(ctx, 3*limit+1<<20, func(ctx context.Context) (err error) {
		r, err = c.mcp.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(r.Contents) != 1 || r.Contents[0] == nil || r.Contents[0].URI != uri {
		return nil, newError(diag.RemoteInvalid, "report it to the server's operator", "the server did not return %s", truncate(uri))
	}
	data := r.Contents[0].Blob
	if data == nil {
		data = []byte(r.Contents[0].Text)
	}
	if listed == nil && len(data) > maxUnlisted {
		return nil, newError(diag.RemoteLimit, "report it to the server's operator", "%s is larger than 4 MiB", truncate(uri))
	}
	return data, nil
}

// prompt returns a prompt's text.
func (c *session) prompt(ctx context.Context, e *Entry, args map[string]string) (string, error) {
	var r *mcp.GetPromptResult
	err := c.do(ctx, MaxPrompt, func(ctx context.Context) (err error) {
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
		return "", newError(diag.RemoteInvalid, "report it to the server's operator", "the prompt %q has no text", truncate(e.Prompt))
	}
	return strings.Join(texts, "\n\n"), nil
}
