package serve

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/vfs"
)

// skillsExtension identifies the MCP skills extension. All rules in this file are documented
// in ext-skills@0682b7b, specification/stable/skills.mdx.
const skillsExtension = "io.modelcontextprotocol/skills"

const (
	// Limits on a skills/list page: the number of skills, the size of its JSON in bytes, and the
	// total size of the skills' files. A page ends when a limit is reached, but contains at least
	// one skill.
	skillsPage      = 100
	skillsPageText  = 1 << 20
	skillsPageFiles = 64 << 20
	// directoryPage is the number of entries on a directory page.
	directoryPage = 200
	directoryType = "inode/directory"
	// maxReported limits how many unpublished skills are logged.
	maxReported = 1000
	// maxURI is the maximum length of a URI, in bytes.
	maxURI = 8 << 10
)

type pageParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type uriParams struct {
	mcp.ParamsBase
	URI    string `json:"uri"`
	Cursor string `json:"cursor,omitempty"`
}

// resultMeta holds the fields common to all of the extension's results.
type resultMeta struct {
	mcp.ResultBase
	TTLMs      int64  `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
	ResultType string `json:"resultType"`
}

type skillsResult struct {
	resultMeta
	Skills     []*publish.Entry `json:"skills"`
	NextCursor string           `json:"nextCursor,omitempty"`
}

type skillResult struct {
	resultMeta
	Skill *publish.Entry `json:"skill"`
}

type directoryResult struct {
	resultMeta
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor,omitempty"`
}

func newResultMeta() resultMeta {
	return resultMeta{TTLMs: listTTL.Milliseconds(), CacheScope: "private", ResultType: resultComplete}
}

// addResources registers the extension's methods and a single resource template for all skill
// files. The methods are answered by receive.
func (s *Server) addResources() error {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "skill://{+path}", Name: "skill-file", Title: "Skill file",
		Description: "Read a skill file. Get URIs from skills/list or resources/directory/read.",
	}, s.readResource)
	return errors.Join(
		mcp.AddReceivingCustomMethod(s.mcp, "skills/list", handledByReceive[*pageParams, *skillsResult]),
		mcp.AddReceivingCustomMethod(s.mcp, "skills/get", handledByReceive[*uriParams, *skillResult]),
		mcp.AddReceivingCustomMethod(s.mcp, "resources/directory/read", handledByReceive[*uriParams, *directoryResult]),
	)
}

// handledByReceive is the handler to register for a method that receive answers.
func handledByReceive[P, R any](context.Context, *mcp.ServerSession, P) (r R, err error) {
	return r, errors.ErrUnsupported
}

