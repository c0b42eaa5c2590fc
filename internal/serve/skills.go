package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// skillsExtension is the identifier of the skills extension (documented:
// ext-skills@0682b7b, specification/stable/skills.mdx, as are all rules of this file).
const skillsExtension = "io.modelcontextprotocol/skills"

const (
	// A page of skills/list ends after so many skills, after so many bytes of JSON, or
	// after skills with so many bytes of files. It has at least one skill.
	skillsPage      = 100
	skillsPageText  = 1 << 20
	skillsPageFiles = 64 << 20
	// directoryPage is the number of entries on a page of a directory.
	directoryPage = 200
	directoryType = "inode/directory"
	// maxReported limits the skills that are reported as left out.
	maxReported = 1000
	// maxURI is the longest URI, in bytes, that is looked up.
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

// skillsHead begins the results of the extension.
type skillsHead struct {
	mcp.ResultBase
	TTLMs      int64  `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
	ResultType string `json:"resultType"`
}

type skillsResult struct {
	skillsHead
	Skills     []*publish.Entry `json:"skills"`
	NextCursor string           `json:"nextCursor,omitempty"`
}

type skillResult struct {
	skillsHead
	Skill *publish.Entry `json:"skill"`
}

type directoryResult struct {
	skillsHead
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor,omitempty"`
}

func newSkillsHead() skillsHead {
	return skillsHead{TTLMs: listTTL.Milliseconds(), CacheScope: "private", ResultType: resultComplete}
}

// addResources registers the methods of the extension, which receive answers, and the one
// template that all files of all skills have.
func (s *Server) addResources() error {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: "skill://{+path}", Name: "skill-file", Title: "File of a skill",
		Description: "Any file of a skill, by the URIs that skills/list and resources/directory/read give.",
	}, s.readResource)
	return errors.Join(
		mcp.AddReceivingCustomMethod(s.mcp, "skills/list", unreached[*pageParams, *skillsResult]),
		mcp.AddReceivingCustomMethod(s.mcp, "skills/get", unreached[*uriParams, *skillResult]),
		mcp.AddReceivingCustomMethod(s.mcp, "resources/directory/read", unreached[*uriParams, *directoryResult]),
	)
}

// unreached is the handler of a method that receive answers itself.
func unreached[P, R any](context.Context, *mcp.ServerSession, P) (r R, err error) {
	return r, errors.ErrUnsupported
}

