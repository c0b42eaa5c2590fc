package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrName is the error of [Run] for a name that a list of plugins
// can not have.
var ErrName = errors.New("a list of plugins can not have this name")

// ErrTarget is the error of [Publication.Plan] and [Publication.Write] for a
// directory in which skills are looked for: the copies would be found as skills.
var ErrTarget = errors.New("skills are looked for there")

// Request says which skills are published. The zero value is all of the
// project.
type Request struct {
	// Names are the skills, by the name that they are listed under; none means all.
	Names []string
	// User publishes the user's own skills too.
	User bool
	// Market is the name of the list of plugins: small letters, digits and single
	// hyphens. "" is made of the name of the project's directory.
	Market string
	// NoMarket leaves the list of plugins out.
	NoMarket bool
}

// PublishedSkill is one skill of a publication.
type PublishedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Type is "skill-md" for one file and "archive" for several. URL is where it is,
	// relative to the index, and Digest "sha256:" and the hash of what is there.
	Type   string `json:"type"`
	URL    string `json:"url"`
	Digest string `json:"digest"`
	// Files are how many files it has, Bytes how long they are together.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Source is the file that it is made of.
	Source string `json:"source"`
}

// Publication is a site of skills: an index that clients find at
// .well-known/agent-skills/index.json, each skill's files, an archive of each that
// has several, and a list of plugins.
type Publication struct {
	Skills []PublishedSkill
	// Diagnostics name the skills that are left out, and why.
	Diagnostics []diag.Diagnostic

	// roots are directories in which skills are looked for.
	roots  []string
	book   *Book
	source Source
	market Market
}

// Run makes a site of skills that are in force. Of the project only, unless the
// request says otherwise: what stands elsewhere is nobody's to read. Nothing is
// written and nothing runs.
//
// The error is [catalog.ErrNotFound] for a name that no such skill has, or [ErrName].
func Run(ctx context.Context, c *catalog.Catalog, r Request) (*Publication, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	p := &Publication{}
	if p.market, err = market(c, r); err != nil {
		return nil, err
	}
	skills := publishSource{}
	var items []Item
	missing := slices.Clone(r.Names)
	for _, d := range all.All {
		if d.Kind != definition.Skill || d.State != definition.Loaded || d.Format == definition.Package ||
			d.Origin.Layer != definition.Project && !(r.User && d.Origin.Layer == definition.User) {
			continue
		}
		if len(r.Names) > 0 && !slices.Contains(r.Names, d.Name) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == d.Name })
		uri := publishURI(d, len(items))
		skills[uri] = c.Handle(d)
		if root := path.Dir(path.Dir(skills[uri].Path())); path.Base(root) == "skills" {
			if !filepath.IsAbs(root) {
				root = filepath.Join(c.Quick.Project.Dir(), root)
			}
			p.roots = append(p.roots, root)
		}
		items = append(items, Item{Name: cmp.Or(d.Fields.Name, d.Name), URI: uri})
	}
	if len(missing) > 0 {
		return nil, notPublished(all.All, missing[0])
	}
	p.source = skills
	var b Builder
	if p.book, err = b.Build(ctx, skills, items); err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	for i, e := range p.book.Entries {
		x := p.book.Index.Skills[i]
		p.Skills = append(p.Skills, PublishedSkill{
			Name: e.Name, Description: e.Description, Type: x.Type, URL: x.URL, Digest: x.Digest,
			Files: len(e.Resources), Bytes: e.Bytes(), Source: skills[e.URI].Path(),
		})
	}
	for _, x := range p.book.Diagnostics {
		x.File = skills[x.File].Path()
		p.Diagnostics = append(p.Diagnostics, x)
	}
	diag.Sort(p.Diagnostics)
	return p, nil
}

// notPublished says why a name is not among the skills to publish.
func notPublished(all []*definition.Definition, name string) error {
	for _, d := range all {
		if d.Kind != definition.Skill || d.Name != name {
			continue
		}
		if layer := d.Origin.Layer; layer != definition.Project {
			return fmt.Errorf("vade: %s: %w among the skills to publish: it is a skill of the layer %s, and those of the project are published", name, definition.ErrNotFound, layer)
		}
		if d.State != definition.Loaded {
			return fmt.Errorf("vade: %s: %w among the skills to publish: it is %s", name, definition.ErrNotFound, d.State)
		}
	}
	return fmt.Errorf("vade: %s: %w among the skills to publish", name, definition.ErrNotFound)
}

// publishURI names a skill while a publication is made. Its last part is the name
// that the file states, which is what is published.
func publishURI(d *definition.Definition, n int) string {
	return "skill://" + strconv.Itoa(n) + "/" + cmp.Or(d.Fields.Name, d.Name) + "/" + Main
}

