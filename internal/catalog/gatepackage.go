package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/bundle"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/auditcache"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/vfs"
)

// verdictFor returns the verdict for a definition's document. If there is no stored verdict for
// this content, verdictFor audits the content and, if store is set, saves the result.
func (c *Catalog) verdictFor(ctx context.Context, d *definition.Definition, doc *parse.Document, p *policy.Policy,
	store bool) (*auditcache.Verdict, []diag.Diagnostic, error) {
	q, more, single, err := c.packageOf(ctx, d, doc)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(q.Data)
	main := hex.EncodeToString(sum[:])
	key := fileKey{d.Kind, d.Origin.Path, d.Origin.Real}
	at := time.Now()
	// Do not list the companion files on the first load, because most programs load a definition
	// once and exit.
	known := c.auditState.get(key)
	if more != nil {
		known = nil
	}
	now := &cachedVerdict{digest: main, policy: p, at: at, siblingsKnown: single}
	if known != nil && !single {
		now.siblings, now.siblingsKnown = siblingFiles(q)
	}
	if known != nil && now.siblingsKnown && known.matches(main, p, now.siblings) {
		return known.verdict, nil, ctx.Err()
	}
	read := &signal.Package{Name: q.Name, Kind: q.Kind, Layer: q.Layer,
		Files: []*signal.File{{Path: path.Base(q.Main), Raw: q.Data, Size: int64(len(q.Data))}}}
	if !single {
		if read, err = bundle.Read(ctx, q); err != nil {
			return nil, nil, err
		}
	}
	if more != nil {
		if err := addPackage(ctx, read, *more); err != nil {
			return nil, nil, err
		}
	}
	v, found := c.auditPackage(d, read, AuditOptions(p), store)
	now.verdict = v
	if more == nil {
		c.auditState.put(key, now)
	}
	return v, found, ctx.Err()
}

// auditPackage returns the stored verdict for a package, or audits the package and, if keep is set,
// stores the verdict.
func (c *Catalog) auditPackage(d *definition.Definition, read *signal.Package, o audit.Options,
	keep bool) (*auditcache.Verdict, []diag.Diagnostic) {
	key := auditcache.Key(read, o)
	judge := func() *auditcache.Verdict {
		// Verdicts are keyed by content, so the digests must cover only bytes that were audited.
		// Without a tree, Digests skips files that were only partially read.
		return auditcache.New(read, o, key, bundle.Digests(nil, "", read))
	}
	cache := c.verdictCache()
	if cache == nil {
		return judge(), nil
	}
	id := auditcache.ID(d.Kind.String(), d.Origin.Layer.String(), d.Origin.Real)
	v, err := cache.Get(id)
	if v != nil && v.Key == key {
		return v, nil
	}
	v = judge()
	if !keep || c.Options.Shell.DryRun || c.Options.Shell.Off {
		// The dry-run and no-shell modes must not write anything, and neither must a caller that
		// does not set keep.
		return v, nil
	}
	var owner *vfs.OwnerError
	if err == nil || !errors.As(err, &owner) {
		err = cache.Put(id, v)
	}
	if err == nil {
		return v, nil
	}
	return v, []diag.Diagnostic{diag.For(cache.Dir(), diag.AuditCache, "cannot cache the audit verdict: %v; the audit will run again next time", vfs.WithoutPath(err)).
		WithFix("make sure that you own the directory and no one else can write to it, or set XDG_CACHE_HOME to another directory")}
}

// verdictCache returns the verdict store, or nil if caching is off.
func (c *Catalog) verdictCache() *auditcache.Cache {
	c.auditState.once.Do(func() {
		if dir := c.CacheDir("verdicts"); dir != "" {
			c.auditState.cache = auditcache.Open(dir)
		}
	})
	return c.auditState.cache
}

// AuditOptions returns the audit options that a policy sets.
func AuditOptions(p *policy.Policy) (o audit.Options) {
	knownBad := &p.Audit.KnownBad
	if len(knownBad.Digests)+len(knownBad.Hosts)+len(knownBad.Publishers) > 0 {
		o.KnownBad = &audit.KnownBad{Digests: valueTexts(knownBad.Digests), Hosts: valueTexts(knownBad.Hosts), Publishers: valueTexts(knownBad.Publishers)}
	}
	return o
}

func valueTexts(list []policy.Value) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.Text)
	}
	return texts
}

