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
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrName is the error that [Run] returns for an invalid marketplace name.
var ErrName = errors.New("invalid marketplace name; use up to 64 lowercase letters, digits and single hyphens")

// ErrTarget is the error that [Publication.Plan] and [Publication.Write] return for a directory
// where skills are discovered, because the published copies would be loaded as skills.
var ErrTarget = errors.New("target is a skill discovery directory; choose another directory")

// Request selects the skills to publish. The zero value selects all of the project's skills.
type Request struct {
	// Names are the listed names of the skills to publish. If empty, all skills are published.
	Names []string
	// If User is set, the user's own skills are also published.
	User bool
	// Marketplace is the plugin marketplace's name: lowercase letters, digits and single hyphens.
	// If empty, it defaults to a name derived from the project directory's name.
	Marketplace string
	// If NoMarketplace is set, the plugin marketplace is omitted.
	NoMarketplace bool
}

// PublishedSkill is a skill in a Publication.
type PublishedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Type is "skill-md" for a single file and "archive" otherwise. URL is relative to the index.
	// Digest is "sha256:" followed by the hash of what URL serves.
	Type   string `json:"type"`
	URL    string `json:"url"`
	Digest string `json:"digest"`
	// Files is the number of files, and Bytes is their total size.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Source is the file that the skill was loaded from.
	Source string `json:"source"`
}

// Publication is a site that offers skills. It contains an index at
// .well-known/agent-skills/index.json, each skill's files, an archive for each skill that has
// multiple files, and a plugin marketplace.
type Publication struct {
	Skills []PublishedSkill
	// Diagnostics lists the skills that are not published or have shortened descriptions, with
	// reasons, and the conflicts that Plan or Write found.
	Diagnostics []diag.Diagnostic

	// roots are the directories where the published skills are discovered.
	roots       []string
	snapshot    *Snapshot
	source      Source
	marketplace Marketplace
}

// Run prepares the active skills for publication. Unless r says otherwise, only the project's
// skills are included, because other skills are private to the user. Run does not write files or
// execute anything.
//
// It returns [definition.ErrNotFound] if no such skill has a requested name, or [ErrName] for an
// invalid marketplace name.
func Run(ctx context.Context, c *catalog.Catalog, r Request) (*Publication, error) {
	all, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	p := &Publication{}
	if p.marketplace, err = marketplaceOf(c, r); err != nil {
		return nil, err
	}
	skills := map[string]catalog.Definition{}
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
		return nil, notFound(all.All, missing[0])
	}
	p.source = Skills(func(uri string) (catalog.Definition, bool) { d, ok := skills[uri]; return d, ok })
	var b Builder
	if p.snapshot, err = b.Build(ctx, p.source, items); err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	for i, e := range p.snapshot.Entries {
		x := p.snapshot.Index.Skills[i]
		p.Skills = append(p.Skills, PublishedSkill{
			Name: e.Name, Description: e.Description, Type: x.Type, URL: x.URL, Digest: x.Digest,
			Files: len(e.Resources), Bytes: e.Bytes(), Source: skills[e.URI].Path(),
		})
	}
	for _, x := range p.snapshot.Diagnostics {
		x.File = skills[x.File].Path()
		if x.Code == diag.PublishTwice {
			for uri, d := range skills {
				x.Message = strings.Replace(x.Message, uri, d.Path(), 1)
			}
		}
		p.Diagnostics = append(p.Diagnostics, x)
	}
	diag.Sort(p.Diagnostics)
	return p, nil
}

// notFound explains why a requested skill is not published.
func notFound(all []*definition.Definition, name string) error {
	for _, d := range all {
		if d.Kind != definition.Skill || d.Name != name {
			continue
		}
		if layer := d.Origin.Layer; layer != definition.Project {
			return fmt.Errorf("vade: %s: %w: it is in the %s layer, "+
				"but only project skills and, with --user, user skills can be published",
				name, definition.ErrNotFound, layer)
		}
		if d.State != definition.Loaded {
			return fmt.Errorf("vade: %s: %w: the skill is %s", name, definition.ErrNotFound, d.State)
		}
	}
	return fmt.Errorf("vade: %s: %w", name, definition.ErrNotFound)
}

// publishURI returns the URI that identifies a skill within a publication. It
// ends with the frontmatter's name, which is the published name.
func publishURI(d *definition.Definition, n int) string {
	return "skill://" + strconv.Itoa(n) + "/" + cmp.Or(d.Fields.Name, d.Name) + "/" + Main
}

// marketplaceOf returns the marketplace to publish.
func marketplaceOf(c *catalog.Catalog, r Request) (Marketplace, error) {
	if r.NoMarketplace {
		return Marketplace{}, nil
	}
	m := MarketplaceOf(c.Quick.Project.Dir())
	if r.Marketplace != "" {
		m.Name, m.Owner = r.Marketplace, r.Marketplace
	}
	if !ValidName(m.Name) {
		return m, fmt.Errorf("vade: %q: %w", m.Name, ErrName)
	}
	return m, nil
}

