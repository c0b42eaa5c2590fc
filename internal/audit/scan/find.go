package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/vfs"
)

// auditor performs one audit.
type auditor struct {
	ctx     context.Context
	options catalog.Options
	request Options
	run     audit.Options

	// catalog is opened in the working directory. It provides the policy and, if Options.Loaded is
	// set, the active definitions.
	catalog *catalog.Catalog
	opened  []func() error
	found   []*candidate
	skipped []Skipped

	known        map[acceptedFinding]bool
	suppressions []policy.Suppression
}

func (a *auditor) close() {
	for _, end := range a.opened {
		_ = end()
	}
}

// find finds the packages to audit.
func (a *auditor) find() (err error) {
	if !a.request.Loaded {
		// As determines which definitions are active. That matters only if Loaded is set.
		a.options.As = ""
	}
	if a.catalog, err = catalog.Open(a.ctx, a.options); err != nil {
		return err
	}
	a.opened = append(a.opened, a.catalog.Close)
	switch {
	case a.request.Loaded:
		return a.active()
	case len(a.request.Paths) == 0:
		return a.project()
	}
	for _, p := range a.request.Paths {
		if err := a.auditPath(p, len(a.request.Paths) > 1); err != nil {
			return err
		}
	}
	return nil
}

func (a *auditor) newFinder(tree *vfs.Tree) *finder {
	return &finder{
		ctx: a.ctx, tree: tree, recognizer: registry.NewRecognizer(), packages: map[string]bool{},
		mainFiles: map[string]bool{}, declared: map[string]*registry.DefinitionDir{}, visited: map[string]bool{},
	}
}

// addResults adds the results of a finder, and prepends prefix to their paths.
func (a *auditor) addResults(s *finder, prefix string) {
	for _, c := range s.found {
		c.path = path.Join(prefix, c.path)
		a.found = append(a.found, c)
	}
	for _, x := range s.skipped {
		x.Path = path.Join(prefix, x.Path)
		a.skipped = append(a.skipped, x)
	}
}

// auditPath adds the packages in a file or directory, which may be outside the project. If multiple
// is set, the paths in the report start with name, so that the results of several paths can be told
// apart.
func (a *auditor) auditPath(name string, multiple bool) error {
	abs := name
	if !vfs.IsAbs(abs) {
		dir, err := vfs.Absolute(a.options.Dir)
		if err != nil {
			return fmt.Errorf("vade: %w", err)
		}
		abs = path.Join(dir, strings.ReplaceAll(name, "\\", "/"))
	}
	abs = path.Clean(abs)
	prefix := "."
	if multiple {
		prefix = path.Clean(name)
	}
	if tree, err := vfs.Open(abs, vfs.Options{}); err == nil {
		a.opened = append(a.opened, tree.Close)
		s := a.newFinder(tree)
		s.anywhere = true
		s.begin(".")
		s.finish(".", true)
		if len(s.skipped) == 1 && s.skipped[0].Path == "." && s.dirs == 1 {
			return fmt.Errorf("vade: %s: %s", name, s.skipped[0].Reason)
		}
		a.addResults(s, prefix)
		return nil
	}
	tree, err := vfs.Open(path.Dir(abs), vfs.Options{})
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("vade: %s: %w", name, vfs.WithoutPath(err))
	}
	if err != nil {
		return fmt.Errorf("vade: %s: %w", name, check.ErrNothingThere)
	}
	a.opened = append(a.opened, tree.Close)
	typ, err := tree.Lstat(path.Base(abs))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("vade: %s: %w", name, check.ErrNothingThere)
	case err != nil:
		return fmt.Errorf("vade: %s: %w", name, catalog.Cause(err))
	case typ == vfs.Dir:
		return fmt.Errorf("vade: %s: the directory cannot be read", name)
	case typ != vfs.File && typ != vfs.Link:
		return fmt.Errorf("vade: %s: %w", name, vfs.ErrNotRegular)
	}
	a.auditFile(tree, path.Base(abs), prefix)
	return nil
}

