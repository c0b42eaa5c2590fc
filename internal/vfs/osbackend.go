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

// rootBackend reads a directory through os.Root. It is what every system has;
// Linux has a faster one.
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

// plain reports whether name is reached without a link. Between this look and
// the opening a link may be put in its place; os.Root then keeps it inside the
// tree.
func (b rootBackend) plain(name string) (fs.FileInfo, error) {
	for i := 0; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		info, err := b.root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, ErrLink
		}
	}
	return b.root.Lstat(filepath.FromSlash(name))
}

func (b rootBackend) readDir(name string, limit int) ([]Entry, bool, error) {
	if info, err := b.plain(name); err != nil {
		return nil, false, err
	} else if info.Mode()&fs.ModeSymlink != 0 {
		return nil, false, ErrLink
	}
	f, err := b.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	return readEntries(f, limit)
}

func readEntries(f *os.File, limit int) ([]Entry, bool, error) {
	list, err := f.ReadDir(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
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
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, more, nil
}

func (b rootBackend) readHead(name string, buf []byte) (int, stat, error) {
	info, err := b.plain(name)
	if err != nil {
		return 0, stat{}, err
	}
	if err := regular(info.Mode()); err != nil {
		return 0, stat{}, err
	}
	f, err := b.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return 0, stat{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return 0, stat{}, err
	}
	if err := regular(info.Mode()); err != nil {
		return 0, stat{}, err
	}
	st, _ := facts(info)
	if len(buf) == 0 {
		return 0, st, nil
	}
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

func (b rootBackend) lstat(name string) (Type, error) {
	info, err := b.plain(name)
	if err != nil {
		return Other, err
	}
	return typeOf(info.Mode().Type()), nil
}

func slash(p string) string { return filepath.ToSlash(p) }

func isAbs(p string) bool {
	return strings.HasPrefix(p, "/") || filepath.IsAbs(filepath.FromSlash(p))
}