// Plan returns the changes that Write would make below dir, which need not exist. A step that would
// replace a file that Vade did not publish has a problem, unless force is set. Each problem is also
// reported as a PUBLISH_FOREIGN diagnostic.
func (p *Publication) Plan(ctx context.Context, dir string, force bool) ([]Step, error) {
	plan, tree, err := p.plan(ctx, dir, force)
	if err != nil {
		return nil, err
	}
	if tree != nil {
		tree.Close()
	}
	return plan.Steps, nil
}

// plan compares the publication against dir. The tree is nil if dir does not exist.
func (p *Publication) plan(ctx context.Context, dir string, force bool) (*Plan, *vfs.Tree, error) {
	for _, root := range p.roots {
		if inside(dir, root) {
			return nil, nil, fmt.Errorf("vade: %s: %w", dir, ErrTarget)
		}
	}
	tree, err := export.OpenTree(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	plan, err := NewPlan(ctx, tree, p.snapshot.Site(p.source, p.marketplace), force)
	if err != nil {
		if tree != nil {
			tree.Close()
		}
		return nil, nil, fmt.Errorf("vade: %w", err)
	}
	p.reportConflicts(plan.Steps)
	return plan, tree, nil
}

// inside reports whether dir is root or below it. It does not resolve symlinks.
func inside(dir, root string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	rest, err := filepath.Rel(root, abs)
	return err == nil && filepath.IsLocal(rest)
}

// reportConflicts replaces any existing PUBLISH_FOREIGN diagnostics with new ones for steps.
func (p *Publication) reportConflicts(steps []Step) {
	p.Diagnostics = slices.DeleteFunc(p.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == diag.PublishForeign })
	for i := range steps {
		if steps[i].Problem == "" {
			continue
		}
		fix := "review the file, then move it to another location or replace it with --force"
		if steps[i].Problem == vfs.ErrBadName.Error() {
			fix = "rename the file in the skill"
		} else if steps[i].NotForceable {
			fix = "review the file, then move it to another location; --force does not replace it"
		}
		p.Diagnostics = append(p.Diagnostics, diag.For(steps[i].Path, diag.PublishForeign, "%s", steps[i].Problem).WithFix("%s", fix))
	}
	diag.Sort(p.Diagnostics)
}

// Write writes the publication below dir, which it creates if needed, and removes published files
// that are obsolete. Each file changes atomically, and symlinks are not followed. If there are
// conflicts, Write makes no changes, reports each conflict in the diagnostics and returns
// [export.ErrDiffers]. With force, only files that cannot be replaced are conflicts.
func (p *Publication) Write(ctx context.Context, dir string, force bool) ([]Step, error) {
	plan, tree, err := p.plan(ctx, dir, force)
	if err != nil {
		return nil, err
	}
	if tree == nil && len(plan.Conflicts()) == 0 {
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
	if conflicts := plan.Conflicts(); len(conflicts) > 0 {
		return plan.Steps, &conflictError{fmt.Sprintf("vade: cannot write %s: %s", conflicts[0].Path, conflicts[0].Problem)}
	}
	if err := plan.Write(ctx, tree); err != nil {
		return plan.Steps, fmt.Errorf("vade: publishing was interrupted; run the command again to complete it: %w", err)
	}
	return plan.Steps, nil
}

// conflictError is an error that wraps export.ErrDiffers and whose message includes a path and a
// reason.
type conflictError struct{ message string }

func (e *conflictError) Error() string { return e.message }
func (e *conflictError) Unwrap() error { return export.ErrDiffers }

// Skills is a [Source] backed by a function that returns skills by URI.
type Skills func(uri string) (catalog.Definition, bool)

// Files implements [Source].
func (s Skills) Files(ctx context.Context, uri string, limit int) ([]File, bool, error) {
	d, ok := s(uri)
	if !ok {
		return nil, false, ErrNoFile
	}
	list, more, err := d.Files(ctx, limit)
	if err != nil {
		return nil, false, noFileError(err)
	}
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = File{Path: f.Path, Size: f.Info.Size(), Info: f.Info}
	}
	return files, more, nil
}

// ReadFile implements [Source].
func (s Skills) ReadFile(ctx context.Context, uri, name string, limit int64) ([]byte, error) {
	d, ok := s(uri)
	if !ok {
		return nil, ErrNoFile
	}
	data, err := d.ReadFile(ctx, name, limit)
	return data, noFileError(err)
}

// noFileError adds ErrNoFile to the catalog's error for a missing file.
func noFileError(err error) error {
	if errors.Is(err, catalog.ErrNoFile) {
		return fmt.Errorf("%w: %w", ErrNoFile, err)
	}
	return err
}