// market names the list of plugins.
func market(c *catalog.Catalog, r Request) (Market, error) {
	if r.NoMarket {
		return Market{}, nil
	}
	m := MarketOf(c.Quick.Project.Dir())
	if r.Market != "" {
		m.Name, m.Owner = r.Market, r.Market
	}
	if !Named(m.Name) {
		return m, fmt.Errorf("vade: %q: %w", m.Name, ErrName)
	}
	return m, nil
}

// Plan says what writing the publication below a directory, which need not exist, would
// change. A step has a problem if a file is in its place that was not published, unless
// force is set, and then the diagnostics have PUBLISH_FOREIGN for it.
func (p *Publication) Plan(ctx context.Context, dir string, force bool) ([]Step, error) {
	plan, tree, err := p.compare(ctx, dir, force)
	if err != nil {
		return nil, err
	}
	if tree != nil {
		tree.Close()
	}
	return plan.Steps, nil
}

// compare makes the plan for a directory. The tree is nil if there is none.
func (p *Publication) compare(ctx context.Context, dir string, force bool) (*Plan, *vfs.Tree, error) {
	for _, root := range p.roots {
		if inside(dir, root) {
			return nil, nil, fmt.Errorf("vade: %s: %w", dir, ErrTarget)
		}
	}
	tree, err := export.OpenTree(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	plan, err := NewPlan(ctx, tree, p.book.Site(p.source, p.market), force)
	if err != nil {
		if tree != nil {
			tree.Close()
		}
		return nil, nil, fmt.Errorf("vade: %w", err)
	}
	p.foreign(plan.Steps)
	return plan, tree, nil
}

// inside reports whether a directory is another one or below it, as they are written.
func inside(dir, root string) bool {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	rest, err := filepath.Rel(root, whole)
	return err == nil && filepath.IsLocal(rest)
}

// foreign says in the diagnostics which paths can not be written.
func (p *Publication) foreign(steps []Step) {
	p.Diagnostics = slices.DeleteFunc(p.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == diag.PublishForeign })
	for i := range steps {
		if steps[i].Problem == "" {
			continue
		}
		fix := "look at it, and move it away or replace it with --force"
		if steps[i].Hard {
			fix = "look at it, and move it away: --force does not replace it"
		}
		p.Diagnostics = append(p.Diagnostics, diag.For(steps[i].Path, diag.PublishForeign, "%s", steps[i].Problem).WithFix("%s", fix))
	}
	diag.Sort(p.Diagnostics)
}

// Write writes the publication below a directory, which is created as needed, and
// removes what was published before and is gone. Each file changes in one step, and
// symlinks are not followed. If another file is in a place nothing is written, each is in
// the diagnostics, and the error is [export.ErrDiffers], unless force is set, which
// replaces it.
func (p *Publication) Write(ctx context.Context, dir string, force bool) ([]Step, error) {
	plan, tree, err := p.compare(ctx, dir, force)
	if err != nil {
		return nil, err
	}
	if tree == nil && len(plan.Foreign()) == 0 {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return plan.Steps, fmt.Errorf("vade: %w", err)
		}
		if tree, err = export.OpenTree(dir); err != nil {
			return plan.Steps, err
		}
	}
	if tree != nil {
		defer tree.Close()
	}
	if foreign := plan.Foreign(); len(foreign) > 0 {
		return plan.Steps, &notWritten{fmt.Sprintf("vade: %s is not written: %s", foreign[0].Path, foreign[0].Problem)}
	}
	if err := plan.Write(ctx, tree); err != nil {
		return plan.Steps, fmt.Errorf("vade: not everything is written, the next run goes on: %w", err)
	}
	return plan.Steps, nil
}

// notWritten is an ErrDiffers that says where and why.
type notWritten struct{ message string }

func (e *notWritten) Error() string { return e.message }
func (e *notWritten) Unwrap() error { return export.ErrDiffers }

// publishSource gives the files of skills by the URIs of one publication.
type publishSource map[string]catalog.Definition

// Files implements [publish.Source].
func (s publishSource) Files(ctx context.Context, uri string, limit int) ([]File, bool, error) {
	list, more, err := s[uri].Files(ctx, limit)
	if err != nil {
		return nil, false, noSuchFile(err)
	}
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = File{Path: f.Path, Size: f.Info.Size(), Info: f.Info}
	}
	return files, more, nil
}

// ReadFile implements [publish.Source].
func (s publishSource) ReadFile(ctx context.Context, uri, name string, limit int64) ([]byte, error) {
	data, err := s[uri].ReadFile(ctx, name, limit)
	return data, noSuchFile(err)
}

func noSuchFile(err error) error {
	if errors.Is(err, catalog.ErrNoFile) {
		return fmt.Errorf("%w: %w", ErrNoFile, err)
	}
	return err
}
