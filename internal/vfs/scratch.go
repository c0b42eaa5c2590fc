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
)

// ErrClosed: the scratch directory was removed already.
var ErrClosed = errors.New("is closed")

// The names of scratch directories: what they begin with, and how many random bytes
// follow.
const (
	scratchBegin  = "vade-"
	scratchRandom = 16
)

// scratchTries is how many names are tried: each is new, so that one that is there
// already was put there by somebody who guesses.
const scratchTries = 4

// TempDirOptions say how a [TempDir] works.
type TempDirOptions struct {
	// Before is called ahead of each single change of the file system with the change
	// (mkdir, create, write, verify) and the name. Its error is taken for the system's.
	Before func(change, name string) error
	// Name makes the name of a directory; nil is a random one of 128 bits.
	Name func() string
}

// TempFile is one file to write: its path below the directory, with slashes, and
// its content.
type TempFile struct {
	Path string
	Data []byte
}

// TempDir is a directory of this process alone, for files that other programs of the
// user read while it runs. Nobody can know its name before it is there, nobody else
// may look into it, and each change goes through an open handle of a directory and
// creates what was not there: a link, a file or a directory that somebody has put in
// the way is never followed, written to or taken over. It is not safe for use by many
// goroutines.
type TempDir struct {
	parent, root *os.Root
	// name is its name in parent, dir its absolute path.
	name, dir string
	unlock    func()
	options   TempDirOptions
}

// OpenTempDir makes a scratch directory in parent, as [MakePrivate] makes it.
func OpenTempDir(parent string, o TempDirOptions) (*TempDir, error) {
	above, err := MakePrivate(parent)
	if err != nil {
		return nil, err
	}
	if o.Name == nil {
		o.Name = scratchName
	}
	if o.Before == nil {
		o.Before = func(string, string) error { return nil }
	}
	for range scratchTries {
		s := &TempDir{parent: above.root, options: o}
		if err = s.make(parent); err == nil {
			return s, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrChanged) {
			break
		}
	}
	above.Close()
	return nil, err
}

func scratchName() string {
	var random [scratchRandom]byte
	rand.Read(random[:])
	return scratchBegin + hex.EncodeToString(random[:])
}

// make makes the directory, locks it, and then looks whether it is still the one that
// its name leads to: a sweep that was earlier holds the lock, or has taken it away.
func (s *TempDir) make(parent string) error {
	name := s.options.Name()
	if err := s.mkdir(s.parent, name); err != nil {
		return err
	}
	root, err := openFresh(s.parent, name)
	if err != nil {
		return err
	}
	s.root, s.name, s.dir = root, name, path.Join(slash(parent), name)
	// Without a lock the directory is only never swept.
	if s.unlock, err = lockDir(root, filepath.FromSlash(s.dir), scratchLock); errors.Is(err, ErrBusy) {
		s.release()
		return err
	}
	if !s.mine() {
		s.release()
		return ErrChanged
	}
	return nil
}

// mine reports whether the path of the directory leads to it.
func (s *TempDir) mine() bool {
	here, err := s.root.Stat(".")
	if err != nil {
		return false
	}
	info, err := os.Lstat(filepath.FromSlash(s.dir))
	return err == nil && info.IsDir() && os.SameFile(info, here) && private(s.dir, info) == nil
}

func (s *TempDir) release() {
	s.root.Close()
	if s.unlock != nil {
		s.unlock()
	}
}

// Dir returns the absolute path of the directory.
func (s *TempDir) Dir() string { return s.dir }

// Write makes a directory of a name that nothing has, writes the files into it, reads
// them again, and returns its absolute path. Directories are for the user alone (0700)
// and so are files (0600). Where something goes wrong nothing of it stays.
func (s *TempDir) Write(name string, files []TempFile) (dir string, err error) {
	if s.root == nil {
		return "", pathError("mkdir", name, ErrClosed)
	}
	for _, n := range append([]TempFile{{Path: name}}, files...) {
		if !isNewName(n.Path) || strings.Contains(n.Path, "\x00") {
			return "", pathError("create", n.Path, ErrOutside)
		}
	}
	if strings.Contains(name, "/") {
		return "", pathError("mkdir", name, ErrOutside)
	}
	if !s.mine() {
		return "", pathError("mkdir", s.dir, ErrChanged)
	}
	if err := s.mkdir(s.root, name); err != nil {
		return "", err
	}
	root, err := openFresh(s.root, name)
	if err == nil {
		err = s.fill(root, files)
		root.Close()
	}
	if err == nil {
		err = s.options.Before("verify", name)
	}
	if err == nil {
		err = s.Verify(name, files)
	}
	if err != nil {
		_ = s.root.RemoveAll(name)
		return "", err
	}
	return path.Join(s.dir, name), nil
}

