package vfs

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is the number of links in one path after which a circle is assumed.
const maxLinks = 40

// Resolve follows the links in name, and returns the tree and the name in it
// where they lead. It fails with ErrOutside where that is in no allowed tree,
// without touching what is there.
func (t *Tree) Resolve(name string) (*Tree, string, error) {
	if err := t.valid(name); err != nil {
		return nil, "", pathError("resolve", name, err)
	}
	w := walk{trees: t.allow, tree: t, at: ".", typ: Dir, follow: true}
	if err := w.run(name); err != nil {
		return nil, "", pathError("resolve", name, err)
	}
	return w.tree, w.at, nil
}

// walk goes through the trees element by element, as the system does: what
// stands before ".." is a directory that it has come to, not a text.
type walk struct {
	// trees are those where the path may be now. After a link it is what the
	// tree with the link allows: a project's link does not lead where the
	// user's links may.
	trees []*Tree
	// within, if it is not nil, holds the trees that no link leaves.
	within []*Tree
	// at is a name in tree without links in it. Without a tree it is an
	// absolute path on the way into one.
	tree  *Tree
	at    string
	typ   Type
	links int
	// follow says that a link is followed too where the path ends with it.
	follow bool
}

// run goes on by the elements of rest and those of the links that it meets.
func (w *walk) run(rest string) error {
	for more := true; more; {
		if w.typ != Dir {
			return fs.ErrNotExist
		}
		var element string
		element, rest, more = strings.Cut(rest, "/")
		target, err := w.step(element, more || w.follow)
		if err != nil {
			return err
		}
		switch {
		case target == "":
		case more:
			rest = target + "/" + rest
		default:
			rest, more = target, true
		}
	}
	if w.tree == nil {
		return ErrOutside
	}
	return nil
}

// step goes to the next element. Where that is a link to be followed, it stays
// in the directory that the link's text is read in, and returns the text.
func (w *walk) step(element string, follow bool) (target string, err error) {
	switch element {
	case "", ".":
		return "", nil
	case "..":
		return "", w.up()
	}
	if err := w.down(element); err != nil || w.tree == nil {
		return "", err
	}
	if windows && specialElement(element) {
		return "", ErrBadName
	}
	info, err := w.tree.back.info(w.at)
	if err != nil {
		return "", err
	}
	if w.typ = typeOf(info.mode); w.typ != Link || !follow {
		return "", nil
	}
	if w.links++; w.links > maxLinks {
		return "", ErrLoop
	}
	if target, err = w.tree.back.readlink(w.at); err != nil {
		return "", err
	}
	w.typ, w.trees = Dir, w.allowed()
	target = slash(target)
	if isAbs(target) {
		top, rest := splitTop(target)
		return rest, w.move(top)
	}
	w.at = path.Dir(w.at)
	return target, nil
}

// down goes to an entry of the directory.
func (w *walk) down(element string) error {
	if w.tree == nil || w.tree != w.trees[0] {
		return w.move(join(w.path(), element))
	}
	// What is below a directory of the first tree is in that tree.
	if !fs.ValidPath(element) {
		return ErrOutside
	}
	if w.at == "." {
		w.at = element
	} else {
		w.at += "/" + element
	}
	return nil
}

// up goes to the directory above. On the way into a tree that is certain only
// for what is above a real directory: another name may be a link.
func (w *walk) up() error {
	if w.tree == nil && !slices.ContainsFunc(w.trees, func(t *Tree) bool { return isBelow(w.at, t.real) }) {
		return ErrOutside
	}
	return w.move(path.Dir(w.path()))
}

// move goes to an absolute path, which is a directory or is looked at next: to the first tree that it is in, or nearer to
// one of them.
func (w *walk) move(abs string) error {
	var err error
	if w.tree, w.at, err = find(w.trees, abs); err == nil {
		return nil
	}
	w.at = abs
	if slices.ContainsFunc(w.trees, func(t *Tree) bool { return isBelow(abs, t.real) || isBelow(abs, t.dir) }) {
		return nil
	}
	return err
}

// allowed returns where a link of the walk's tree may lead.
func (w *walk) allowed() []*Tree {
	if w.within == nil {
		return w.tree.allow
	}
	var both []*Tree
	for _, t := range w.tree.allow {
		if slices.Contains(w.within, t) {
			both = append(both, t)
		}
	}
	return both
}

// path returns the absolute path of where the walk is.
func (w *walk) path() string {
	if w.tree == nil {
		return w.at
	}
	return w.tree.RealPath(w.at)
}

func isBelow(dir, abs string) bool {
	_, ok := below(dir, abs)
	return ok
}

// splitTop cuts an absolute path behind the directory that has none above it.
func splitTop(abs string) (top, rest string) {
	volume := len(filepath.VolumeName(filepath.FromSlash(abs)))
	return abs[:volume] + "/", strings.TrimLeft(abs[volume:], "/")
}
