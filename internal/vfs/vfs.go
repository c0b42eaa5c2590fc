// Package vfs provides all access to files that Vade did not write. A Tree is a readable directory.
// Paths cannot leave a tree, opening never follows symlinks, and only regular files can be read, by
// default only those with a single hard link.
//
// Within a tree, only [Tree.Resolve], [Tree.ResolveAlso] and a [View] follow symlinks. They read
// each symlink themselves, and its target must be in a tree that the symlink's tree allows.
package vfs

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// Reasons for not opening a path. Other errors are fs.ErrNotExist and fs.ErrPermission.
var (
	// ErrLink is returned if an element of the path is a symlink; see Tree.Resolve.
	ErrLink = errors.New("is a symlink")
	// ErrOutside is returned if the path, or a symlink in it, leads outside the allowed trees.
	ErrOutside = errors.New("outside the allowed directories")
	// ErrLoop is returned if the symlinks in the path form a loop.
	ErrLoop = errors.New("symlink loop")
	// ErrDirectory is returned if the path is a directory.
	ErrDirectory = errors.New("is a directory")
	// ErrNotRegular is returned if the path is a FIFO, a socket or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrHardLink is returned if the file has more than one hard link. Other links may be outside
	// the tree.
	ErrHardLink = errors.New("more than one hard link")
	// ErrTooLarge is returned if the file or directory exceeds the call's limit.
	ErrTooLarge = errors.New("too large")
	// ErrNotDirectory is returned if the path to list is not a directory.
	ErrNotDirectory = errors.New("not a directory")
	// ErrNotLink is returned by Readlink if the path is not a symlink.
	ErrNotLink = errors.New("not a symlink")
	// ErrChanged is returned if another file replaced this one while it was being opened.
	ErrChanged = errors.New("changed while being opened")
	// ErrBadName is returned if the system might resolve the name to a different file; see
	// CheckName.
	ErrBadName = errors.New("name has a special meaning on Windows")
	// ErrEncoding is returned if the path is not valid UTF-8. It wraps ErrOutside, because trees do
	// not contain such names.
	ErrEncoding error = encodingError{}
)

// Type is the type of a directory entry.
type Type uint8

// The entry types.
const (
	File Type = iota
	Dir
	Link
	Other
)

// Entry is an entry in a directory.
type Entry struct {
	Name string
	Type Type
}

// Tree is a directory and everything below it. Names are relative and slash-separated, and "." is
// the directory itself. A Tree is safe for concurrent use.
type Tree struct {
	dir, real string
	back      backend
	allow     []*Tree
	hardLinks bool
	// opened is when the tree was opened, in nanoseconds; see single.
	opened int64
}

// backend provides access to a tree. Its methods do not follow symlinks in name: they return
// ErrLink if an element before the last is a symlink. All methods except info and readlink also
// return ErrLink if the last element is a symlink.
type backend interface {
	readDir(name string, limit int) (entries []Entry, more bool, err error)
	// readHead fills buf from the start of the file.
	readHead(name string, buf []byte) (n int, st stat, err error)
	// openFile opens only regular files. It does not open anything else, even briefly.
	openFile(name string) (fs.File, error)
	info(name string) (*Info, error)
	// readDirInfo is like readDir but returns each entry's info. It omits entries that disappear
	// while it reads the directory.
	readDirInfo(name string, limit int) (infos []*Info, more bool, err error)
	readlink(name string) (string, error)
	close() error
}

// Options configures a tree.
type Options struct {
	// If HardLinks is set, files with multiple hard links can be read. It is meant for the user's
	// trees, where package managers may create hard links.
	HardLinks bool
}