func (s *TempDir) mkdir(in *os.Root, name string) error {
	if err := s.options.Before("mkdir", name); err != nil {
		return err
	}
	return in.Mkdir(name, 0o700)
}

// fill writes files below a directory that is empty. Every directory on the way is one
// that it has made itself.
func (s *TempDir) fill(root *os.Root, files []TempFile) error {
	made := map[string]bool{}
	for _, f := range files {
		for i := range len(f.Path) {
			if dir := f.Path[:i]; f.Path[i] == '/' && !made[dir] {
				if err := s.mkdir(root, dir); err != nil {
					return err
				}
				made[dir] = true
			}
		}
		if err := s.options.Before("create", f.Path); err != nil {
			return err
		}
		w, err := root.OpenFile(filepath.FromSlash(f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if err = s.options.Before("write", f.Path); err == nil {
			_, err = w.Write(f.Data)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			return err
		}
	}
	return nil
}

// openFresh opens a directory that was just made, and makes sure that it is that one,
// and the user's alone.
func openFresh(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(name)
	if err == nil && info.IsDir() {
		err = private(name, info)
	}
	if err != nil {
		return nil, err
	}
	root, err := child(in, name)
	if errors.Is(err, ErrLink) || errors.Is(err, fs.ErrNotExist) {
		err = pathError("open", name, ErrChanged)
	}
	return root, err
}

// Verify fails where what Write has made is not there any more, or is not what was
// written: other bytes, other rights, another owner, a link on the way.
func (s *TempDir) Verify(name string, files []TempFile) error {
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
func same(root *os.Root, f TempFile) error {
	r, err := rootBackend{root}.openFile(f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Stat()
	if err == nil {
		err = private(f.Path, info)
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(len(f.Data))+1))
	if err == nil && !bytes.Equal(data, f.Data) {
		err = ErrChanged
	}
	return err
}

// Close removes the directory and all that is in it. What somebody has put in the
// place of the directory stays: only what the open handle leads to goes. It may be
// called more than once.
func (s *TempDir) Close() error {
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
func (s *TempDir) discard() error {
	entries, err := entriesOf(s.root)
	for _, e := range entries {
		// The file of a lock goes when the lock is given back.
		if e.Name() != scratchLock {
			err = errors.Join(err, s.root.RemoveAll(e.Name()))
		}
	}
	mine := s.mine()
	s.release()
	if mine {
		if gone := s.parent.Remove(s.name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// entriesOf returns what is in an open directory, up to a bound.
func entriesOf(root *os.Root) ([]fs.DirEntry, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(4096)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// SweepTempDirs removes the scratch directories in parent that were left by processes
// which are gone, and returns how many. That of a living process is locked, and stays;
// where the system has no locks nothing is removed. Nothing outside of parent is
// touched, no link is followed, and a parent that is not there, or that somebody else
// could change, is left alone.
func SweepTempDirs(parent string) (removed int, err error) {
	if info, err := os.Lstat(filepath.FromSlash(parent)); err != nil || !info.IsDir() {
		return 0, nil
	}
	above, err := OpenPrivate(parent)
	if err != nil {
		return 0, err
	}
	defer above.Close()
	entries, err := entriesOf(above.root)
	for _, e := range entries {
		if !isScratch(e.Name()) || !e.IsDir() {
			continue
		}
		root, err := openFresh(above.root, e.Name())
		if err != nil {
			continue
		}
		s := &TempDir{parent: above.root, root: root, name: e.Name(), dir: path.Join(slash(parent), e.Name())}
		// A process without the lock is gone, or has not taken it yet and will see
		// that its directory is gone.
		if s.unlock, err = lockDir(root, filepath.FromSlash(s.dir), scratchLock); err != nil {
			root.Close()
		} else if s.discard() == nil {
			removed++
		}
	}
	return removed, err
}

// isScratch reports whether a name is one that OpenScratch makes.
func isScratch(name string) bool {
	random, ok := strings.CutPrefix(name, scratchBegin)
	return ok && len(random) == 2*scratchRandom && strings.Trim(random, "0123456789abcdef") == ""
}
