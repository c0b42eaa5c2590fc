package vfs

import (
	"io/fs"
	"path"
	"strings"
)

// View is a read-only file system over several trees, for commands that run in
// this process. Names are as a command writes them: relative to the view's
// directory, or absolute. A name is followed element by element as the system
// does, and a link as [Tree.Resolve] does, but never into a tree that is not
// of the view. ".." does not lead out of the trees, not even to come back.
// /dev/null is an empty file. A View is safe for use by many goroutines.
type View struct {
	trees  []*Tree
	dir    string
	hidden func(tree *Tree, rel string) error
}

// ViewOptions are the properties of a view.
type ViewOptions struct {
	// Trees are what can be read. Where one holds another, a name is of the
	// first.
	Trees []*Tree
	// Dir is the absolute working directory, with forward slashes.
	Dir string
	// Hidden, if it is not nil, returns why a file is not to be opened. It is
	// asked for the name as it is written and for the name that the links in
	// it lead to, both in the letters that were written: a system that takes
	// small and capital letters for the same opens either. Names that only
	// Windows has, such as the short ones, do not reach it: they are refused.
	Hidden func(tree *Tree, rel string) error
}

const (
	// maxPath is the longest name, in bytes, as Linux has it.
	maxPath = 4096
	// maxEntries is the longest directory that is listed.
	maxEntries = 200_000
	devNull    = "/dev/null"
)

// NewView returns a view. Nothing is looked at yet.
func NewView(o ViewOptions) *View {
	return &View{trees: o.Trees, dir: path.Clean(slash(o.Dir)), hidden: o.Hidden}
}

// At returns the same view from another working directory, which is absolute
// or seen from the one of v. It need not exist or be in the view.
func (v *View) At(dir string) *View {
	w := *v
	w.dir = path.Clean(v.abs(slash(dir)))
	return &w
}

// Dir returns the working directory.
func (v *View) Dir() string { return v.dir }

// Open opens a regular file. It fails with what Hidden says, with ErrOutside,
// and with all that OpenFile fails with.
func (v *View) Open(name string) (*Handle, error) {
	if isNull(name) {
		return &Handle{file: nothing{}}, nil
	}
	w, err := v.visible(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	h, err := w.tree.OpenFile(w.at)
	return h, pathError("open", name, err)
}

// visible follows a name to where it may be opened.
func (v *View) visible(name string) (walk, error) {
	tree, rel, err := v.Locate(name)
	if err == nil {
		err = v.hides(tree, rel)
	}
	if err != nil {
		return walk{}, err
	}
	w, err := v.follow(name, true)
	if err == nil {
		err = v.hides(w.tree, w.at)
	}
	return w, err
}

func (v *View) hides(tree *Tree, rel string) error {
	if v.hidden == nil {
		return nil
	}
	return v.hidden(tree, rel)
}

// ReadDir returns what is in a directory, in the order of the names, links not
// followed. It fails with ErrTooLarge for more than 200,000 entries. Names that
// are hidden are listed.
func (v *View) ReadDir(name string) ([]fs.FileInfo, error) {
	w, err := v.follow(name, true)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	if w.typ != Dir {
		return nil, pathError("readdir", name, ErrNotDirectory)
	}
	list, more, err := w.tree.ReadDirInfo(w.at, maxEntries)
	if err == nil && more {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	return list, nil
}

// Stat returns what a name is, with links followed inside the view. The info is
// an *Info.
func (v *View) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, true) }

// Lstat returns what a name is; a link at its end is not followed. The info is
// an *Info.
func (v *View) Lstat(name string) (fs.FileInfo, error) { return v.stat("lstat", name, false) }

func (v *View) stat(op, name string, follow bool) (fs.FileInfo, error) {
	if isNull(name) {
		return &Info{name: "null", mode: fs.ModeDevice | fs.ModeCharDevice | 0o666}, nil
	}
	w, err := v.follow(name, follow)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	info, err := w.tree.Info(w.at)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	if i, ok := info.(*Info); ok {
		i.name = path.Base(name)
	}
	return info, nil
}

// Readlink returns the text of a link, which may name any place.
func (v *View) Readlink(name string) (string, error) {
	w, err := v.follow(name, false)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	target, err := w.tree.Readlink(w.at)
	return target, pathError("readlink", name, err)
}

// Locate returns the tree of a name and the name in it by the text alone: it
// reads nothing, so the name need not exist, and links in it are not followed.
// It fails with ErrOutside where the name is in no tree of the view, is on its
// way through ".." in none, or is not UTF-8; then with fs.ErrNotExist if it is
// empty or longer than 4096 bytes.
func (v *View) Locate(name string) (tree *Tree, rel string, err error) {
	tree, rel, rest, err := v.enter(name)
	if err != nil {
		return nil, "", err
	}
	for element := range strings.SplitSeq(rest, "/") {
		at := tree.RealPath(rel)
		switch element {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
		default:
			at = join(at, element)
		}
		if tree, rel, err = find(v.trees, at); err != nil {
			return nil, "", err
		}
	}
	return tree, rel, nil
}

// follow goes to what a name is, and with follow through a link at its end.
func (v *View) follow(name string, follow bool) (walk, error) {
	if _, _, err := v.Locate(name); err != nil {
		return walk{}, err
	}
	tree, rel, rest, err := v.enter(name)
	if err != nil {
		return walk{}, err
	}
	w := walk{tree: tree, at: rel, typ: Dir, within: v.trees, follow: true}
	for more := true; more; {
		var element string
		element, rest, more = strings.Cut(rest, "/")
		if windows && shortened(element) {
			return w, ErrBadName
		}
		// Each element that is written may be in any tree of the view; what a
		// link on the way allowed was for its own text.
		w.trees = v.trees
		w.follow = more || follow
		if err := w.run(element); err != nil {
			return w, err
		}
	}
	return w, nil
}

// enter goes down a name from the top of the system to where it comes into a
// tree, and returns that and the rest of the name.
func (v *View) enter(name string) (tree *Tree, rel, rest string, err error) {
	if name == "" || len(name) > maxPath {
		return nil, "", "", fs.ErrNotExist
	}
	at, rest := "", v.abs(slash(name))
	if isAbs(rest) {
		at, rest = splitTop(rest)
	}
	for {
		if tree, rel, err := find(v.trees, at); err == nil {
			return tree, rel, rest, nil
		}
		element, after, more := strings.Cut(rest, "/")
		switch element {
		case "..":
			return nil, "", "", ErrOutside
		case "", ".":
		default:
			if at == "" {
				at = element
			} else {
				at = join(at, element)
			}
		}
		if rest = after; !more {
			tree, rel, err := find(v.trees, at)
			return tree, rel, "", err
		}
	}
}

// abs returns an absolute path, or one that begins with the name of a tree of
// the program's own.
func (v *View) abs(name string) string {
	if isAbs(name) {
		return name
	}
	for _, t := range v.trees {
		if !isAbs(t.real) && isBelow(t.real, name) {
			return name
		}
	}
	return v.dir + "/" + name
}

// find returns the first tree that an absolute path is in.
func find(trees []*Tree, abs string) (*Tree, string, error) {
	for _, t := range trees {
		if rel, ok := t.Rel(abs); ok {
			return t, rel, nil
		}
	}
	return nil, "", ErrOutside
}

func isNull(name string) bool {
	return strings.HasPrefix(name, devNull[:1]) && path.Clean(name) == devNull
}
