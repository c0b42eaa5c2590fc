// Package vfs is the only way to other people's files. A Tree is a directory
// that may be read; nothing outside it can be reached through it, no link is
// followed by opening, and only regular files with one name pass.
//
// A link is followed only by [Tree.Resolve] and by a [View], which read the
// links themselves and end in a tree that the tree of the link was told to
// allow.
package vfs

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// The reasons for which a path is not opened. Others are fs.ErrNotExist and
// fs.ErrPermission.
var (
	// ErrLink: an element of the path is a symbolic link; see Tree.Resolve.
	ErrLink = errors.New("is a symbolic link")
	// ErrOutside: the path or a link in it leads outside the allowed trees.
	ErrOutside = errors.New("leads outside")
	// ErrLoop: the links of the path go in a circle.
	ErrLoop = errors.New("links go in a circle")
	// ErrDirectory: the path is a directory.
	ErrDirectory = errors.New("is a directory")
	// ErrNotRegular: the path is a pipe, a socket or a device.
	ErrNotRegular = errors.New("is not a regular file")
	// ErrHardLink: the file has a second name, which may be outside.
	ErrHardLink = errors.New("has more than one hard link")
	// ErrTooLarge: the file or the directory is longer than the limit of the call.
	ErrTooLarge = errors.New("is too large")
	// ErrNotDirectory: the path is to be listed and is no directory.
	ErrNotDirectory = errors.New("is not a directory")
	// ErrNotLink: the path has no target, as it is no symbolic link.
	ErrNotLink = errors.New("is not a symbolic link")
	// ErrChanged: another file took the place of this one while it was opened.
	ErrChanged = errors.New("changed while it was opened")
	// ErrBadName: the system would open something else; see CheckName.
	ErrBadName = errors.New("is a name that Windows gives a special meaning")
	// ErrEncoding: the path is not UTF-8. It is an ErrOutside too: no tree has such
	// names.
	ErrEncoding error = encodingError{}
)

// Type is what a directory entry is.
type Type uint8

// The types of entries.
const (
	File Type = iota
	Dir
	Link
	Other
)

// Entry is one name in a directory.
type Entry struct {
	Name string
	Type Type
}

// Tree is one directory with everything below it. Names below it are relative,
// with forward slashes, "." for the directory itself. A Tree is safe for use by
// many goroutines.
type Tree struct {
	dir, real string
	back      backend
	allow     []*Tree
	hardLinks bool
	// opened is when, in nanoseconds; see single.
	opened int64
}

// backend is one way to read a tree. No method follows a link in name; all but
// info and readlink, which tell of a link, answer ErrLink where one is the last
// element, and all where one stands before it.
type backend interface {
	readDir(name string, limit int) (entries []Entry, more bool, err error)
	// readHead fills buf from the start of the file.
	readHead(name string, buf []byte) (n int, st stat, err error)
	// openFile opens a regular file and nothing else, not even for a moment.
	openFile(name string) (fs.File, error)
	info(name string) (*Info, error)
	// readDirInfo is readDir with the info of each entry; entries that go
	// while it reads are not in it.
	readDirInfo(name string, limit int) (infos []*Info, more bool, err error)
	readlink(name string) (string, error)
	close() error
}

// Options are the properties of a tree.
type Options struct {
	// HardLinks lets files pass that have several names. It is for trees that
	// belong to the user, where a package manager may keep files that way.
	HardLinks bool
}

