package vfs

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// Handle is a regular file opened for reading. The caller must close it. It is
// not safe for concurrent use.
type Handle struct{ file fs.File }

// OpenFile opens a regular file for reading in chunks. Like ReadHead, it rejects anything else. It
// checks the type without opening the file, so it never opens a device.
func (t *Tree) OpenFile(name string) (*Handle, error) {
	if err := t.valid(name); err != nil {
		return nil, pathError("open", name, err)
	}
	for tries := 1; ; tries++ {
		f, err := t.openOnce(name)
		if err == nil {
			return &Handle{f}, nil
		}
		if !errors.Is(err, ErrChanged) || tries == maxTries {
			return nil, pathError("open", name, err)
		}
	}
}

func (t *Tree) openOnce(name string) (fs.File, error) {
	f, err := t.back.openFile(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = t.single(name, infoOf(info).stat)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read implements io.Reader.
func (h *Handle) Read(p []byte) (int, error) { return h.file.Read(p) }

// ReadAt implements io.ReaderAt. It returns errors.ErrUnsupported if the underlying file does not
// support it.
func (h *Handle) ReadAt(p []byte, at int64) (int, error) {
	r, ok := h.file.(io.ReaderAt)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return r.ReadAt(p, at)
}

// Stat returns the file's current properties.
func (h *Handle) Stat() (fs.FileInfo, error) {
	stat, err := h.file.Stat()
	if err != nil {
		return nil, err
	}
	return infoOf(stat), nil
}

// Close closes the file.
func (h *Handle) Close() error { return h.file.Close() }

// nullFile is an empty regular file. It represents /dev/null.
type nullFile struct{}

func (nullFile) Read([]byte) (int, error) { return 0, io.EOF }

func (nullFile) Close() error { return nil }

func (nullFile) Stat() (fs.FileInfo, error) {
	return &Info{name: "null", mode: 0o666, stat: stat{links: 1}, modified: time.Unix(0, 0)}, nil
}
