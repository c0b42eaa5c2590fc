package serve

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/vfs"
)

// directoryPage is how many entries of a directory one page has.
const directoryPage = 200

const directoryType = "inode/directory"

func (x *skillsFace) cacheable() mcp.Cacheable {
	h := x.hint()
	return mcp.Cacheable{TTLMs: int(h.TTLMs), CacheScope: h.CacheScope}
}

// listResources lists the SKILL.md of every skill. Nothing is read for it.
func (x *skillsFace) listResources(ctx context.Context, store Store, req mcp.Request) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && p != nil {
		cursor = p.Cursor
	}
	after, err := readCursor(cursor)
	if err != nil {
		return nil, err
	}
	res := &mcp.ListResourcesResult{Cacheable: x.cacheable(), Resources: []*mcp.Resource{}}
	rest := store.Skills()
	if after != "" {
		at, found := slices.BinarySearchFunc(rest, after, func(s Skill, uri string) int { return strings.Compare(s.URI, uri) })
		if found {
			at++
		}
		rest = rest[at:]
	}
	for i, s := range rest {
		if i == x.page {
			res.NextCursor = cursorTo(rest[i-1].URI)
			break
		}
		if s.ModelInvocable() && publish.Named(s.Name()) {
			res.Resources = append(res.Resources, &mcp.Resource{URI: s.URI, Name: s.Name(), Description: spoken(ctx, s.d), MIMEType: "text/markdown"})
		}
	}
	return res, nil
}

// readResource answers resources/read for a file of a skill. What SKILL.md says does
// not matter here: that is for those who take it for a skill.
func (x *skillsFace) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	store, release, err := x.hold(ctx)
	if err != nil {
		return nil, internalError(ctx, err)
	}
	defer release()
	uri := req.Params.URI
	skill, name, ok := locate(store, uri)
	if !ok || name == "." {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	data, err := x.read(ctx, store, skill, name)
	switch {
	case errors.Is(err, errHeld):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errHeld.Error()}
	case errors.Is(err, ErrNoFile) || errors.Is(err, fs.ErrNotExist):
		return nil, mcp.ResourceNotFoundError(uri)
	case errors.Is(err, vfs.ErrTooLarge):
		return nil, invalidParams("the file has more than %d MiB", publish.MaxBytes>>20)
	case auditRefuses(err) != "":
		return nil, invalidParams("%s", auditRefuses(err))
	case err != nil:
		return nil, internalError(ctx, err)
	}
	c := &mcp.ResourceContents{URI: uri, MIMEType: publish.TypeOf(name)}
	switch {
	case len(data) == 0:
		// The SDK leaves an empty text away, and contents have to be of one sort.
		c.Blob = []byte{}
	case utf8.Valid(data):
		c.Text = string(data)
	default:
		c.Blob = data
	}
	return &mcp.ReadResourceResult{Cacheable: x.cacheable(), Contents: []*mcp.ResourceContents{c}}, nil
}

// auditRefuses is what the error of the audit says, "" for any other: the name of the
// skill, the rule and the place.
func auditRefuses(err error) string {
	if e := (*definition.Error)(nil); errors.As(err, &e) && e.Code == diag.AuditBlocked {
		return errorText(e)
	}
	return ""
}

// read reads a file, so many at a time, and counts it until the answer is written.
func (x *skillsFace) read(ctx context.Context, store Store, skill Skill, name string) ([]byte, error) {
	leave, err := x.making.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if gate, ok := store.(interface {
		Admit(ctx context.Context, s Skill) error
	}); ok {
		if err := gate.Admit(ctx, skill); err != nil {
			return nil, err
		}
	}
	data, err := store.ReadFile(ctx, skill, name, publish.MaxBytes)
	if err == nil {
		err = x.held.hold(ctx, plainResult+dataCost(data))
	}
	return data, err
}

// locate returns the skill that holds what a URI names, and its path in the skill.
func locate(store Store, uri string) (skill Skill, name string, ok bool) {
	if len(uri) > maxURI {
		return Skill{}, "", false
	}
	publish.Scopes(uri, func(main string) bool {
		if skill, ok = store.Skill(main); !ok {
			return true
		}
		name, ok = publish.FilePath(main, uri)
		return false
	})
	return skill, name, ok
}

// maxURI is the longest URI, in bytes, that is looked up.
const maxURI = 8 << 10

type directoryResult struct {
	mcp.ResultBase
	cacheHint
	ResultType string          `json:"resultType"`
	Resources  []*mcp.Resource `json:"resources"`
	NextCursor string          `json:"nextCursor,omitempty"`
}

// directory answers resources/directory/read: what stands directly in a skill's
// directory, or in one below it.
func (x *skillsFace) directory(ctx context.Context, _ *mcp.ServerSession, p *uriParams) (*directoryResult, error) {
	if p == nil || p.URI == "" {
		return nil, invalidParams("the parameter uri is missing")
	}
	after, err := readCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	store, release, err := x.hold(ctx)
	if err != nil {
		return nil, internalError(ctx, err)
	}
	defer release()
	skill, dir, ok := locate(store, p.URI)
	if !ok {
		return nil, invalidParams("no directory of a skill has this URI")
	}
	files, more, err := store.Files(ctx, skill, publish.MaxResources)
	switch {
	case errors.Is(err, ErrNoFile) || errors.Is(err, fs.ErrNotExist):
		return nil, invalidParams("the skill is gone")
	case err != nil:
		return nil, internalError(ctx, err)
	case more:
		return nil, invalidParams("the skill has more than %d files and is not given out", publish.MaxResources)
	}
	children := childrenOf(skill, files, dir)
	if children == nil {
		return nil, invalidParams("no directory of a skill has this URI")
	}
	res := &directoryResult{cacheHint: x.hint(), ResultType: resultComplete, Resources: []*mcp.Resource{}}
	for _, c := range children {
		if c.URI <= after {
			continue
		}
		if n := len(res.Resources); n == directoryPage {
			res.NextCursor = cursorTo(res.Resources[n-1].URI)
			break
		}
		res.Resources = append(res.Resources, c)
	}
	return res, nil
}

// childrenOf returns what stands directly in a directory, by URI; nil where there is
// no such directory.
func childrenOf(skill Skill, files []File, dir string) []*mcp.Resource {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	var list []*mcp.Resource
	seen := map[string]bool{}
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.Path, prefix)
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if seen[name] {
			continue
		}
		seen[name] = true
		r := &mcp.Resource{URI: publish.FileURI(skill.URI, path.Join(dir, name)), Name: name, MIMEType: directoryType}
		if !deeper {
			r.MIMEType, r.Size = publish.TypeOf(name), f.Size
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *mcp.Resource) int { return cmp.Compare(a.URI, b.URI) })
	return list
}
