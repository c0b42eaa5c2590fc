package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/publish"
)

// skillsExtension is the identifier of the extension (documented: ext-skills@0682b7b,
// specification/stable/skills.mdx, as are all rules of this file).
const skillsExtension = "io.modelcontextprotocol/skills"

// The sizes of one page: that many skills, of about that many bytes of JSON, made of
// files of that many bytes together. A page has one skill at least.
const (
	skillsPage      = 100
	skillsPageText  = 1 << 20
	skillsPageFiles = 64 << 20
)

// maxRefusals is how many skills a server says at most that it leaves out.
const maxRefusals = 1000

// cacheHint says how long an answer may be used again, in milliseconds, and by whom.
type cacheHint struct {
	TTLMs      int64  `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// skillsFace answers for skills and their files. Nothing is registered for a skill:
// every answer is made of the store of that moment.
type skillsFace struct {
	// hold returns the present store, and what lets go of it.
	hold func(context.Context) (Store, func(), error)
	// ttl is how long an answer may be used again.
	ttl time.Duration
	// page is how many skills a page has at most.
	page int
	// report is told once of each skill that is left out.
	report func(diag.Diagnostic)

	keeper publish.Keeper
	// held counts the files until their readers have them; making has a place for each
	// that is read.
	held   *budget
	making gate
	mu     sync.Mutex
	told   map[string]bool
}

// Skills adds the skills extension to a server, its resources, and the site of the
// project's skills to its pages.
func Skills(s *Server) Extension {
	report := func(d diag.Diagnostic) {
		s.logger.Warn("a skill is left out", "code", string(d.Code), "skill", d.File, "why", d.Message, "fix", d.Fix)
	}
	x := &skillsFace{hold: s.Store, ttl: listTTL, page: min(s.PageSize(), skillsPage), report: report, held: &s.held, making: s.making}
	site := &staticFace{hold: s.Store, market: publish.MarketOf(s.root), ttl: listTTL, report: report}
	return Extension{
		Capabilities: declareSkills, Register: x.register, Changed: announceResources, Pages: site.pages(),
		Methods: map[string]func(context.Context, Store, mcp.Request) (mcp.Result, error){
			"resources/list": x.listResources,
		},
	}
}

// declareSkills adds what the server can to its capabilities.
func declareSkills(c *mcp.ServerCapabilities) {
	if c.Resources == nil {
		c.Resources = &mcp.ResourceCapabilities{ListChanged: true}
	}
	c.AddExtension(skillsExtension, map[string]any{"directoryRead": true})
}

// register makes a server take the methods of the extension, and gives it the one
// template that all files of all skills have.
func (x *skillsFace) register(s *mcp.Server) error {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "skill://{+path}", Name: "skill-file", Title: "File of a skill",
		Description: "Any file of a skill, by the URIs that skills/list and resources/directory/read give.",
	}, x.readResource)
	announceResources(s)
	return errors.Join(
		mcp.AddReceivingCustomMethod(s, "skills/list", x.list),
		mcp.AddReceivingCustomMethod(s, "skills/get", x.get),
		mcp.AddReceivingCustomMethod(s, "resources/directory/read", x.directory),
	)
}

// announceResources makes the SDK tell that resources have changed. Its own list is
// never shown: resources are answered from the store.
func announceResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{URI: "vade:none", Name: "vade"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	})
}

func (x *skillsFace) hint() cacheHint {
	return cacheHint{TTLMs: x.ttl.Milliseconds(), CacheScope: "private"}
}

type pageParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type uriParams struct {
	mcp.ParamsBase
	URI    string `json:"uri"`
	Cursor string `json:"cursor,omitempty"`
}

type skillsResult struct {
	mcp.ResultBase
	cacheHint
	ResultType string           `json:"resultType"`
	Skills     []*publish.Entry `json:"skills"`
	NextCursor string           `json:"nextCursor,omitempty"`
}

type skillResult struct {
	mcp.ResultBase
	cacheHint
	ResultType string         `json:"resultType"`
	Skill      *publish.Entry `json:"skill"`
}

const resultComplete = "complete"

// list answers skills/list. The pages follow the order of the URIs, so that a skill
// that comes or goes between two pages moves no other.
func (x *skillsFace) list(ctx context.Context, _ *mcp.ServerSession, p *pageParams) (*skillsResult, error) {
	after, err := cursorOf(p)
	if err != nil {
		return nil, err
	}
	store, release, err := x.hold(ctx)
	if err != nil {
		return nil, internalError(ctx, err)
	}
	defer release()
	res := &skillsResult{cacheHint: x.hint(), ResultType: resultComplete, Skills: []*publish.Entry{}}
	rest := store.Skills()
	if after != "" {
		at, found := slices.BinarySearchFunc(rest, after, func(s Skill, uri string) int { return strings.Compare(s.URI, uri) })
		if found {
			at++
		}
		rest = rest[at:]
	}
	own := ctx.Value(sameProgram{}) != nil
	var text, bytes int64
	for i, s := range rest {
		if i == x.page || text > skillsPageText || bytes > skillsPageFiles {
			res.NextCursor = cursorTo(rest[i-1].URI)
			break
		}
		// Another Vade has those that come with it itself.
		if !s.ModelInvocable() || own && s.d.Layer() == definition.Bundled {
			continue
		}
		e, err := x.keeper.Entry(ctx, fileSource{store}, s.URI)
		if x.leftOut(err) {
			continue
		}
		if err != nil {
			return nil, internalError(ctx, err)
		}
		res.Skills = append(res.Skills, e)
		text += int64(len(e.Frontmatter) + len(e.Resources)*(len(e.URI)+120))
		bytes += e.Bytes()
	}
	return res, nil
}

// leftOut reports whether an error says that a skill is not given out, or is gone
// since the store was made, and tells of it.
func (x *skillsFace) leftOut(err error) bool {
	var r *publish.Refused
	if !errors.As(err, &r) {
		return errors.Is(err, publish.ErrNoFile) || errors.Is(err, fs.ErrNotExist)
	}
	x.mu.Lock()
	key := r.Diagnostic.File + "\n" + r.Diagnostic.Message
	first := !x.told[key] && len(x.told) < maxRefusals
	if first {
		if x.told == nil {
			x.told = map[string]bool{}
		}
		x.told[key] = true
	}
	x.mu.Unlock()
	if first && x.report != nil {
		x.report(r.Diagnostic)
	}
	return true
}

// get answers skills/get. A skill that only its user may call for is not listed, and
// is given to who names it.
func (x *skillsFace) get(ctx context.Context, _ *mcp.ServerSession, p *uriParams) (*skillResult, error) {
	if p == nil || p.URI == "" {
		return nil, invalidParams("the parameter uri is missing")
	}
	store, release, err := x.hold(ctx)
	if err != nil {
		return nil, internalError(ctx, err)
	}
	defer release()
	if _, ok := store.Skill(p.URI); !ok {
		return nil, invalidParams("no skill has this URI; see skills/list")
	}
	e, err := x.keeper.Entry(ctx, fileSource{store}, p.URI)
	var r *publish.Refused
	switch {
	case errors.As(err, &r):
		x.leftOut(err)
		return nil, invalidParams("%s; %s", r.Diagnostic.Message, r.Diagnostic.Fix)
	case x.leftOut(err):
		return nil, invalidParams("no skill has this URI any more; see skills/list")
	case err != nil:
		return nil, internalError(ctx, err)
	}
	return &skillResult{cacheHint: x.hint(), ResultType: resultComplete, Skill: e}, nil
}

// invalidParams is the error for what a client asks for and there is not, with a message
// for it.
func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// internalError is the error for what went wrong here. It names no path of this machine.
func internalError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	message := "the files can not be read"
	if errors.Is(err, fs.ErrPermission) {
		message = "a file may not be read"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
}

// cursorTo is the cursor of the page behind a URI, or behind a name.
func cursorTo(last string) string { return base64.RawURLEncoding.EncodeToString([]byte("1" + last)) }

// cursorOf is what a cursor stands for, "" for the first page.
func cursorOf(p *pageParams) (string, error) {
	if p == nil {
		return "", nil
	}
	return readCursor(p.Cursor)
}

func readCursor(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(text) < 2 || text[0] != '1' {
		return "", invalidParams("the cursor is none of this server; begin without one")
	}
	return string(text[1:]), nil
}

// fileSource gives the files of a store's skills.
type fileSource struct{ Store }

// Files implements [publish.Source].
func (f fileSource) Files(ctx context.Context, uri string, limit int) ([]publish.File, bool, error) {
	s, ok := f.Skill(uri)
	if !ok {
		return nil, false, publish.ErrNoFile
	}
	list, more, err := f.Store.Files(ctx, s, limit)
	if err != nil {
		return nil, false, noPublished(err)
	}
	files := make([]publish.File, len(list))
	for i, x := range list {
		files[i] = publish.File(x)
	}
	return files, more, nil
}

// ReadFile implements [publish.Source].
func (f fileSource) ReadFile(ctx context.Context, uri, path string, limit int64) ([]byte, error) {
	s, ok := f.Skill(uri)
	if !ok {
		return nil, publish.ErrNoFile
	}
	data, err := f.Store.ReadFile(ctx, s, path, limit)
	return data, noPublished(err)
}

func noPublished(err error) error {
	if errors.Is(err, ErrNoFile) {
		return fmt.Errorf("%w: %w", publish.ErrNoFile, err)
	}
	return err
}

// Frontmatter is not needed: the entry has that of the bytes that its digest is of.
func (f fileSource) Frontmatter(context.Context, Skill) (json.RawMessage, error) {
	return nil, errors.ErrUnsupported
}
