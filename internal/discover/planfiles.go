package discover

import (
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// Read returns a file's content. real is its canonical path.
func (p *Plan) Read(real string, limit int64) ([]byte, error) {
	in, rel := p.treeOf(real)
	if in == nil {
		return nil, &fs.PathError{Op: "read", Path: real, Err: vfs.ErrOutside}
	}
	return in.ReadFile(rel, limit)
}

// Fingerprint returns a file's fingerprint. real is the canonical absolute
// path, which is opened as in Read.
func (p *Plan) Fingerprint(real string) (vfs.Fingerprint, error) {
	in, rel := p.treeOf(real)
	if in == nil {
		return vfs.Fingerprint{}, &fs.PathError{Op: "lstat", Path: real, Err: vfs.ErrOutside}
	}
	return in.Fingerprint(rel)
}

// TreeOf returns the innermost tree that contains a canonical absolute path, and the path's name in
// that tree. If no tree contains it, the returned tree is nil.
func (p *Plan) TreeOf(real string) (in *vfs.Tree, rel string) { return p.treeOf(real) }

// treeOf returns the innermost tree that contains a canonical absolute path, and the path's name in
// that tree. It considers the plan's trees and the directories that the user approved, but not the
// rest of the volume.
func (p *Plan) treeOf(real string) (in *vfs.Tree, rel string) {
	for _, t := range p.trees {
		if _, ok := t.Rel(real); ok && (in == nil || len(t.Real()) > len(in.Real())) {
			in = t
		}
	}
	if in == nil && vfs.IsAbs(real) {
		for _, t := range p.outsideTrees().approved {
			if _, ok := t.Rel(real); ok && (in == nil || len(t.Real()) > len(in.Real())) {
				in = t
			}
		}
	}
	if in != nil {
		rel, _ = in.Rel(real)
	}
	return in, rel
}

// Shown is the inverse of [Plan.Show]. It returns the tree that contains a displayed path and the
// path's name in that tree. If no tree contains the path, the returned tree is nil.
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

// Show returns the displayed path of a name in a tree: relative if it is in the
// project, otherwise absolute.
func (p *Plan) Show(t *vfs.Tree, name string) string {
	if t == p.Project {
		return name
	}
	return t.Path(name)
}
