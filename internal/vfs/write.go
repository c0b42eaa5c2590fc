package vfs

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrExists is returned if the file to create already exists.
var ErrExists = errors.New("already exists")

// ErrBusy is returned if another process holds the lock.
var ErrBusy = errors.New("in use by another process")

// ErrReadOnly is returned if the tree is not backed by a directory on disk.
var ErrReadOnly = errors.New("read-only")

// errNoLocks is returned if the system or file system does not support locks that are released when
// the process ends.
var errNoLocks = errors.New("file locks are not supported")

// The prefix and suffix of the names of temporary files. A file keeps such a name until it is
// complete and is renamed.
const temporaryPrefix, temporarySuffix = ".vade-sync-", ".tmp"

// WriterOptions configures a [Writer].
type WriterOptions struct {
	// Before is called before each file system change with the operation (create, write, rename,
	// remove, symlink, mkdir, rmdir, chmod) and the name. Its error is treated like a system error.
	// Tests use it to check what remains after a failure or crash.
	Before func(change, name string) error
}

// Writer changes files below a tree's directory. Every change is atomic for readers: a file has
// either its old or its new content. A Writer does not follow symlinks in a name or write outside
// the directory, and it removes files only if they have the content that the caller expects. If the
// process is killed, temporary files may remain; [Writer.Sweep] removes them.
type Writer struct {
	root   *os.Root
	before func(change, name string) error
}

// Writer returns a writer for the tree's directory. The caller must close it.
// If the tree is not backed by a directory on disk, Writer returns [ErrReadOnly].
func (t *Tree) Writer(o WriterOptions) (*Writer, error) {
	if _, foreign := t.back.(fsBackend); foreign {
		return nil, ErrReadOnly
	}
	root, err := os.OpenRoot(filepath.FromSlash(t.real))
	if err != nil {
		return nil, err
	}
	return &Writer{root: root, before: o.Before}, nil
}

// Close closes the writer.
func (w *Writer) Close() error { return w.root.Close() }

