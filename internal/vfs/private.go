package vfs

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// privateTemporary begins the names of files that are still being written.
	privateTemporary = ".tmp-"
	// leftoverAge is the age after which an unfinished file belongs to a process
	// that is gone.
	leftoverAge = time.Hour
	// maxPrivate is how many files of a private directory are looked at.
	maxPrivate = 100_000
)

// PrivateDir is an open directory of the user alone: caches and other state that
// no project can reach. Files are replaced in one step, so that it may be used by
// many goroutines and processes. The caller closes it.
type PrivateDir struct {
	root *os.Root
	dir  string
}

// OpenPrivate opens an existing directory, given by its absolute path. It fails
// with fs.ErrNotExist where there is none, and with an [*OwnerError] where it is
// not a real directory of the user alone, or where somebody else could replace it.
// As with [UserOnly], owners and rights are not checked on Windows.
func OpenPrivate(dir string) (*PrivateDir, error) {
	info, err := os.Lstat(filepath.FromSlash(dir))
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &OwnerError{dir, "is a symbolic link", "put a real directory in its place"}
	case !info.IsDir():
		return nil, &OwnerError{dir, "is not a directory", "move the file away"}
	}
	if err := private(dir, info); err != nil {
		return nil, err
	}
	if err := UserOnly(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, pathError("open", dir, ErrChanged)
	}
	return &PrivateDir{root, dir}, nil
}

// MakePrivate is [OpenPrivate] for a directory that is created where it is missing.
// Nothing is created where somebody else could change what leads there.
func MakePrivate(dir string) (*PrivateDir, error) {
	if !IsAbs(slash(dir)) {
		return nil, pathError("mkdir", dir, errors.New("is not an absolute path"))
	}
	for _, above := range Ancestors(dir) {
		_, err := os.Lstat(filepath.FromSlash(above))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = UserOnly(above)
		}
		if err == nil {
			err = os.MkdirAll(filepath.FromSlash(dir), 0o700)
		}
		if err != nil {
			return nil, err
		}
		break
	}
	return OpenPrivate(dir)
}

// Close closes the directory.
func (d *PrivateDir) Close() error { return d.root.Close() }

// Read returns the content of a file of at most limit bytes. It fails where the
// file is not a regular one of the user alone.
func (d *PrivateDir) Read(name string, limit int64) ([]byte, error) {
	seen, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(seen.Mode()); err != nil {
		return nil, pathError("open", name, err)
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Another file may have its name by now: the one that is open is judged.
	info, err := f.Stat()
	if err == nil {
		err = regular(info.Mode())
	}
	if err == nil {
		err = private(path.Join(slash(d.dir), name), info)
	}
	if err != nil {
		return nil, err
	}
	data := make([]byte, min(info.Size(), limit)+1)
	n, err := io.ReadFull(f, data)
	switch {
	case int64(n) > limit:
		return nil, pathError("read", name, ErrTooLarge)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = nil
	}
	return data[:n], err
}

// Write creates a file or replaces it, in one step. With durable it returns when
// the content is on the disk.
func (d *PrivateDir) Write(name string, data []byte, durable bool) error {
	var random [12]byte
	rand.Read(random[:])
	temporary := privateTemporary + hex.EncodeToString(random[:])
	f, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(temporary, name)
	}
	if err != nil {
		_ = d.root.Remove(temporary)
		return err
	}
	if durable {
		return d.sync()
	}
	return nil
}

// Remove removes a file for good.
func (d *PrivateDir) Remove(name string) error {
	if err := d.root.Remove(name); err != nil {
		return err
	}
	return d.sync()
}

// sync puts the names of the directory on the disk, where the system can.
func (d *PrivateDir) sync() error {
	if windows {
		return nil
	}
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Names returns the names of what is in the directory, sorted, but for files that
// are still being written. more says that there were too many to return.
func (d *PrivateDir) Names() (names []string, more bool, err error) {
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	names, err = dir.Readdirnames(maxPrivate + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	more = len(names) > maxPrivate
	names = slices.DeleteFunc(names[:min(len(names), maxPrivate)], func(n string) bool { return strings.HasPrefix(n, privateTemporary) })
	slices.Sort(names)
	return names, more, nil
}

// Sweep removes what killed processes have left unfinished, and the oldest files
// where there are more than files or they hold more than size bytes; 0 is no
// bound. What cannot be removed stays: it costs only its space.
func (d *PrivateDir) Sweep(files int, size int64) {
	dir, err := d.root.Open(".")
	if err != nil {
		return
	}
	infos, err := dir.Readdir(maxPrivate)
	dir.Close()
	if err != nil && len(infos) == 0 {
		return
	}
	total := int64(0)
	infos = slices.DeleteFunc(infos, func(info fs.FileInfo) bool {
		temporary := strings.HasPrefix(info.Name(), privateTemporary)
		if temporary && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftoverAge {
			_ = d.root.Remove(info.Name())
		}
		if temporary || !info.Mode().IsRegular() {
			return true
		}
		total += info.Size()
		return false
	})
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for len(infos) > 0 && (files > 0 && len(infos) > files || size > 0 && total > size) {
		if d.root.Remove(infos[0].Name()) != nil {
			return
		}
		total -= infos[0].Size()
		infos = infos[1:]
	}
}
