package discover

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// Find reads the files that have a name by their place, and no others: it lists
// no directory. What has the name only in its frontmatter, or stands deeper
// than the name says, is not among them.
func (p *Plan) Find(ctx context.Context, parse Parser, kind definition.Kind, name string) ([]*definition.Definition, []diag.Diagnostic, error) {
	s := &scanner{plan: p, parse: parse, meter: meter{limits: p.env.Limits}}
	w := worker{scanner: s, buf: make([]byte, maxHead)}
	for i := range p.Places {
		pl := &p.Places[i]
		for _, rel := range pl.filesOf(kind, name) {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			w.open(pl, rel)
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

// FindPath reads the definition that a file is, by the path that is shown.
func (p *Plan) FindPath(ctx context.Context, parse Parser, shown string) (*definition.Definition, error) {
	s := &scanner{plan: p, parse: parse, meter: meter{limits: p.env.Limits}}
	w := worker{scanner: s, buf: make([]byte, maxHead)}
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
		w.open(pl, rel)
		for _, d := range w.found {
			if d.Origin.Path == shown && d.State != definition.Dropped {
				return d, nil
			}
		}
	}
	return nil, nil
}

// open looks at one file of a place by its path below the root.
func (w *worker) open(pl *Place, rel string) {
	at := &directory{tree: pl.Tree, rel: pl.Dir, shown: pl.Shown}
	dir, base := path.Split(rel)
	for _, part := range strings.Split(strings.Trim(dir, "/"), "/") {
		if part == "" {
			continue
		}
		at = at.child(part)
	}
	file := path.Join(at.rel, base)
	typ, err := pl.Tree.Lstat(file)
	if isLink(err) {
		tree, to, err := pl.Tree.Resolve(at.rel)
		if err != nil {
			return
		}
		at.tree, at.rel, at.linked = tree, to, true
		if typ, err = tree.Lstat(path.Join(to, base)); err != nil {
			return
		}
	} else if err != nil {
		return
	}
	if w.inside(pl, at, base) {
		return
	}
	w.entry(pl, at, vfs.Entry{Name: base, Type: typ})
}

// inside reports whether a directory above the file is a definition of its own,
// so that the file only travels with it.
func (w *worker) inside(pl *Place, at *directory, base string) bool {
	for i := range pl.Root.Rules {
		r := &pl.Root.Rules[i]
		if !r.Boundary {
			continue
		}
		for depth := 1; depth <= len(at.parts); depth++ {
			if base == r.File && depth == len(at.parts) {
				continue
			}
			up := path.Join(pl.Dir, path.Join(at.parts[:depth]...))
			if _, err := pl.Tree.Lstat(path.Join(up, r.File)); err == nil {
				return true
			}
		}
	}
	return false
}

// filesOf returns the paths below the place's directory that a definition of
// the name can have without a search.
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
		case r.Naming == host.ByPath:
			files = append(files, parts+r.Suffix)
			if r.Index != "" {
				files = append(files, parts+"/"+r.Index+r.Suffix)
			}
		}
	}
	return files
}

// Searched returns the paths, as they are shown, at which Find looks for a name:
// those inside the project before the others.
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

// Has reports whether a place can hold definitions of a kind.
func (pl *Place) Has(kind definition.Kind) bool {
	for i := range pl.Root.Rules {
		if pl.Root.Rules[i].Kind == kind {
			return true
		}
	}
	return false
}
