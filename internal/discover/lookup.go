package discover

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// Find returns the definitions with the given kind and name. Instead of listing directories, it
// reads only the files whose paths imply the name. It therefore does not find a definition whose
// name is set only in its frontmatter, or whose file is nested more deeply than the name implies.
func (p *Plan) Find(ctx context.Context, parse Parser, kind definition.Kind,
	name string) ([]*definition.Definition, []diag.Diagnostic, error) {
	s := &scanner{ctx: ctx, plan: p, parse: parse, meter: meter{limits: p.env.Limits}}
	w := worker{scanner: s}
	// last is the place that was checked most recently. missing is set if the parent of its
	// directory, such as .claude, does not exist.
	var last *Place
	var missing bool
	for i := range p.Places {
		pl := &p.Places[i]
		files := pl.filesOf(kind, name)
		if len(files) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if dir := path.Dir(pl.Dir); last == nil || last.Tree != pl.Tree || path.Dir(last.Dir) != dir {
			_, err := pl.Tree.Lstat(dir)
			last, missing = pl, errors.Is(err, fs.ErrNotExist)
		}
		if missing {
			continue
		}
		top := p.top(pl)
		for _, rel := range files {
			w.open(pl, top, rel)
		}
	}
	var found []*definition.Definition
	for _, d := range w.found {
		if d.Kind == kind && d.Name == name {
			found = append(found, d)
		}
	}
	return found, w.diagnostics, nil
}

// FindPath reads the definition at a displayed path. It returns nil if there is none.
func (p *Plan) FindPath(ctx context.Context, parse Parser, shown string) (*definition.Definition, error) {
	s := &scanner{ctx: ctx, plan: p, parse: parse, meter: meter{limits: p.env.Limits}}
	w := worker{scanner: s}
	for i := range p.Places {
		pl := &p.Places[i]
		rel, ok := strings.CutPrefix(shown, pl.Shown+"/")
		if pl.Shown == "." {
			rel, ok = shown, true
		}
		if !ok || !fs.ValidPath(rel) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.open(pl, p.top(pl), rel)
		for _, d := range w.found {
			if d.Origin.Path == shown && d.State != definition.Dropped {
				return d, nil
			}
		}
	}
	return nil, nil
}