// Open returns the tree for an existing directory. dir is absolute and may contain symlinks.
func Open(dir string, o Options) (*Tree, error) {
	back, real, err := openOS(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{dir: slash(dir), real: real, back: back, hardLinks: o.HardLinks, opened: time.Now().UnixNano()}
	t.allow = []*Tree{t}
	return t, nil
}

// OpenVolume returns the tree for the whole volume that contains an absolute path: "/", or a
// Windows drive. Files with multiple hard links cannot be read, and devices are never opened.
func OpenVolume(abs string) (*Tree, error) {
	top, _ := splitTop(slash(abs))
	t, err := Open(top, Options{})
	if err == nil {
		t.back = checkedBackend{t.back}
	}
	return t, err
}

// checkedBackend checks a file's type before it opens the file to read its beginning. This is
// slower, but opening a device could have side effects.
type checkedBackend struct{ backend }

func (b checkedBackend) readHead(name string, buf []byte) (int, stat, error) {
	f, err := b.openFile(name)
	return headOf(f, err, buf)
}

// FromFS returns a tree for fsys. name is the prefix of displayed paths and must be unique.
func FromFS(fsys fs.FS, name string) *Tree {
	t := &Tree{dir: name, real: name, back: fsBackend{fsys}, hardLinks: true}
	t.allow = []*Tree{t}
	return t
}

// Allow lets symlinks in t point to other trees as well.
func (t *Tree) Allow(others ...*Tree) { t.allow = append(t.allow, others...) }

// Close closes the tree.
func (t *Tree) Close() error { return t.back.close() }

// Dir returns the slash-separated path with which the tree was opened.
func (t *Tree) Dir() string { return t.dir }

// Real returns the path of the tree's directory with symlinks resolved. Unlike [Tree.Dir], it is
// the same however the directory was reached.
func (t *Tree) Real() string { return t.real }

// Path returns the absolute path of the file called name. It starts with the result of [Tree.Dir].
func (t *Tree) Path(name string) string { return join(t.dir, name) }

// RealPath returns the absolute path of the file called name. It starts with the result of
// [Tree.Real].
func (t *Tree) RealPath(name string) string { return join(t.real, name) }

// Rel converts an absolute path that is below [Tree.Dir] or [Tree.Real] to a name in the tree. It
// returns false for any other path.
func (t *Tree) Rel(abs string) (string, bool) {
	for _, dir := range [...]string{t.real, t.dir} {
		if rel, ok := below(dir, abs); ok {
			return rel, true
		}
	}
	return "", false
}

type encodingError struct{}

func (encodingError) Error() string { return "name is not valid UTF-8" }

func (encodingError) Unwrap() error { return ErrOutside }

// valid returns an error if a name in the tree must not be passed to the system.
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

// ReadDir returns at most limit entries in a directory, sorted by name. more
// reports whether it omitted any.
func (t *Tree) ReadDir(name string, limit int) (entries []Entry, more bool, err error) {
	entries, more, err = t.ReadDirUnsorted(name, limit)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, more, err
}

// ReadDirUnsorted is like [Tree.ReadDir] but returns the entries in file system order.
func (t *Tree) ReadDirUnsorted(name string, limit int) (entries []Entry, more bool, err error) {
	if err := t.valid(name); err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	entries, more, err = t.back.readDir(name, limit)
	return entries, more, pathError("readdir", name, err)
}

// ReadHead fills buf with the beginning of a regular file. It returns the number of bytes read and
// the size of the file. It returns an error for symlinks, directories, FIFOs and devices and,
// unless [Options.HardLinks] is set, for files with more than one hard link.
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

// ReadFile returns the content of a regular file with at most limit bytes.
func (t *Tree) ReadFile(name string, limit int64) ([]byte, error) {
	var head [1]byte
	_, size, err := t.ReadHead(name, head[:0])
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, pathError("read", name, ErrTooLarge)
	}
	// Read one more byte than the file's size, to detect a file that grows while it is read.
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

// Readlink returns a symlink's target, slash-separated.
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

// WithoutPath returns the cause of an *fs.PathError, for messages that already
// name the path. It returns other errors unchanged.
func WithoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	err = WithoutPath(err)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		// A path below a regular file, or one that is too long, does not exist.
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