// listSkillEntries answers skills/list. The pages follow the order of the URIs, so that
// a skill that appears or disappears between two pages moves no other.
func (s *Server) listSkillEntries(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	from, err := st.skillsAfter(req.GetParams().(*pageParams).Cursor)
	if err != nil {
		return nil, err
	}
	client, _ := clientOf(req)
	res := &skillsResult{skillsHead: newSkillsHead(), Skills: []*publish.Entry{}}
	var text, bytes int64
	for i, x := range st.skills[from:] {
		if i == min(s.options.PageSize, skillsPage) || text > skillsPageText || bytes > skillsPageFiles {
			res.NextCursor = cursorAfter(st.skills[from+i-1].uri())
			break
		}
		// Another Vade has its own bundled skills.
		if !x.ModelInvocable() || client == "vade" && x.Layer() == definition.Bundled {
			continue
		}
		e, err := s.entries.Entry(ctx, st, x.uri())
		if s.leftOut(err) {
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

// skillsAfter returns the index of the first skill after a cursor.
func (st *state) skillsAfter(cursor string) (int, error) {
	return pageAfter(cursor, len(st.skills), func(i int) string { return st.skills[i].uri() })
}

// leftOut reports whether an error means that a skill is not published, or has been
// deleted since the state was made, and logs the former once.
func (s *Server) leftOut(err error) bool {
	var r *publish.Refused
	if !errors.As(err, &r) {
		return errors.Is(err, publish.ErrNoFile) || errors.Is(err, fs.ErrNotExist)
	}
	s.report(r.Diagnostic)
	return true
}

// report logs that a skill is not published, once.
func (s *Server) report(d diag.Diagnostic) {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	key := d.File + "\n" + d.Message
	if s.reported[key] || len(s.reported) >= maxReported {
		return
	}
	s.reported[key] = true
	s.logger.Warn("a skill is left out", "code", string(d.Code), "skill", d.File, "why", d.Message, "fix", d.Fix)
}

// getSkillEntry answers skills/get. A skill that only users may call is not listed, but
// returned to a client that names it.
func (s *Server) getSkillEntry(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	uri := req.GetParams().(*uriParams).URI
	if uri == "" {
		return nil, invalid("the parameter uri is missing")
	}
	e, err := s.entries.Entry(ctx, st, uri)
	var r *publish.Refused
	switch {
	case errors.As(err, &r):
		s.report(r.Diagnostic)
		return nil, invalid("%s; %s", r.Diagnostic.Message, r.Diagnostic.Fix)
	case s.leftOut(err):
		return nil, invalid("no skill has this URI; see skills/list")
	case err != nil:
		return nil, err
	}
	return &skillResult{skillsHead: newSkillsHead(), Skill: e}, nil
}

// listResources answers resources/list with the SKILL.md of every skill. It reads no file.
func (s *Server) listResources(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && p != nil {
		cursor = p.Cursor
	}
	from, err := st.skillsAfter(cursor)
	if err != nil {
		return nil, err
	}
	res := &mcp.ListResourcesResult{Cacheable: cacheable(listTTL), Resources: []*mcp.Resource{}}
	for i, x := range st.skills[from:] {
		if i == min(s.options.PageSize, skillsPage) {
			res.NextCursor = cursorAfter(st.skills[from+i-1].uri())
			break
		}
		if x.ModelInvocable() && publish.Named(x.name()) {
			res.Resources = append(res.Resources, &mcp.Resource{
				URI: x.uri(), Name: x.name(), Description: spoken(ctx, x.Definition), MIMEType: "text/markdown",
			})
		}
	}
	return res, nil
}

// readResource answers resources/read for a file of a skill.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	st, err := s.hold(ctx)
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
	var refused *definition.Error
	switch {
	case errors.As(err, &refused) && refused.Code == diag.AuditBlocked:
		return nil, callError(err)
	case errors.Is(err, catalog.ErrNoFile) || errors.Is(err, fs.ErrNotExist):
		return nil, mcp.ResourceNotFoundError(uri)
	case errors.Is(err, vfs.ErrTooLarge):
		return nil, invalid("the file has more than %d MiB", publish.MaxBytes>>20)
	case err != nil:
		return nil, err
	}
	c := &mcp.ResourceContents{URI: uri, MIMEType: publish.TypeOf(name)}
	switch {
	case len(data) == 0:
		// The SDK omits an empty text, and contents need either a text or a blob.
		c.Blob = []byte{}
	case utf8.Valid(data):
		c.Text = string(data)
	default:
		c.Blob = data
	}
	return &mcp.ReadResourceResult{Cacheable: cacheable(listTTL), Contents: []*mcp.ResourceContents{c}}, nil
}

// readDirectory answers resources/directory/read: the entries of a skill's directory, or
// of one below it.
func (s *Server) readDirectory(ctx context.Context, st *state, req mcp.Request) (mcp.Result, error) {
	p := req.GetParams().(*uriParams)
	x, dir, ok := st.locate(p.URI)
	if !ok {
		return nil, invalid("no directory of a skill has this URI")
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
		return nil, invalid("no directory of a skill has this URI")
	}
	uris := make([]string, 0, len(children))
	for uri := range children {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	from, err := pageAfter(p.Cursor, len(uris), func(i int) string { return uris[i] })
	if err != nil {
		return nil, err
	}
	to := min(from+directoryPage, len(uris))
	res := &directoryResult{skillsHead: newSkillsHead(), Resources: []*mcp.Resource{}}
	for _, uri := range uris[from:to] {
		res.Resources = append(res.Resources, children[uri])
	}
	if to < len(uris) {
		res.NextCursor = cursorAfter(uris[to-1])
	}
	return res, nil
}

// locate returns the skill that a URI is in, and the path within the skill.
func (st *state) locate(uri string) (x skill, name string, ok bool) {
	if len(uri) > maxURI {
		return skill{}, "", false
	}
	publish.Scopes(uri, func(main string) bool {
		if x, ok = st.skill(main); !ok {
			return true
		}
		name, ok = publish.FilePath(main, uri)
		return false
	})
	return x, name, ok
}

// Files implements [publish.Source].
func (st *state) Files(ctx context.Context, uri string, limit int) ([]publish.File, bool, error) {
	x, ok := st.skill(uri)
	if !ok {
		return nil, false, publish.ErrNoFile
	}
	list, more, err := x.Files(ctx, limit)
	if err != nil {
		return nil, false, unpublished(err)
	}
	files := make([]publish.File, len(list))
	for i, f := range list {
		files[i] = publish.File{Path: f.Path, Size: f.Info.Size(), Info: f.Info}
	}
	return files, more, nil
}

// ReadFile implements [publish.Source].
func (st *state) ReadFile(ctx context.Context, uri, path string, limit int64) ([]byte, error) {
	x, ok := st.skill(uri)
	if !ok {
		return nil, publish.ErrNoFile
	}
	data, err := x.ReadFile(ctx, path, limit)
	return data, unpublished(err)
}

func unpublished(err error) error {
	if errors.Is(err, catalog.ErrNoFile) {
		return fmt.Errorf("%w: %w", publish.ErrNoFile, err)
	}
	return err
}

// spoken is the description of a definition in a list, which a model reads before it
// loads anything: one that the audit refuses is not shown.
func spoken(ctx context.Context, d catalog.Definition) string {
	if d.AuditListing(ctx) != nil {
		return "(its description is not shown: the audit refuses this definition; a person can see why with vade audit)"
	}
	return d.Description()
}
