package vfs

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// Handle is a regular file that is open for reading from its start. The caller
// closes it. It is not for several goroutines at once.
type Handle struct{ file fs.File }

// OpenFile opens a regular file to be read in parts. As with ReadHead nothing
// else is opened; a device is looked at without being opened at all.
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

// Read reads on, as an io.Reader does.
func (h *Handle) Read(p []byte) (int, error) { return h.file.Read(p) }

// Stat returns what the file is now.
func (h *Handle) Stat() (fs.FileInfo, error) {
	stat, err := h.file.Stat()
	if err != nil {
		return nil, err
	}
	return infoOf(stat), nil
}

// Close gives back what the handle holds.
func (h *Handle) Close() error { return h.file.Close() }

// nothing is an empty regular file: what /dev/null is to a reader.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

func (nothing) Close() error { return nil }

func (nothing) Stat() (fs.FileInfo, error) {
	return &Info{name: "null", mode: 0o666, stat: stat{links: 1}, modified: time.Unix(0, 0)}, nil
}
