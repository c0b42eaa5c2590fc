package vfs

import (
	"io/fs"
	"path"
)

// fsBackend reads from an fs.FS that was passed to [FromFS].
type fsBackend struct{ fsys fs.FS }

func (b fsBackend) close() error { return nil }

func (b fsBackend) readDir(name string, limit int) ([]Entry, bool, error) {
	list, err := fs.ReadDir(b.fsys, name)
	return limited(list, err, limit)
}

func (b fsBackend) readHead(name string, buf []byte) (int, stat, error) {
	f, err := b.fsys.Open(name)
	return headOf(f, err, buf)
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

func (b fsBackend) info(name string) (*Info, error) { return describe(fs.Lstat(b.fsys, name)) }

func (b fsBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	entries, more, err := b.readDir(name, limit)
	if err != nil {
		return nil, false, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return infosOf(names, more, func(n string) (*Info, error) { return b.info(path.Join(name, n)) })
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
