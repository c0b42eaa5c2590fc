package vfs

import (
	"errors"
	"io"
	"io/fs"
	"path"
)

// fsBackend reads a file system that the program brought itself.
type fsBackend struct{ fsys fs.FS }

func (b fsBackend) close() error { return nil }

func (b fsBackend) readDir(name string, limit int) ([]Entry, bool, error) {
	list, err := fs.ReadDir(b.fsys, name)
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

func (b fsBackend) readHead(name string, buf []byte) (int, stat, error) {
	f, err := b.fsys.Open(name)
	if err != nil {
		return 0, stat{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, stat{}, err
	}
	switch typeOf(info.Mode().Type()) {
	case Dir:
		return 0, stat{}, ErrDirectory
	case Other, Link:
		return 0, stat{}, ErrNotRegular
	}
	st := stat{size: info.Size(), links: 1}
	if len(buf) == 0 {
		return 0, st, nil
	}
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, st, err
}

func (b fsBackend) openFile(name string) (fs.File, error) {
	seen, err := fs.Lstat(b.fsys, name)
	if err != nil {
		return nil, err
	}
	if err := regular(seen.Mode()); err != nil {
		return nil, err
	}
	return b.fsys.Open(name)
}

func (b fsBackend) info(name string) (*Info, error) {
	info, err := fs.Lstat(b.fsys, name)
	if err != nil {
		return nil, err
	}
	return infoOf(info), nil
}

func (b fsBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	entries, more, err := b.readDir(name, limit)
	if err != nil {
		return nil, false, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	lstat := func(n string) (fs.FileInfo, error) { return fs.Lstat(b.fsys, path.Join(name, n)) }
	return describe(names, lstat, more)
}

func (b fsBackend) lstat(name string) (Type, error) {
	info, err := fs.Lstat(b.fsys, name)
	if err != nil {
		return Other, err
	}
	return typeOf(info.Mode().Type()), nil
}

func (b fsBackend) readlink(name string) (string, error) { return fs.ReadLink(b.fsys, name) }

func typeOf(m fs.FileMode) Type {
	switch {
	case m.IsRegular():
		return File
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