// top returns a place's directory with symlinks resolved, or nil if it does not exist.
func (p *Plan) top(pl *Place) *directory {
	at := &directory{tree: pl.Tree, rel: pl.Dir, shown: pl.Shown}
	tree, to, err := p.resolve(pl.Tree, pl.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (tree != pl.Tree || to != pl.Dir) {
		at.tree, at.rel, at.linked = tree, to, true
	}
	return at
}

// open examines a single file as if a walk had found it. rel is the file's path below the place's
// directory.
func (w *worker) open(pl *Place, top *directory, rel string) {
	if top == nil {
		return
	}
	w.visited = nil
	begin := *top
	at := &begin
	dir, base := path.Split(rel)
	if w.hides(pl, at, rel) {
		return
	}
	for _, part := range strings.Split(strings.Trim(dir, "/"), "/") {
		if part == "" {
			continue
		}
		// Do not search a directory that is a definition. Its other files belong to that
		// definition.
		if at = w.step(at, part); at == nil || part == ".git" && !w.plan.Profile.Walk.Git || part == "node_modules" && !w.plan.Profile.Walk.Modules && !makesDefinition(pl, base) || w.excludes(pl, at) != nil {
			return
		}
		if isDefinition(pl, at, base, strings.Count(dir, "/")) {
			return
		}
	}
	if typ, err := at.tree.Lstat(joinShown(at.rel, base)); err == nil && !w.isCovered(pl, at, base) {
		w.entry(pl, at, vfs.Entry{Name: base, Type: typ})
	}
}

// step returns the subdirectory called part, which may be a symlink. It returns nil if there is no
// such directory.
func (w *worker) step(at *directory, part string) *directory {
	at.chain = append(at.chain[:len(at.chain):len(at.chain)], at.tree.RealPath(at.rel))
	child := at.child(part)
	switch typ, err := child.tree.Lstat(child.rel); {
	case err != nil:
		return nil
	case typ == vfs.Dir:
		return &child
	case typ != vfs.Link:
		return nil
	}
	tree, rel, err := w.plan.resolve(child.tree, child.rel)
	if err != nil || isLoop(tree.RealPath(rel), at.chain) {
		return nil
	}
	child.tree, child.rel, child.linked = tree, rel, true
	return &child
}

// makesDefinition reports whether a file named base makes its directory a single definition.
func makesDefinition(pl *Place, base string) bool {
	for i := range pl.Root.Rules {
		if r := &pl.Root.Rules[i]; r.Boundary && r.File == base {
			return true
		}
	}
	return false
}

// isCovered reports whether a file is hidden by another file in the same directory.
func (w *worker) isCovered(pl *Place, at *directory, base string) bool {
	if !slices.ContainsFunc(pl.Root.Rules, func(r host.Rule) bool { return r.Covers }) {
		return false
	}
	entries, ok := w.list(pl, at)
	left := uncovered(pl, entries, len(at.parts))
	return ok && !slices.ContainsFunc(left, func(e vfs.Entry) bool { return e.Name == base })
}

// isDefinition reports whether the directory contains a file that makes the whole directory one
// definition. At the last level, isDefinition ignores the file being searched for.
func isDefinition(pl *Place, at *directory, base string, levels int) bool {
	depth := len(at.parts)
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Boundary || depth < r.Min || depth > r.Max || base == r.File && depth == levels {
			continue
		}
		if typ, err := at.tree.Lstat(joinShown(at.rel, r.File)); err == nil && typ != vfs.Dir {
			return true
		}
	}
	return false
}

// filesOf returns the files that may define the name, as paths relative to the place's directory.
// It derives the paths from the name without searching.
func (pl *Place) filesOf(kind definition.Kind, name string) []string {
	if pl.Plugin != nil {
		var ok bool
		if name, ok = strings.CutPrefix(name, pl.Plugin.Name+":"); !ok {
			return nil
		}
	}
	parts := strings.ReplaceAll(name, ":", "/")
	if !fs.ValidPath(parts) || parts == "." || strings.ContainsAny(name, "\\\x00") {
		return nil
	}
	flat := !strings.Contains(name, "/")
	var files []string
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		switch {
		case r.Kind != kind || r.Skip != "":
		case r.Naming == host.ByDir && r.Max >= 1 && flat:
			files = append(files, name+"/"+r.File)
		case r.Naming == host.ByDirPath:
			files = append(files, parts+"/"+r.File)
		case r.Naming == host.ByStem && r.Suffix != "" && r.Min == 0 && flat:
			files = append(files, name+r.Suffix)
		case r.Naming == host.BySlashPath:
			files = append(files, name+r.Suffix)
		case r.Naming == host.ByPath:
			files = append(files, parts+r.Suffix)
			if r.Index != "" {
				files = append(files, parts+"/"+r.Index+r.Suffix)
			}
		}
	}
	return files
}

// Searched returns the displayed paths where Find looks for a name. Project paths come first.
func (p *Plan) Searched(kind definition.Kind, name string) []string {
	var inside, outside []string
	for i := range p.Places {
		pl := &p.Places[i]
		for _, f := range pl.filesOf(kind, name) {
			if pl.Tree == p.Project {
				inside = append(inside, joinShown(pl.Shown, f))
			} else {
				outside = append(outside, joinShown(pl.Shown, f))
			}
		}
	}
	return append(inside, outside...)
}

// Has reports whether a place can contain definitions of the given kind.
func (pl *Place) Has(kind definition.Kind) bool {
	for i := range pl.Root.Rules {
		if pl.Root.Rules[i].Kind == kind {
			return true
		}
	}
	return false
}
