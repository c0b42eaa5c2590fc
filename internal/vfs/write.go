package vfs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrExists: something stands already where it was to be made.
var ErrExists = errors.New("is there already")

// ErrBusy: another process holds the lock.
var ErrBusy = errors.New("is in use by another process")

// temporary begins and ends the names of the files that a [Writer] makes before it
// puts them in place.
const temporaryBegin, temporaryEnd = ".vade-sync-", ".tmp"

// The rights of what is made, before the process's mask.
const (
	newFile    fs.FileMode = 0o644
	newProgram fs.FileMode = 0o755
	newDir     fs.FileMode = 0o755
)

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

// in calls do with the directory that holds a name and the last element of it.
func (w *Writer) in(op, name string, do func(dir *os.Root, last string) error) error {
	if !fs.ValidPath(name) || name == "." || CheckName(name) != nil || IsGit(name) || strings.Contains(name, `\`) {
		return pathError(op, name, ErrOutside)
	}
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
		return dir.Mkdir(last, newDir)
	})
}

// Create makes a file where nothing is, with all of its content at once. It fails
// with [ErrExists] where something is.
func (w *Writer) Create(name string, data []byte, executable bool) error {
	return w.in("create", name, func(dir *os.Root, last string) error {
		if _, err := dir.Lstat(last); err == nil {
			return ErrExists
		}
		mode := newFile
		if executable {
			mode = newProgram
		}
		temporary, err := w.temporary(dir, name, data, mode)
		if err != nil {
			return err
		}
		if err = w.may("rename", name); err == nil {
			err = renameNew(dir, temporary, last)
		}
		if err != nil && w.may("remove", name) == nil {
			_ = dir.Remove(temporary)
		}
		return err
	})
}

// renameLooking gives a file a name that nothing has. There is a moment between
// the look and the step.
func renameLooking(dir *os.Root, from, to string) error {
	if _, err := dir.Lstat(to); err == nil {
		return ErrExists
	}
	return dir.Rename(from, to)
}

// temporary makes a file with a name that only this call has.
func (w *Writer) temporary(dir *os.Root, name string, data []byte, mode fs.FileMode) (string, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	temporary := temporaryBegin + hex.EncodeToString(random[:]) + temporaryEnd
	if err := w.may("create", name); err != nil {
		return "", err
	}
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	if err = w.may("write", name); err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil && w.may("remove", name) == nil {
		_ = dir.Remove(temporary)
	}
	return temporary, err
}

// Replace puts after in the place of a file that holds before, which keeps its
// rights but for the one to be run. It fails as [Tree.Replace] does.
func (w *Writer) Replace(name string, before, after []byte, executable bool) error {
	return w.in("replace", name, func(dir *os.Root, last string) error {
		mode, err := holds(dir, last, before)
		if err != nil {
			return err
		}
		temporary, err := w.temporary(dir, name, after, newFile)
		if err != nil {
			return err
		}
		if err = w.may("chmod", name); err == nil {
			err = dir.Chmod(temporary, withRun(mode.Perm(), executable))
		}
		if err == nil {
			_, err = holds(dir, last, before)
		}
		if err == nil {
			if err = w.may("rename", name); err == nil {
				err = dir.Rename(temporary, last)
			}
		}
		if err != nil && w.may("remove", name) == nil {
			_ = dir.Remove(temporary)
		}
		return err
	})
}

// withRun gives the right to run to those who may read, or takes it from all.
func withRun(mode fs.FileMode, executable bool) fs.FileMode {
	if !executable {
		return mode &^ 0o111
	}
	return mode | mode>>2&0o111
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
// [ErrExists] where something is, and as [NoLinks] tells where there are no links.
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

// NoLinks reports whether an error of [Writer.Symlink] says that links can not be
// made here at all: the file system has none, or the user may make none.
func NoLinks(err error) bool {
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
			if !isTemporary(last) {
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

func isTemporary(name string) bool {
	middle, ok := strings.CutPrefix(name, temporaryBegin)
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, temporaryEnd)
	return ok && len(middle) == 16 && strings.Trim(middle, "0123456789abcdef") == ""
}