// addPackage adds the files in the directory that q selects, except q.Main, to package p.
func addPackage(ctx context.Context, p *signal.Package, q bundle.Request) error {
	main := q.Main
	q.Main, q.Data = "", nil
	q.Skip = func(name string) bool { return name == main }
	more, err := bundle.Read(ctx, q)
	if err != nil {
		return err
	}
	for _, f := range more.Files {
		f.Path = path.Join(linkedDir, f.Path)
	}
	for i := range more.Missed {
		more.Missed[i].Path = path.Join(linkedDir, more.Missed[i].Path)
	}
	p.Files, p.Missed = append(p.Files, more.Files...), append(p.Missed, more.Missed...)
	return nil
}

// linkedDir is the name, within a package, of the directory that holds the companion files found
// next to a symlink's target.
const linkedDir = "linked"

// packageOf determines which files belong to a definition. If single is set, the definition
// consists of only its own file, whose content is in q.Data. If the definition was found through a
// symlink, more selects the directory that contains the target, unless that is the same directory.
// Both directories are audited, because an agent may read both.
func (c *Catalog) packageOf(ctx context.Context, d *definition.Definition, doc *parse.Document) (q bundle.Request,
	more *bundle.Request, single bool, err error) {
	base := path.Base(d.Origin.Real)
	if strings.EqualFold(path.Ext(base), ".toml") != (d.Format == definition.TOML) {
		// The symlink and its target have different formats. The symlink's name determines the
		// format.
		base = path.Base(d.Origin.Path)
	}
	q = bundle.Request{Name: strings.TrimSuffix(base, path.Ext(base)), Kind: d.Kind, Layer: c.AuditLayer(d),
		Main: base, Data: doc.File.Data}
	if d.Origin.Layer == definition.MCP || d.Format == definition.Package {
		q.Name, q.Main = d.Name, SkillFileName
		if d.Format == definition.Package {
			q.Data = []byte(doc.Body)
		}
		return q, nil, true, nil
	}
	if !ownsDirectory(d) {
		return q, nil, true, nil
	}
	plan := c.Quick
	if d.Origin.Plugin != "" {
		if plan, err = c.Plan(ctx); err != nil {
			return q, nil, false, err
		}
	}
	// A skill at the project root does not own the whole project, but a skill at the root of a
	// plugin owns the plugin.
	belongs := func(tree *vfs.Tree, dir string) bool {
		return tree != nil && (dir != "." || d.Origin.Plugin != "" && tree != plan.Project)
	}
	real, rel := plan.TreeOf(d.Origin.Real)
	ownsDir := real != nil && strings.EqualFold(path.Base(rel), SkillFileName) && belongs(real, path.Dir(rel))
	if tree, dir := shownDir(plan, d); belongs(tree, dir) {
		q.Tree, q.Main, q.Dir = tree, path.Join(dir, path.Base(d.Origin.Path)), dir
		if ownsDir && (tree.RealPath(dir) != real.RealPath(path.Dir(rel))) {
			more = &bundle.Request{Name: q.Name, Kind: q.Kind, Layer: q.Layer, Tree: real, Main: rel, Dir: path.Dir(rel)}
		}
	} else if ownsDir {
		q.Tree, q.Main, q.Dir = real, rel, path.Dir(rel)
	} else {
		return q, nil, true, nil
	}
	if q.Name = path.Base(q.Dir); q.Dir == "." {
		q.Name = path.Base(q.Tree.Dir())
	}
	return q, more, false, nil
}

// shownDir returns the directory where a definition was found, with symlinks resolved. The tree is
// nil if the directory is not in any tree.
func shownDir(plan *discover.Plan, d *definition.Definition) (*vfs.Tree, string) {
	tree, name := plan.Shown(d.Origin.Path)
	if tree == nil {
		return nil, ""
	}
	at, dir, err := tree.Resolve(path.Dir(name))
	if err != nil {
		return nil, ""
	}
	return at, dir
}

// siblingFiles lists all files and directories below a package's directory except the main file.
// certain is false if a change to one of them could go unnoticed. This is the case if a directory
// cannot be read completely, a file has no fingerprint, or an entry is a symlink, whose fingerprint
// does not cover its target.
func siblingFiles(q bundle.Request) (list []siblingFile, certain bool) {
	var walk func(dir string, depth int) bool
	walk = func(dir string, depth int) bool {
		infos, truncated, err := q.Tree.ReadDirInfo(dir, bundle.MaxFiles+1)
		if err != nil || truncated || depth > maxSkillDepth {
			return false
		}
		for _, info := range infos {
			name := path.Join(dir, info.Name())
			if name == q.Main {
				continue
			}
			stamp, ok := vfs.FingerprintOf(info)
			if !ok || info.Mode()&fs.ModeSymlink != 0 || len(list) > bundle.MaxFiles {
				return false
			}
			list = append(list, siblingFile{name, stamp})
			if info.IsDir() && !walk(name, depth+1) {
				return false
			}
		}
		return true
	}
	certain = walk(q.Dir, 0)
	return list, certain
}