// listSkillEntries answers skills/list. Cursors contain keys instead of positions, so a skill that
// appears or disappears between two pages does not shift the others.
func (s *Server) listSkillEntries(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	skills, err := pageAfter(st.skills, req.GetParams().(*pageParams).Cursor, skill.key)
	if err != nil {
		return nil, err
	}
	client, _ := clientOf(req)
	res := &skillsResult{resultMeta: newResultMeta(), Skills: []*publish.Entry{}}
	var text, bytes int64
	for i, x := range skills {
		if i == min(s.options.PageSize, skillsPage) || text > skillsPageText || bytes > skillsPageFiles {
			res.NextCursor = cursorAfter(skills[i-1].key())
			break
		}
		// If the client is Vade, it already has the bundled skills.
		if !x.ModelInvocable() || client == "vade" && x.Layer() == definition.Bundled {
			continue
		}
		e, err := s.entries.Entry(ctx, st, x.uri())
		if s.isUnpublished(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		res.Skills = append(res.Skills, e)
		text += int64(len(e.Frontmatter) + len(e.Resources)*(len(e.URI)+120))
		bytes += e.Bytes()
	}
	return res, nil
}

// isUnpublished reports whether err means that the skill cannot be published or was deleted after
// the state was read. It logs skills that cannot be published.
func (s *Server) isUnpublished(err error) bool {
	var r *publish.NotPublishableError
	if !errors.As(err, &r) {
		return errors.Is(err, publish.ErrNoFile) || errors.Is(err, fs.ErrNotExist)
	}
	s.logUnpublished(r.Diagnostic)
	return true
}

// logUnpublished logs why a skill is not published, once per skill.
func (s *Server) logUnpublished(d diag.Diagnostic) {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	key := d.File + "\n" + d.Message
	if s.reported[key] || len(s.reported) >= maxReported {
		return
	}
	s.reported[key] = true
	s.logger.Warn("skill not published", "code", string(d.Code), "skill", d.File, "why", d.Message, "fix", d.Fix)
}

// getSkillEntry answers skills/get. Skills that only users may invoke are not
// listed, but clients can get them by URI.
func (s *Server) getSkillEntry(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	uri := req.GetParams().(*uriParams).URI
	if uri == "" {
		return nil, invalid("missing parameter \"uri\"")
	}
	e, err := s.entries.Entry(ctx, st, uri)
	var r *publish.NotPublishableError
	switch {
	case errors.As(err, &r):
		s.logUnpublished(r.Diagnostic)
		return nil, invalid("%s; %s", r.Diagnostic.Message, r.Diagnostic.Fix)
	case s.isUnpublished(err):
		return nil, invalid("no skill has this URI; call skills/list to get valid URIs")
	case err != nil:
		return nil, err
	}
	return &skillResult{resultMeta: newResultMeta(), Skill: e}, nil
}

// listResources answers resources/list with the SKILL.md of each skill that models may invoke.
func (s *Server) listResources(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && p != nil {
		cursor = p.Cursor
	}
	page, next, err := pageOf(st.skills, cursor, min(s.options.PageSize, skillsPage), skill.key)
	if err != nil {
		return nil, err
	}
	res := &mcp.ListResourcesResult{Cacheable: cacheable(listTTL), Resources: []*mcp.Resource{}, NextCursor: next}
	for _, x := range page {
		if x.ModelInvocable() && publish.ValidName(x.name()) {
			res.Resources = append(res.Resources, &mcp.Resource{
				URI: x.uri(), Name: x.name(), Description: auditedDescription(ctx, x.Definition), MIMEType: "text/markdown",
			})
		}
	}
	return res, nil
}

// readResource answers resources/read for a skill file.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	st, err := s.acquireLoaded(ctx)
	if err != nil {
		return nil, err
	}
	defer st.release()
	uri := req.Params.URI
	x, name, ok := st.locate(uri)
	if !ok || name == "." {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	var data []byte
	if _, err = x.Audited(ctx); err == nil {
		data, err = x.ReadFile(ctx, name, publish.MaxBytes)
	}
	var defErr *definition.Error
	switch {
	case errors.As(err, &defErr) && defErr.Code == diag.AuditBlocked:
		return nil, callError(err)
	case errors.Is(err, catalog.ErrNoFile) || errors.Is(err, fs.ErrNotExist):
		return nil, mcp.ResourceNotFoundError(uri)
	case errors.Is(err, vfs.ErrTooLarge):
		return nil, invalid("the file is larger than %d MiB", publish.MaxBytes>>20)
	case err != nil:
		return nil, err
	}
	c := &mcp.ResourceContents{URI: uri, MIMEType: publish.TypeOf(name)}
	switch {
	case len(data) == 0:
		// The SDK omits empty text, but contents must have either text or a blob.
		c.Blob = []byte{}
	case utf8.Valid(data):
		c.Text = string(data)
	default:
		c.Blob = data
	}
	return &mcp.ReadResourceResult{Cacheable: cacheable(listTTL), Contents: []*mcp.ResourceContents{c}}, nil
}

// readDirectory answers resources/directory/read with the entries in a skill's
// directory or one of its subdirectories.
func (s *Server) readDirectory(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	p := req.GetParams().(*uriParams)
	x, dir, ok := st.locate(p.URI)
	if !ok {
		return nil, invalid("no skill directory has this URI")
	}
	files, more, err := x.Files(ctx, publish.MaxResources)
	switch {
	case errors.Is(err, catalog.ErrNoFile) || errors.Is(err, fs.ErrNotExist):
		return nil, invalid("the skill no longer exists")
	case err != nil:
		return nil, err
	case more:
		return nil, invalid("the skill has more than %d files and is not published", publish.MaxResources)
	}
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	children := map[string]*mcp.Resource{}
	for _, f := range files {
		rest, below := strings.CutPrefix(f.Path, prefix)
		if !below {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		r := &mcp.Resource{URI: publish.FileURI(x.uri(), path.Join(dir, name)), Name: name, MIMEType: directoryType}
		if !deeper {
			r.MIMEType, r.Size = publish.TypeOf(name), f.Info.Size()
		}
		children[r.URI] = r
	}
	if len(children) == 0 {
		return nil, invalid("no skill directory has this URI")
	}
	uris, next, err := pageOf(slices.Sorted(maps.Keys(children)), p.Cursor, directoryPage, func(uri string) string { return uri })
	if err != nil {
		return nil, err
	}
	res := &directoryResult{resultMeta: newResultMeta(), Resources: []*mcp.Resource{}, NextCursor: next}
	for _, uri := range uris {
		res.Resources = append(res.Resources, children[uri])
	}
	return res, nil
}

// locate returns the skill that a URI belongs to, and the path within the skill.
func (st *state) locate(uri string) (x skill, name string, ok bool) {
	if len(uri) > maxURI {
		return skill{}, "", false
	}
	publish.EnclosingSkills(uri, func(main string) bool {
		if x, ok = st.skill(main); !ok {
			return true
		}
		name, ok = publish.FilePath(main, uri)
		return false
	})
	return x, name, ok
}

// auditedDescription returns the description to show in a list. If the audit blocks the definition,
// the description is withheld, because models read lists before they load anything.
func auditedDescription(ctx context.Context, d catalog.Definition) string {
	if d.AuditListing(ctx) != nil {
		return "(description withheld: the audit blocks this definition; the user can run vade audit for details)"
	}
	return d.Description()
}
