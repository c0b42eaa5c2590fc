package vfs

import (
	"io/fs"
	"path"
	"strings"
)

// View is a read-only file system that combines several trees, for commands that run in this
// process. Names are absolute or relative to the view's directory, as in a command. They are
// resolved element by element, as the operating system does.
//
// Symlinks are resolved as in [Tree.Resolve], but never to a tree outside the view. ".." cannot
// leave the trees, not even temporarily. /dev/null is an empty file. A View is safe for concurrent
// use.
type View struct {
	trees  []*Tree
	dir    string
	hidden func(tree *Tree, rel string) error
}

// ViewOptions configures a view.
type ViewOptions struct {
	// Trees lists the readable trees. If one tree contains another, a name belongs to the first one
	// listed.
	Trees []*Tree
	// Dir is the absolute, slash-separated working directory.
	Dir string
	// Hidden, if not nil, returns an error if a file must not be opened. It is called twice: with
	// the name as written, and with the name after resolving symlinks. Both names keep their
	// original case. Hidden should ignore case, because a case-insensitive system opens any
	// spelling. Names that exist only on Windows, such as short names, are rejected earlier.
	Hidden func(tree *Tree, rel string) error
}

const (
	// maxPath is the maximum length of a name in bytes, as on Linux.
	maxPath = 4096
	// maxEntries is the maximum number of entries in a directory that ReadDir lists.
	maxEntries = 200_000
	devNull    = "/dev/null"
)

// NewView returns a view. It does not access files.
func NewView(o ViewOptions) *View {
	return &View{trees: o.Trees, dir: path.Clean(slash(o.Dir)), hidden: o.Hidden}
}

// At returns a copy of v with another working directory, which is absolute or relative to v's. The
// directory need not exist or be in the view.
func (v *View) At(dir string) *View {
	w := *v
	w.dir = path.Clean(v.abs(slash(dir)))
	return &w
}

// Dir returns the working directory.
func (v *View) Dir() string { return v.dir }

// Open opens a regular file. It returns ErrOutside, or any error from Hidden or OpenFile.
func (v *View) Open(name string) (*Handle, error) {
	if isNull(name) {
		return &Handle{file: nullFile{}}, nil
	}
	w, err := v.visible(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	h, err := w.tree.OpenFile(w.at)
	return h, pathError("open", name, err)
}

// visible resolves a name, and returns an error if the file must not be opened.
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

// ReadDir returns the entries in a directory, sorted by name, without following symlinks. It
// includes names for which Hidden returns an error. If there are more than 200,000 entries, it
// returns ErrTooLarge.
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

// Stat returns the properties of the file called name. It follows symlinks inside the view. The
// result is an *Info.
func (v *View) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, true) }

// Lstat returns the properties of the file called name. It does not follow a symlink in the last
// element. The result is an *Info.
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

// Readlink returns a symlink's target, which can be any path.
func (v *View) Readlink(name string) (string, error) {
	w, err := v.follow(name, false)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	target, err := w.tree.Readlink(w.at)
	return target, pathError("readlink", name, err)
}

// Locate returns the tree that contains a name, and the name relative to that tree. It does not
// access files, so the name need not exist and symlinks are not followed. It returns ErrOutside if
// the name is not in any tree, leaves the trees through "..", or is not UTF-8. It returns
// fs.ErrNotExist if the name is empty or longer than 4096 bytes.
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

// follow resolves a name. If follow is set, it also resolves a symlink in the last element.
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
		// An element of the name itself may be in any of the view's trees. Only the target of a
		// symlink is restricted to the trees that the symlink's tree allows.
		w.trees = v.trees
		w.follow = more || follow
		if err := w.run(element); err != nil {
			return w, err
		}
	}
	return w, nil
}

// enter follows a name from the file system root until it reaches a tree. It returns the tree, the
// name at which it entered the tree, and the rest of the name.
func (v *View) enter(name string) (tree *Tree, rel, rest string, err error) {
	if name == "" || len(name) > maxPath {
		return nil, "", "", fs.ErrNotExist
	}
	at, rest := "", v.abs(slash(name))
	if IsAbs(rest) {
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

// abs returns name as an absolute path, unless it already starts with the name of a FromFS tree.
func (v *View) abs(name string) string {
	if IsAbs(name) {
		return name
	}
	for _, t := range v.trees {
		if !IsAbs(t.real) && isBelow(t.real, name) {
			return name
		}
	}
	return v.dir + "/" + name
}

// find returns the first tree that contains an absolute path.
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
