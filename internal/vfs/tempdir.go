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

// ErrClosed is returned if the TempDir is closed.
var ErrClosed = errors.New("is closed")

// The parts of a temporary directory's name: the prefix, and the number of random bytes.
const (
	tempDirPrefix = "vade-"
	tempDirRandom = 16
)

// tempDirTries is the maximum number of names to try. Names are random, so an existing name means
// that someone guessed it.
const tempDirTries = 4

// TempDirOptions configures a [TempDir].
type TempDirOptions struct {
	// Before is called before each file system change with the operation (mkdir, create, write,
	// verify) and the name. If it returns an error, the operation fails with that error.
	Before func(change, name string) error
	// Name returns a name for the directory. If nil, names have 128 random bits.
	Name func() string
}

// TempFile is a file to write: its content and its slash-separated path in the directory.
type TempFile struct {
	Path string
	Data []byte
}

// TempDir is a directory for files that the user's other programs read while this process runs. Its
// name cannot be predicted, and only the user can access it. All changes go through an open
// directory handle. TempDir never follows, writes or reuses a symlink, file or directory that
// someone else created. It is not safe for concurrent use.
type TempDir struct {
	parent, root *os.Root
	// name is the directory's name in parent, and dir is its absolute path.
	name, dir string
	unlock    func()
	options   TempDirOptions
}

// OpenTempDir creates a temporary directory in parent. It creates parent like [MakePrivate].
func OpenTempDir(parent string, o TempDirOptions) (*TempDir, error) {
	above, err := MakePrivate(parent)
	if err != nil {
		return nil, err
	}
	if o.Name == nil {
		o.Name = tempDirName
	}
	if o.Before == nil {
		o.Before = func(string, string) error { return nil }
	}
	for range tempDirTries {
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

func tempDirName() string {
	var random [tempDirRandom]byte
	rand.Read(random[:])
	return tempDirPrefix + hex.EncodeToString(random[:])
}

// make creates the directory, locks it, and then checks that the name still refers to it, because a
// concurrent sweep may have locked or removed it first.
func (s *TempDir) make(parent string) error {
	name := s.options.Name()
	if err := s.mkdir(s.parent, name); err != nil {
		return err
	}
	root, err := openFresh(s.parent, name)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged // removed by a concurrent sweep
	}
	if err != nil {
		return err
	}
	s.root, s.name, s.dir = root, name, path.Join(slash(parent), name)
	// If locks are not available, the directory is never swept.
	if s.unlock, err = lockDir(root, filepath.FromSlash(s.dir), tempDirLock); errors.Is(err, ErrBusy) {
		s.release()
		return err
	}
	if !s.isOwn() {
		s.release()
		return ErrChanged
	}
	return nil
}

// isOwn reports whether the path of the temporary directory still refers to the directory that was
// created.
func (s *TempDir) isOwn() bool {
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

// Dir returns the directory's absolute path.
func (s *TempDir) Dir() string { return s.dir }

// Write creates a directory with a new name, writes the files into it, verifies them, and returns
// the directory's absolute path. Only the user can access the directories (0700) and files (0600).
// If Write fails, it leaves no files behind.
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
	if !s.isOwn() {
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

// fill writes files to an empty directory. It creates all directories on their paths itself.
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

// openFresh opens a directory that was just created. It checks that the name
// still refers to that directory and that only the user can access it.
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

// Verify returns an error if anything that Write created was removed or has
// changed content, permissions or owner, or if a path contains a symlink.
func (s *TempDir) Verify(name string, files []TempFile) error {
	if s.root == nil {
		return pathError("open", name, ErrClosed)
	}
	if !s.isOwn() {
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

// same returns an error unless a file has exactly the expected content and only the user can access
// it.
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

// Close removes the directory and its contents. It uses only the open handle, so anything that
// replaced the directory stays. Close may be called more than once.
func (s *TempDir) Close() error {
	if s.root == nil {
		return nil
	}
	err := s.discard()
	s.parent.Close()
	s.root = nil
	return err
}

// discard empties the directory through its handle. It then removes the directory itself, unless
// the name now refers to something else.
func (s *TempDir) discard() error {
	entries, err := entriesOf(s.root)
	for _, e := range entries {
		// Releasing the lock deletes the lock file.
		if e.Name() != tempDirLock {
			err = errors.Join(err, s.root.RemoveAll(e.Name()))
		}
	}
	isOwn := s.isOwn()
	s.release()
	if isOwn {
		if gone := s.parent.Remove(s.name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// entriesOf returns at most 4,096 entries of an open directory.
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

// SweepTempDirs removes the temporary directories in parent whose processes have ended, and returns
// how many it removed. It keeps locked directories, because their processes are still running. On
// systems without locks, it removes nothing. It does not access anything outside parent or follow
// symlinks. If parent is missing, SweepTempDirs does nothing. If others could change parent, it
// returns an [*OwnerError].
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
		if !isTempDir(e.Name()) || !e.IsDir() {
			continue
		}
		root, err := openFresh(above.root, e.Name())
		if err != nil {
			continue
		}
		s := &TempDir{parent: above.root, root: root, name: e.Name(), dir: path.Join(slash(parent), e.Name())}
		// If the lock is free, either the directory's process has ended or it has not locked the
		// directory yet. In the latter case, the process will notice that the directory is gone.
		if s.unlock, err = lockDir(root, filepath.FromSlash(s.dir), tempDirLock); err != nil {
			root.Close()
		} else if s.discard() == nil {
			removed++
		}
	}
	return removed, err
}

// isTempDir reports whether name has the format of OpenTempDir's directory names.
func isTempDir(name string) bool {
	random, ok := strings.CutPrefix(name, tempDirPrefix)
	return ok && len(random) == 2*tempDirRandom && strings.Trim(random, "0123456789abcdef") == ""
}