// isNewName reports whether a tree allows creating files with the given name.
func isNewName(name string) bool {
	return fs.ValidPath(name) && name != "." && CheckName(name) == nil && !IsGit(name) && !strings.Contains(name, `\`)
}

// in opens the directory that contains name, and calls do with that directory and the last element
// of name.
func (w *Writer) in(op, name string, do func(dir *os.Root, last string) error) error {
	if !isNewName(name) {
		return pathError(op, name, ErrOutside)
	}
	return w.at(op, name, do)
}

func (w *Writer) at(op, name string, do func(dir *os.Root, last string) error) error {
	dir, last, err := rootBackend{w.root}.descend(name)
	if err != nil {
		return pathError(op, name, err)
	}
	defer dir.Close()
	return pathError(op, name, do(dir, last))
}

func (w *Writer) may(change, name string) error {
	if w.before == nil {
		return nil
	}
	return w.before(change, name)
}

// Mkdir creates a directory in an existing directory.
func (w *Writer) Mkdir(name string) error {
	return w.in("mkdir", name, func(dir *os.Root, last string) error {
		if err := w.may("mkdir", name); err != nil {
			return err
		}
		return dir.Mkdir(last, 0o755)
	})
}

// MkdirParents creates the missing directories above a name. It returns the
// directories that it created, even if it fails.
func (w *Writer) MkdirParents(name string) (made []string, err error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		switch err := w.Mkdir(name[:i]); {
		case err == nil:
			made = append(made, name[:i])
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	return made, nil
}

// Create creates a file together with its full content. If the name exists, it returns [ErrExists].
func (w *Writer) Create(name string, data []byte, executable bool) error {
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	return w.create(name, data, mode)
}

// CreatePrivate is like [Writer.Create] but gives only the owner access to the file.
func (w *Writer) CreatePrivate(name string, data []byte, executable bool) error {
	mode := fs.FileMode(0o600)
	if executable {
		mode = 0o700
	}
	return w.create(name, data, mode)
}

func (w *Writer) create(name string, data []byte, mode fs.FileMode) error {
	return w.in("create", name, func(dir *os.Root, last string) error {
		if _, err := dir.Lstat(last); err == nil {
			return ErrExists
		}
		return w.place(dir, name, data, mode, nil)
	})
}

// Replace replaces a file's content with after. The current content must equal before. The file
// keeps its permissions except for the execute bits. Replace returns the same errors as
// [Tree.Replace].
func (w *Writer) Replace(name string, before, after []byte, executable bool) error {
	return w.in("replace", name, func(dir *os.Root, last string) error {
		return w.replace(dir, name, before, after, func(mode fs.FileMode) fs.FileMode {
			if !executable {
				return mode &^ 0o111
			}
			return mode | mode>>2&0o111
		})
	})
}

func (w *Writer) replace(dir *os.Root, name string, before, after []byte, rights func(fs.FileMode) fs.FileMode) error {
	look := func() (fs.FileMode, error) { return holds(dir, path.Base(name), before) }
	mode, err := look()
	if err != nil {
		return err
	}
	return w.place(dir, name, after, rights(mode.Perm()), func() error {
		// Check again, because writing takes time.
		_, err := look()
		return err
	})
}

// place writes data to a temporary file and renames the file to name. If ready is nil, name must
// not exist. Otherwise, place calls ready before it renames the file, and replaces an existing file
// only if ready returns nil.
func (w *Writer) place(dir *os.Root, name string, data []byte, mode fs.FileMode, ready func() error) error {
	var random [8]byte
	rand.Read(random[:])
	temporary, last := temporaryPrefix+hex.EncodeToString(random[:])+temporarySuffix, path.Base(name)
	if err := w.may("create", name); err != nil {
		return err
	}
	first := mode
	if ready != nil {
		first = 0o600
	}
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return err
	}
	if err = w.may("write", name); err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil && ready != nil {
		if err = w.may("chmod", name); err == nil {
			err = dir.Chmod(temporary, mode)
		}
		if err == nil {
			err = ready()
		}
	}
	if err == nil {
		err = w.may("rename", name)
	}
	switch {
	case err != nil:
	case ready == nil:
		err = renameNew(dir, temporary, last)
	default:
		err = dir.Rename(temporary, last)
	}
	if err != nil && w.may("remove", name) == nil {
		_ = dir.Remove(temporary)
	}
	return err
}

// renameAfterCheck renames a file unless the new name exists. It is not atomic.
func renameAfterCheck(dir *os.Root, from, to string) error {
	if _, err := dir.Lstat(to); err == nil {
		return ErrExists
	}
	return dir.Rename(from, to)
}

// holds returns the file's mode, or an error unless name is a regular file with
// a single hard link and the given content.
func holds(dir *os.Root, name string, content []byte) (fs.FileMode, error) {
	f, err := rootBackend{dir}.openFile(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if st, _ := sysInfo(info); st.links > 1 {
		return 0, ErrHardLink
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	if err == nil && !bytes.Equal(data, content) {
		err = ErrChanged
	}
	return info.Mode(), err
}

// Replace atomically replaces the content of a regular file with after. The current content must
// equal before. The file keeps its permissions. Replace fails without making changes if the path
// contains a symlink ([ErrLink]), the file has another hard link ([ErrHardLink]), or the content
// differs ([ErrChanged]). Nothing outside the tree is written.
func (t *Tree) Replace(name string, before, after []byte) error {
	return t.write("replace", name, func(w *Writer) error {
		return w.at("replace", name, func(dir *os.Root, _ string) error {
			return w.replace(dir, name, before, after, func(mode fs.FileMode) fs.FileMode { return mode })
		})
	})
}

// Change atomically replaces, creates or removes a file. before and after are the file's old and
// new content, or nil if the file does not exist. If removeDir is set, removing the file also
// removes its directory if the directory is then empty. Change returns the same errors as
// [Tree.Replace], and [ErrExists].
func (t *Tree) Change(name string, before, after []byte, removeDir bool) error {
	if before != nil && after != nil {
		return t.Replace(name, before, after)
	}
	return t.write("write", name, func(w *Writer) error {
		if after != nil {
			if _, err := w.MkdirParents(name); err != nil {
				return err
			}
			return w.Create(name, after, false)
		}
		err := w.Remove(name, before)
		if dir := path.Dir(name); err == nil && removeDir && dir != "." {
			// This intentionally fails if the directory is not empty.
			_ = w.RemoveDir(dir)
		}
		return err
	})
}

// write calls do with a writer for the tree. name may be any valid name in the tree.
func (t *Tree) write(op, name string, do func(*Writer) error) error {
	err := t.valid(name)
	var w *Writer
	if err == nil {
		w, err = t.Writer(WriterOptions{})
	}
	if err != nil {
		return pathError(op, name, err)
	}
	defer w.Close()
	return do(w)
}

// Put atomically writes a file and creates missing directories. An existing regular file is
// replaced and keeps its permissions. Put fails without making changes if an element of the path,
// including the last, is a symlink ([ErrLink]) or if name is not a file ([ErrDirectory],
// [ErrNotRegular]). Nothing outside the tree is written.
func (t *Tree) Put(name string, content []byte) error {
	return t.write("write", name, func(w *Writer) error {
		// Create missing directories from the top down. Each step fails if a directory on the path
		// is a symlink.
		for i := range len(name) {
			if name[i] != '/' {
				continue
			}
			err := w.at("mkdir", name[:i], func(dir *os.Root, last string) error {
				seen, err := dir.Lstat(last)
				switch {
				case errors.Is(err, fs.ErrNotExist):
					return dir.Mkdir(last, 0o755)
				case err == nil && seen.Mode()&fs.ModeSymlink == 0 && !seen.IsDir():
					return ErrNotDirectory
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return w.at("write", name, func(dir *os.Root, last string) error {
			seen, err := dir.Lstat(last)
			if errors.Is(err, fs.ErrNotExist) {
				return w.place(dir, name, content, 0o644, nil)
			}
			if err == nil {
				err = regular(seen.Mode())
			}
			if err != nil {
				return err
			}
			return w.place(dir, name, content, seen.Mode().Perm(), func() error {
				now, err := dir.Lstat(last)
				if err == nil && !os.SameFile(seen, now) {
					err = ErrChanged
				}
				return err
			})
		})
	})
}

// Remove deletes a file if its content equals before.
func (w *Writer) Remove(name string, before []byte) error {
	return w.in("remove", name, func(dir *os.Root, last string) error {
		if _, err := holds(dir, last, before); err != nil {
			return err
		}
		if err := w.may("remove", name); err != nil {
			return err
		}
		return dir.Remove(last)
	})
}

// Symlink creates a symlink. target is slash-separated, relative to the symlink's directory, and
// written unchanged. Symlink returns [ErrExists] if the name exists. If symlinks are not available,
// the error satisfies [SymlinksUnsupported].
func (w *Writer) Symlink(target, name string) error {
	return w.in("symlink", name, func(dir *os.Root, last string) error {
		if err := w.may("symlink", name); err != nil {
			return err
		}
		err := dir.Symlink(filepath.FromSlash(target), last)
		if errors.Is(err, fs.ErrExist) {
			return ErrExists
		}
		return err
	})
}

// SymlinksUnsupported reports whether an error from [Writer.Symlink] means that symlinks cannot be
// created here, because the file system does not support them or the user may not create them.
func SymlinksUnsupported(err error) bool {
	if err == nil || errors.Is(err, ErrExists) || errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported) || lacksSymlinkRight(err)
}

// Unlink deletes the symlink called name if it points to target.
func (w *Writer) Unlink(name, target string) error {
	return w.in("unlink", name, func(dir *os.Root, last string) error {
		seen, err := dir.Readlink(last)
		if err != nil {
			return err
		}
		if slash(seen) != target {
			return ErrChanged
		}
		if err := w.may("remove", name); err != nil {
			return err
		}
		return dir.Remove(last)
	})
}

// RemoveDir deletes an empty directory.
func (w *Writer) RemoveDir(name string) error {
	return w.in("rmdir", name, func(dir *os.Root, last string) error {
		info, err := dir.Lstat(last)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return ErrLink
		case !info.IsDir():
			return ErrNotDirectory
		}
		if err := w.may("rmdir", name); err != nil {
			return err
		}
		return dir.Remove(last)
	})
}

// Sweep deletes temporary files that a killed process left in a directory, and
// returns how many it deleted.
func (w *Writer) Sweep(name string) (int, error) {
	n := 0
	err := w.in("sweep", path.Join(name, temporaryPrefix), func(dir *os.Root, _ string) error {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		names, err := f.Readdirnames(-1)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		for _, last := range names {
			if !IsTemporary(last) {
				continue
			}
			if info, err := dir.Lstat(last); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := w.may("remove", name); err != nil {
				return err
			}
			if err := dir.Remove(last); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// IsTemporary reports whether name could be a [Writer]'s temporary file, which may remain if a
// process is killed.
func IsTemporary(name string) bool {
	middle, ok := strings.CutPrefix(name, temporaryPrefix)
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, temporarySuffix)
	return ok && len(middle) == 16 && strings.Trim(middle, "0123456789abcdef") == ""
}

// Lock locks the directory against other processes that call Lock, until
// release is called or the process ends. It returns [ErrBusy] if another
// process holds the lock. On a system without such locks, it always succeeds.
func (t *Tree) Lock() (release func(), err error) {
	w, err := t.Writer(WriterOptions{})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if release, err = lockDir(w.root, filepath.FromSlash(t.real), lockFile); errors.Is(err, errNoLocks) {
		return func() {}, nil
	}
	return release, err
}

// WaitLock retries lock while another process holds the lock. After the given time, it returns
// [ErrBusy]. If ctx ends first, it returns ctx's error.
func WaitLock(ctx context.Context, most time.Duration, lock func() (release func(), err error)) (release func(), err error) {
	const pause = 20 * time.Millisecond
	for end := time.Now().Add(most); ; {
		if release, err = lock(); !errors.Is(err, ErrBusy) || time.Now().After(end) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// LockFile is like [Tree.Lock] but locks a file against other programs that call flock(2) on it. It
// does nothing if the file is missing.
func (t *Tree) LockFile(name string) (release func(), err error) {
	release = func() {}
	err = t.write("lock", name, func(w *Writer) error {
		f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		held, err := flock(f)
		if err == nil {
			release = held
		} else if errors.Is(err, errNoLocks) {
			err = nil
		}
		return err
	})
	return release, err
}
