package vfs

import (
	"bytes"
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
)

// ErrExists: something stands already where it was to be made.
var ErrExists = errors.New("is there already")

// ErrBusy: another process holds the lock.
var ErrBusy = errors.New("is in use by another process")

// ErrReadOnly: the tree is no directory of the operating system.
var ErrReadOnly = errors.New("can not be written")

// errNoLocks: the system, or the file system, has no locks that end with their process.
var errNoLocks = errors.New("has no locks")

// Temporary files are named so until they are put in place.
const temporaryBegin, temporaryEnd = ".vade-sync-", ".tmp"

// WriterOptions say how a [Writer] works.
type WriterOptions struct {
	// Before is called ahead of each single change of the file system with the
	// change (create, write, rename, remove, symlink, mkdir, rmdir, chmod)
	// and the name. Its error is taken for the system's. It is for trying what a
	// system that refuses, or a process that ends there, leaves behind.
	Before func(change, name string) error
}

// Writer changes what is below a tree's directory. Every change is one step for
// all who read: a file has its old content or its new one. No link in a name is
// followed, nothing is written outside, and nothing is taken away but what holds
// what the caller says. What a killed process leaves are files that [Writer.Sweep]
// removes.
type Writer struct {
	root   *os.Root
	before func(change, name string) error
}

// Writer returns a writer for the directory of the tree. It has to be closed. It
// fails with [ErrReadOnly] for a tree that is no directory of the system.
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

// Close gives back what the writer holds.
func (w *Writer) Close() error { return w.root.Close() }

// isNewName reports whether files may be created under a name of a tree.
func isNewName(name string) bool {
	return fs.ValidPath(name) && name != "." && CheckName(name) == nil && !IsGit(name) && !strings.Contains(name, `\`)
}

// in calls do with the directory that holds a name and the last element of it.
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

// Mkdir makes a directory in one that is there.
func (w *Writer) Mkdir(name string) error {
	return w.in("mkdir", name, func(dir *os.Root, last string) error {
		if err := w.may("mkdir", name); err != nil {
			return err
		}
		return dir.Mkdir(last, 0o755)
	})
}

// MkdirParents makes the directories above a name that are missing, and returns those that
// it made, also where it fails.
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

// Create makes a file where nothing is, with all of its content at once. It fails
// with [ErrExists] where something is.
func (w *Writer) Create(name string, data []byte, executable bool) error {
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	return w.create(name, data, mode)
}

// CreatePrivate is [Writer.Create] for a file that only its owner may read and run.
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

// Replace puts after in the place of a file that holds before, which keeps its
// rights but for the one to be run. It fails as [Tree.Replace] does.
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
		// Once more: it took a moment to write.
		_, err := look()
		return err
	})
}

// place writes a file next to its name and then gives it the name: one that nothing
// has, or with ready that of a file that is replaced if ready does not object.
func (w *Writer) place(dir *os.Root, name string, data []byte, mode fs.FileMode, ready func() error) error {
	var random [8]byte
	rand.Read(random[:])
	temporary, last := temporaryBegin+hex.EncodeToString(random[:])+temporaryEnd, path.Base(name)
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

// renameLooking gives a file a name that nothing has. There is a moment between
// the look and the step.
func renameLooking(dir *os.Root, from, to string) error {
	if _, err := dir.Lstat(to); err == nil {
		return ErrExists
	}
	return dir.Rename(from, to)
}

// holds fails where a name is not a regular file with one name and this content,
// and returns the file's mode.
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
	if st, _ := facts(info); st.links > 1 {
		return 0, ErrHardLink
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	if err == nil && !bytes.Equal(data, content) {
		err = ErrChanged
	}
	return info.Mode(), err
}

// Replace puts after in the place of a regular file whose content is before, in
// one step: at each moment the name leads to the one or the other. The file keeps
// its rights. It fails, and changes nothing, where a link stands in the path
// ([ErrLink]), the file has another name ([ErrHardLink]) or holds something else
// ([ErrChanged]). Nothing outside the tree is written.
func (t *Tree) Replace(name string, before, after []byte) error {
	return t.write("replace", name, func(w *Writer) error {
		return w.at("replace", name, func(dir *os.Root, _ string) error {
			return w.replace(dir, name, before, after, func(mode fs.FileMode) fs.FileMode { return mode })
		})
	})
}

// write calls do with a writer for a name that may be any of the tree.
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

// Put writes a file in one step, and makes the directories that it needs and that are
// not there. A regular file of the name is replaced and its rights are kept. It fails,
// and writes nothing, where a link stands in the path, also at its end ([ErrLink]), or
// something else than a file has the name ([ErrDirectory], [ErrNotRegular]). Nothing
// outside the tree is written.
func (t *Tree) Put(name string, content []byte) error {
	return t.write("write", name, func(w *Writer) error {
		// Each directory is made only where all above it is no link.
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

// Remove takes a file away that holds before.
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

// Symlink makes a link where nothing is. target is relative to the directory of
// the link, with forward slashes; it is written as it is. It fails with
// [ErrExists] where something is, and as [SymlinksUnsupported] tells where there are no links.
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

// SymlinksUnsupported reports whether an error of [Writer.Symlink] says that links can not be
// made here at all: the file system has none, or the user may make none.
func SymlinksUnsupported(err error) bool {
	if err == nil || errors.Is(err, ErrExists) || errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported) || linkRight(err)
}

// Unlink takes a link away that has this target.
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

// RemoveDir takes an empty directory away.
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

// Sweep removes from a directory the files that a killed process has left there
// before they were in place. It returns how many there were.
func (w *Writer) Sweep(name string) (int, error) {
	n := 0
	err := w.in("sweep", anyIn(name), func(dir *os.Root, _ string) error {
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

// anyIn is a name in a directory, which leads to the directory.
func anyIn(dir string) string {
	if dir == "." {
		return temporaryBegin
	}
	return dir + "/" + temporaryBegin
}

// IsTemporary reports whether a name is that of a file that [Writer] was about to put in
// place: a killed process may leave one.
func IsTemporary(name string) bool {
	middle, ok := strings.CutPrefix(name, temporaryBegin)
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, temporaryEnd)
	return ok && len(middle) == 16 && strings.Trim(middle, "0123456789abcdef") == ""
}

// Lock keeps other processes that ask for the lock of this directory from getting
// it, until release is called or the process ends. It fails with [ErrBusy] where
// another one has it. A system without such locks gives everyone one.
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
