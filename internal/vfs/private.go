package vfs

import (
	"bytes"
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
	// privateTemporary is the prefix for files that are still being written.
	privateTemporary = ".tmp-"
	// leftoverAge is the age at which an unfinished file is assumed to come from a process that is
	// no longer running.
	leftoverAge = time.Hour
	// maxPrivate is the maximum number of files read in a private directory.
	maxPrivate = 100_000
)

// PrivateDir is an open directory that only the user can access, for caches and other state that
// projects must not access. Files are replaced atomically, so a PrivateDir is safe for concurrent
// use by goroutines and processes. The caller must close it.
type PrivateDir struct {
	root *os.Root
	dir  string
}

// OpenPrivate opens an existing directory, given its absolute path. It returns fs.ErrNotExist if
// the directory is missing, and an [*OwnerError] if the directory is a symlink or if others can
// access or replace it. As with [UserOnly], owners and permissions are not checked on Windows.
func OpenPrivate(dir string) (*PrivateDir, error) {
	info, err := os.Lstat(filepath.FromSlash(dir))
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &OwnerError{dir, "is a symlink", "replace it with a directory"}
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

// MakePrivate is like [OpenPrivate] but creates the directory if it is missing. It fails if others
// could change the parent of a directory that it would create.
func MakePrivate(dir string) (*PrivateDir, error) {
	if !IsAbs(slash(dir)) {
		return nil, pathError("mkdir", dir, errors.New("not an absolute path"))
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

// Read returns the content of a file, which must be regular, accessible only to
// the user, and at most limit bytes long.
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
	// Check the open file, because the name may now refer to a different file.
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
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(f, limit+1))
	if int64(data.Len()) > limit {
		return nil, pathError("read", name, ErrTooLarge)
	}
	return data.Bytes(), err
}

// Write creates or replaces a file atomically. If durable is set, it returns
// only after the content is on disk.
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

// Remove deletes a file.
func (d *PrivateDir) Remove(name string) error {
	if err := d.root.Remove(name); err != nil {
		return err
	}
	return d.sync()
}

// sync flushes the directory to disk, if the system supports that.
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

// Names returns the sorted names of the files in the directory, except files that are still being
// written. more reports whether it omitted names because of a limit.
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
	names = slices.DeleteFunc(names[:min(len(names), maxPrivate)],
		func(n string) bool { return strings.HasPrefix(n, privateTemporary) })
	slices.Sort(names)
	return names, more, nil
}

// Sweep removes unfinished files left by killed processes. It then removes the oldest files until
// at most files of them remain and their total size is at most size bytes. A limit of 0 means no
// limit. Sweep ignores errors, because leftover files only use up space.
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
