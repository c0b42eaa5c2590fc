package vfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Verify fails where what Write has made is not there any more, or is not what was
// written: other bytes, other rights, another owner, a link on the way.
func (s *Scratch) Verify(name string, files []ScratchFile) error {
	if s.root == nil {
		return pathError("open", name, ErrClosed)
	}
	if !s.mine() {
		return pathError("open", s.dir, ErrChanged)
	}
	root, err := openFresh(s.root, name)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := same(root, f); err != nil {
			return pathError("verify", f.Path, err)
		}
	}
	return nil
}

// same fails where a file is not one of the user alone with just that content.
func same(root *os.Root, f ScratchFile) error {
	seen, err := rootBackend{root}.plain(f.Path)
	if err != nil {
		return err
	}
	if err := regular(seen.Mode()); err != nil {
		return err
	}
	if err := private(f.Path, seen); err != nil {
		return err
	}
	r, err := root.OpenFile(filepath.FromSlash(f.Path), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	if info, err := r.Stat(); err != nil || !os.SameFile(seen, info) || info.Size() != int64(len(f.Data)) {
		return ErrChanged
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(len(f.Data))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(data, f.Data) {
		return ErrChanged
	}
	return nil
}

// Close removes the directory and all that is in it. What somebody has put in the
// place of the directory stays: only what the open handle leads to goes. It may be
// called more than once.
func (s *Scratch) Close() error {
	if s.root == nil {
		return nil
	}
	err := s.discard()
	s.parent.Close()
	s.root = nil
	return err
}

// discard empties the directory through its handle and takes away its name if that is
// still its own.
func (s *Scratch) discard() error {
	err := empty(s.root)
	mine := s.mine()
	s.release()
	if mine {
		if gone := s.parent.Remove(s.name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// maxEmptied is how many entries of one directory are taken away.
const maxEmptied = 4096

// empty removes all that is in a directory. No link is followed.
func empty(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(maxEmptied)
	dir.Close()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	for _, e := range entries {
		// The file of a lock goes when the lock is given back.
		if e.Name() != lockFileName {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	return err
}

// SweepScratch removes the scratch directories in parent that were left by processes
// which are gone, and returns how many. That of a living process is locked, and stays;
// where the system has no locks nothing is removed. Nothing outside of parent is
// touched, no link is followed, and a parent that is not there, or that somebody else
// could change, is left alone.
func SweepScratch(parent string) (removed int, err error) {
	info, err := os.Lstat(filepath.FromSlash(parent))
	if err != nil || !info.IsDir() {
		return 0, nil
	}
	root, err := os.OpenRoot(filepath.FromSlash(parent))
	if err != nil {
		return 0, err
	}
	defer root.Close()
	if err := checkPrivate(root, parent); err != nil {
		return 0, err
	}
	dir, err := root.Open(".")
	if err != nil {
		return 0, err
	}
	entries, err := dir.ReadDir(maxEmptied)
	dir.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	for _, e := range entries {
		if isScratch(e.Name()) && e.IsDir() && sweepOne(root, parent, e.Name()) {
			removed++
		}
	}
	return removed, nil
}

// isScratch reports whether a name is one that OpenScratch makes.
func isScratch(name string) bool {
	if len(name) != len(scratchBegin)+2*scratchRandom || name[:len(scratchBegin)] != scratchBegin {
		return false
	}
	for _, c := range []byte(name[len(scratchBegin):]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// sweepOne removes one directory if it can be locked: then its process is gone, or has
// not locked it yet and will see that it is gone.
func sweepOne(parent *os.Root, dir, name string) bool {
	root, err := openFresh(parent, name)
	if err != nil {
		return false
	}
	s := &Scratch{parent: parent, root: root, name: name, dir: filepath.ToSlash(filepath.Join(dir, name))}
	if s.unlock, err = lockDir(root, filepath.FromSlash(s.dir)); err != nil {
		root.Close()
		return false
	}
	return s.discard() == nil
}