// auditFile adds the package of a single file. If the file is the main file of a skill, the package
// is the skill's directory. Otherwise, it is only the file.
func (a *auditor) auditFile(tree *vfs.Tree, base, prefix string) {
	s := a.newFinder(tree)
	if s.recognizer.Skill(base) {
		s.anywhere = true
		s.begin(".")
		s.found = slices.DeleteFunc(s.found, func(c *candidate) bool {
			return c.kind != definition.Skill.String() || c.Dir != "."
		})
		s.skipped = nil
		s.finish(".", false)
		if prefix != "." {
			prefix = path.Dir(prefix)
		}
		a.addResults(s, prefix)
		return
	}
	kind, ok := s.recognizer.Named(base)
	for dir, below := tree.Real(), 0; !ok && below < 4; dir, below = path.Dir(dir), below+1 {
		if h, on := s.recognizer.DefinitionDir(path.Base(dir)); on {
			kind, ok = h.KindOf(base, below)
		}
	}
	shown := base
	if prefix != "." {
		shown = prefix
	}
	if !ok && !strings.EqualFold(path.Ext(base), ".md") && !strings.EqualFold(path.Ext(base), ".toml") {
		c := s.add(0, &searchDir{}, base, shown)
		c.kind, c.Dir, c.onlyFile = "files", ".", base
		c.Skip = s.excluded(c)
		a.found = append(a.found, c)
		return
	}
	if !ok {
		kind = definition.Command
	}
	s.singleFile(kind, &searchDir{}, base, shown, base)
	if rel, err := s.resolve(base); err == nil {
		s.found[0].Main = rel
	} else {
		s.found[0].err = err
	}
	a.found = append(a.found, s.found...)
}

// resolve resolves symlinks in name. The target must be in the tree.
func (s *finder) resolve(name string) (string, error) {
	tree, rel, err := s.tree.Resolve(name)
	if err == nil && tree != s.tree {
		err = vfs.ErrOutside
	}
	return rel, err
}

// project adds the packages in the project's tree, and any other definitions that hosts find in the
// project, such as files that its configuration names.
func (a *auditor) project() error {
	o := a.options
	o.ProjectOnly, o.Nested, o.Unread = true, true, true
	c, err := catalog.Open(a.ctx, o)
	if err != nil {
		return err
	}
	a.opened = append(a.opened, c.Close)
	tree := c.Quick.Project
	if tree == nil {
		return errors.New("vade: no directory to audit")
	}
	s := a.newFinder(tree)
	s.layer = definition.Project
	s.begin(".")
	all, err := c.Scan(a.ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		rel, ok := tree.Rel(d.Origin.Real)
		if !ok || s.mainFiles[rel] || d.Format == definition.Package || inSkipped(rel) || s.inPackage(rel) {
			continue
		}
		base := path.Base(rel)
		if s.recognizer.Skill(base) {
			at := searchDir{dir: path.Dir(rel), layer: d.Origin.Layer}
			s.skill(&at, vfs.Entry{Name: base, Type: vfs.File})
			continue
		}
		s.singleFile(d.Kind, &searchDir{layer: d.Origin.Layer}, base, rel, rel)
	}
	s.finish(".", false)
	a.addResults(s, ".")
	return a.ctx.Err()
}

// inPackage reports whether a file is in the directory of a skill that was already found.
func (s *finder) inPackage(rel string) bool {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		if s.mainFiles[path.Join(dir, catalog.SkillFileName)] {
			return true
		}
		if dir == "." {
			return false
		}
	}
}

// active adds the active definitions.
func (a *auditor) active() error {
	list, err := a.catalog.List(a.ctx, catalog.Query{})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range list {
		q, err := auditRequest(a.ctx, a.catalog, d.Record())
		if err != nil || seen[q.Tree.RealPath(q.Main)] {
			if err != nil {
				a.skipped = append(a.skipped, Skipped{d.Path(), unreadReason(err), true})
			}
			continue
		}
		seen[q.Tree.RealPath(q.Main)] = true
		c := &candidate{Request: q, path: d.Path(), kind: d.Kind().String()}
		if q.Dir != "" {
			c.path = path.Dir(d.Path())
		}
		a.found = append(a.found, c)
	}
	slices.SortStableFunc(a.found, func(x, y *candidate) int { return strings.Compare(x.path, y.path) })
	return nil
}

// auditRequest returns the request to read a definition in the catalog along with its companion
// files.
func auditRequest(ctx context.Context, c *catalog.Catalog, d *definition.Definition) (bundle.Request, error) {
	q := bundle.Request{Name: d.Name, Kind: d.Kind, Layer: c.AuditLayer(d)}
	if d.Origin.Outside {
		return q, fmt.Errorf("vade: %s: %w", d.Origin.Path, vfs.ErrOutside)
	}
	plan := c.Quick
	if d.Origin.Plugin != "" {
		var err error
		if plan, err = c.Plan(ctx); err != nil {
			return q, err
		}
	}
	tree, rel := plan.TreeOf(d.Origin.Real)
	if tree == nil {
		return q, fmt.Errorf("vade: %s: %w", d.Origin.Path, vfs.ErrOutside)
	}
	q.Tree, q.Main = tree, rel
	if strings.EqualFold(path.Base(rel), catalog.SkillFileName) {
		q.Dir = path.Dir(rel)
	}
	return q, nil
}