// Open returns the tree of an existing directory of the operating system. dir
// is absolute; it may itself be reached through links.
func Open(dir string, o Options) (*Tree, error) {
	back, real, err := openOS(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{dir: slash(dir), real: real, back: back, hardLinks: o.HardLinks, opened: time.Now().UnixNano()}
	t.allow = []*Tree{t}
	return t, nil
}

// FromFS returns the tree of a file system of the program's own. name is what
// its paths begin with when they are shown, and has to be unique.
func FromFS(fsys fs.FS, name string) *Tree {
	t := &Tree{dir: name, real: name, back: fsBackend{fsys}, hardLinks: true}
	t.allow = []*Tree{t}
	return t
}

// Allow lets links of t lead into other trees too.
func (t *Tree) Allow(others ...*Tree) { t.allow = append(t.allow, others...) }

// Close gives back what the tree holds open.
func (t *Tree) Close() error { return t.back.close() }

// Dir returns the tree's directory as it was opened, with forward slashes.
func (t *Tree) Dir() string { return t.dir }

// Real returns the tree's directory without links: the identity of what is in it.
func (t *Tree) Real() string { return t.real }

// Path returns the absolute path of a name of the tree, as it was opened.
func (t *Tree) Path(name string) string { return join(t.dir, name) }

// RealPath returns the canonical absolute path of a name that has no link in it.
func (t *Tree) RealPath(name string) string { return join(t.real, name) }

// Rel returns the name in the tree of an absolute path, by either of the
// tree's directories.
func (t *Tree) Rel(abs string) (string, bool) {
	for _, dir := range [...]string{t.real, t.dir} {
		if rel, ok := below(dir, abs); ok {
			return rel, true
		}
	}
	return "", false
}

type encodingError struct{}

func (encodingError) Error() string { return "has a name that is not UTF-8" }

func (encodingError) Unwrap() error { return ErrOutside }

// valid reports why a name of the tree is not handed to the system.
func (t *Tree) valid(name string) error {
	if !utf8.ValidString(name) {
		return ErrEncoding
	}
	if !fs.ValidPath(name) {
		return ErrOutside
	}
	if windows && special(name) {
		return ErrBadName
	}
	return nil
}

// ReadDir returns the entries of a directory in the order of their names, at
// most limit of them; more says that there were others.
func (t *Tree) ReadDir(name string, limit int) (entries []Entry, more bool, err error) {
	if err := t.valid(name); err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	entries, more, err = t.back.readDir(name, limit)
	return entries, more, pathError("readdir", name, err)
}

// ReadHead fills buf with the beginning of a regular file and returns how much
// it read and how long the file is. Nothing else is opened: no link, no
// directory, no pipe, no device, no file with a second hard link.
func (t *Tree) ReadHead(name string, buf []byte) (n int, size int64, err error) {
	if err := t.valid(name); err != nil {
		return 0, 0, pathError("open", name, err)
	}
	for tries := 1; ; tries++ {
		n, st, err := t.back.readHead(name, buf)
		if err == nil {
			err = t.single(name, st)
		}
		if err == nil {
			return n, st.size, nil
		}
		clear(buf[:n])
		if !errors.Is(err, ErrChanged) || tries == maxTries {
			return 0, st.size, pathError("open", name, err)
		}
	}
}

// ReadFile returns the content of a regular file of at most limit bytes.
func (t *Tree) ReadFile(name string, limit int64) ([]byte, error) {
	var head [1]byte
	_, size, err := t.ReadHead(name, head[:0])
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, pathError("read", name, ErrTooLarge)
	}
	// One byte more than the file had: a file that grows meanwhile shows.
	buf := make([]byte, size+1)
	for {
		n, _, err := t.ReadHead(name, buf)
		switch {
		case err != nil:
			return nil, err
		case n < len(buf):
			return buf[:n], nil
		case int64(len(buf)) > limit:
			return nil, pathError("read", name, ErrTooLarge)
		}
		buf = make([]byte, min(2*int64(len(buf)), limit+1))
	}
}

// Readlink returns the text of a link, with forward slashes.
func (t *Tree) Readlink(name string) (string, error) {
	if err := t.valid(name); err != nil {
		return "", pathError("readlink", name, err)
	}
	target, err := t.back.readlink(name)
	if err != nil {
		if typ, lerr := t.Lstat(name); lerr == nil && typ != Link {
			err = ErrNotLink
		}
		return "", pathError("readlink", name, err)
	}
	return slash(target), nil
}

func join(dir, name string) string {
	if name == "." || name == "" {
		return dir
	}
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

func below(dir, abs string) (string, bool) {
	if abs == dir {
		return ".", true
	}
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	rel, ok := strings.CutPrefix(abs, dir)
	return rel, ok && fs.ValidPath(rel)
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		// Below a file, or under a name that no file can have, there is nothing.
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
