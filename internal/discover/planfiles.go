package discover

import (
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// Read returns the content of a file by its canonical path.
func (p *Plan) Read(real string, limit int64) ([]byte, error) {
	in, rel := p.treeOf(real)
	if in == nil {
		return nil, &fs.PathError{Op: "read", Path: real, Err: vfs.ErrOutside}
	}
	return in.ReadFile(rel, limit)
}

// Stamp returns the stamp of a file by its absolute path without links, as Read
// would open it.
func (p *Plan) Stamp(real string) (vfs.Fingerprint, error) {
	in, rel := p.treeOf(real)
	if in == nil {
		return vfs.Fingerprint{}, &fs.PathError{Op: "lstat", Path: real, Err: vfs.ErrOutside}
	}
	return in.Fingerprint(rel)
}

// TreeOf returns the innermost tree that holds an absolute path without links, and
// the name of the path in it; nil where none does.
func (p *Plan) TreeOf(real string) (in *vfs.Tree, rel string) { return p.treeOf(real) }

// treeOf returns the innermost tree that holds a path, nil where none does.
func (p *Plan) treeOf(real string) (in *vfs.Tree, rel string) {
	for _, t := range p.trees {
		if _, ok := t.Rel(real); ok && (in == nil || len(t.Real()) > len(in.Real())) {
			in = t
		}
	}
	if in != nil {
		rel, _ = in.Rel(real)
	}
	return in, rel
}

// Shown returns the tree and the name in it of a path that [Plan.Show] has returned; nil
// where no tree has it.
func (p *Plan) Shown(shown string) (in *vfs.Tree, name string) {
	if !path.IsAbs(shown) && (len(shown) < 2 || shown[1] != ':') {
		return p.Project, shown
	}
	for _, t := range p.trees {
		if rel, ok := strings.CutPrefix(shown, strings.TrimSuffix(t.Dir(), "/")+"/"); ok && (in == nil || len(t.Dir()) > len(in.Dir())) {
			in, name = t, rel
		}
	}
	return in, name
}

// Show returns the path of a name of a tree as it is shown: relative to the
// project where it is inside it, else absolute.
func (p *Plan) Show(t *vfs.Tree, name string) string {
	if t == p.Project {
		return name
	}
	return t.Path(name)
}
