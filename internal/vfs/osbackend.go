package vfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rootBackend reads a directory through os.Root. It works on every system, but
// Linux has a faster backend.
type rootBackend struct{ root *os.Root }

func openOS(dir string) (backend, string, error) {
	real, err := filepath.EvalSymlinks(filepath.FromSlash(dir))
	if err != nil {
		return nil, "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, "", err
	}
	if fast, err := openFast(real); fast != nil || err != nil {
		return fast, slash(real), err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, "", err
	}
	return rootBackend{root}, slash(real), nil
}

func (b rootBackend) close() error { return b.root.Close() }

// descend opens the directory that contains name's last element, one element at a time. os.Root
// keeps a path inside the tree but follows symlinks. descend requires each element to be a
// directory, so replacing a directory with a symlink cannot redirect the path to a different file
// in the tree.
func (b rootBackend) descend(name string) (dir *os.Root, last string, err error) {
	if dir, err = b.root.OpenRoot("."); err != nil {
		return nil, "", err
	}
	for {
		element, rest, more := strings.Cut(name, "/")
		if !more {
			return dir, element, nil
		}
		sub, err := child(dir, element)
		dir.Close()
		if err != nil {
			return nil, "", err
		}
		dir, name = sub, rest
	}
}

func child(dir *os.Root, element string) (*os.Root, error) {
	seen, err := dir.Lstat(element)
	switch {
	case err != nil:
		return nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, ErrLink
	case !seen.IsDir():
		return nil, fs.ErrNotExist
	}
	sub, err := dir.OpenRoot(element)
	if err != nil {
		return nil, err
	}
	opened, err := sub.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrChanged
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// openFile opens a regular file. If the file is swapped for a device after the check, openFile
// opens the device in nonblocking mode and immediately closes it.
func (b rootBackend) openFile(name string) (fs.File, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	seen, err := dir.Lstat(last)
	if err != nil {
		return nil, err
	}
	if err := regular(seen.Mode()); err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(last, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (b rootBackend) info(name string) (*Info, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return describe(dir.Lstat(last))
}

func (b rootBackend) readlink(name string) (string, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	return dir.Readlink(last)
}

func (b rootBackend) openDir(name string) (*os.Root, *os.File, error) {
	parent, last, err := b.descend(name)
	if err != nil {
		return nil, nil, err
	}
	defer parent.Close()
	dir, err := child(parent, last)
	if err != nil {
		return nil, nil, err
	}
	f, err := dir.Open(".")
	if err != nil {
		dir.Close()
	}
	return dir, f, err
}

func (b rootBackend) readDir(name string, limit int) ([]Entry, bool, error) {
	dir, f, err := b.openDir(name)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	defer f.Close()
	list, err := f.ReadDir(limit + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return limited(list, err, limit)
}

func (b rootBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	dir, f, err := b.openDir(name)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	defer f.Close()
	return readInfos(f, limit, func(n string) (*Info, error) { return describe(dir.Lstat(n)) })
}

func (b rootBackend) readHead(name string, buf []byte) (int, stat, error) {
	f, err := b.openFile(name)
	return headOf(f, err, buf)
}

// limited returns the first limit entries in list and reports whether it omitted any.
func limited(list []fs.DirEntry, err error, limit int) ([]Entry, bool, error) {
	if err != nil {
		return nil, false, err
	}
	more := len(list) > limit
	if more {
		list = list[:limit]
	}
	entries := make([]Entry, len(list))
	for i, e := range list {
		entries[i] = Entry{Name: e.Name(), Type: typeOf(e.Type())}
	}
	return entries, more, nil
}

// readInfos returns the sorted infos for the entries in an open directory.
func readInfos(f *os.File, limit int, lstat func(string) (*Info, error)) ([]*Info, bool, error) {
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	more := len(names) > limit
	if more {
		names = names[:limit]
	}
	return infosOf(names, more, lstat)
}

func infosOf(names []string, more bool, lstat func(string) (*Info, error)) ([]*Info, bool, error) {
	infos := make([]*Info, 0, len(names))
	for _, n := range names {
		info, err := lstat(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b *Info) int { return cmp.Compare(a.name, b.name) })
	return infos, more, nil
}

func describe(info fs.FileInfo, err error) (*Info, error) {
	if err != nil {
		return nil, err
	}
	return infoOf(info), nil
}

// headOf reads the beginning of an open file into buf and closes the file. If err is not nil, it
// returns err.
func headOf(f fs.File, err error, buf []byte) (int, stat, error) {
	if err != nil {
		return 0, stat{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return 0, stat{}, err
	}
	st, _ := sysInfo(info)
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, st, err
}

func regular(m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return nil
	case m&fs.ModeSymlink != 0:
		return ErrLink
	case m.IsDir():
		return ErrDirectory
	}
	return ErrNotRegular
}

func slash(p string) string { return filepath.ToSlash(p) }

// IsAbs reports whether a slash-separated path is absolute on this system.
func IsAbs(p string) bool {
	return strings.HasPrefix(p, "/") || filepath.IsAbs(filepath.FromSlash(p))
}
