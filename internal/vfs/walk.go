package vfs

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is the maximum number of symlinks to follow in a path. A path with more symlinks is
// assumed to contain a loop.
const maxLinks = 40

// Resolve follows the symlinks in name, and returns the resulting tree and name. If the target is
// not in an allowed tree, it returns ErrOutside without accessing the target.
func (t *Tree) Resolve(name string) (*Tree, string, error) { return t.ResolveAlso(name) }

// ResolveAlso is like [Tree.Resolve], but symlinks may also point to the trees in more. The trees
// that t allows take precedence, followed by more in the given order. A symlink in one of the
// additional trees may point wherever symlinks in t may.
func (t *Tree) ResolveAlso(name string, more ...*Tree) (*Tree, string, error) {
	if err := t.valid(name); err != nil {
		return nil, "", pathError("resolve", name, err)
	}
	w := walk{trees: slices.Concat(t.allow, more), tree: t, at: ".", typ: Dir, follow: true, from: t, more: more}
	if err := w.run(name); err != nil {
		return nil, "", pathError("resolve", name, err)
	}
	return w.tree, w.at, nil
}

// walk resolves a path element by element, as the operating system does: ".." refers to the parent
// of the resolved directory, not of the path as written.
type walk struct {
	// trees lists the trees that may contain the current path. After a symlink is followed, only
	// the trees that the symlink's tree allows remain. Otherwise, a project's symlinks could point
	// wherever the user's symlinks may.
	trees []*Tree
	// within, if not nil, restricts all symlinks to these trees.
	within []*Tree
	// more lists additional trees that every symlink may point to. A symlink in one of these trees
	// may point wherever symlinks in the tree from may.
	more []*Tree
	from *Tree
	// at is a name in tree that contains no symlinks. If tree is nil, at is an absolute path on the
	// way to a tree.
	tree  *Tree
	at    string
	typ   Type
	links int
	// If follow is set, a symlink in the last element is also resolved.
	follow bool
}

// run resolves the elements of rest and of each symlink that it encounters.
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

// step resolves the next element. If the element is a symlink to follow, step returns its target
// and stays in the directory that contains the symlink.
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
	if IsAbs(target) {
		top, rest := splitTop(target)
		return rest, w.move(top)
	}
	w.at = path.Dir(w.at)
	return target, nil
}

// down moves to an entry in the current directory.
func (w *walk) down(element string) error {
	if w.tree == nil || w.tree != w.trees[0] {
		return w.move(join(w.path(), element))
	}
	// The first tree takes precedence, so everything below one of its directories is also in that
	// tree.
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

// up moves to the parent directory. If the path has not reached a tree yet, up fails unless the
// current directory is above a tree's real path, because any other name may be a symlink.
func (w *walk) up() error {
	if w.tree == nil && !slices.ContainsFunc(w.trees, func(t *Tree) bool { return isBelow(w.at, t.real) }) {
		return ErrOutside
	}
	return w.move(path.Dir(w.path()))
}

// move moves to an absolute path, and enters the first tree that contains it. If no tree contains
// the path, it must be a directory above a tree. The caller must ensure that the path is a
// directory, or check it next.
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

// allowed returns the trees that a symlink in the current tree may point to.
func (w *walk) allowed() []*Tree {
	switch {
	case slices.Contains(w.more, w.tree):
		return slices.Concat(w.from.allow, w.more)
	case w.within == nil && w.more == nil:
		return w.tree.allow
	case w.within == nil:
		return slices.Concat(w.tree.allow, w.more)
	}
	var both []*Tree
	for _, t := range w.tree.allow {
		if slices.Contains(w.within, t) {
			both = append(both, t)
		}
	}
	return both
}

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

// splitTop splits an absolute path after its root directory.
func splitTop(abs string) (top, rest string) {
	volume := len(filepath.VolumeName(filepath.FromSlash(abs)))
	return abs[:volume] + "/", strings.TrimLeft(abs[volume:], "/")
}
