package vfs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrClosed: the scratch directory was removed already.
var ErrClosed = errors.New("is closed")

// errNoLocks: the system, or the file system, has no locks that go with their process.
var errNoLocks = errors.New("has no locks")

// The names of scratch directories: what they begin with, and how many random bytes
// follow.
const (
	scratchBegin  = "vade-"
	scratchRandom = 16
)

// The rights of what is in a scratch directory. No file can be run.
const (
	scratchDir  fs.FileMode = 0o700
	scratchFile fs.FileMode = 0o600
)

// scratchTries is how many names are tried: each is new, so that one that is there
// already was put there by somebody who guesses.
const scratchTries = 4

// ScratchOptions say how a [Scratch] works.
type ScratchOptions struct {
	// Before is called ahead of each single change of the file system with the change
	// (mkdir, create, write, verify) and the name. Its error is taken for the system's.
	Before func(change, name string) error
	// Name makes the name of a directory; nil is a random one of 128 bits.
	Name func() string
}

// ScratchFile is one file to write: its path below the directory, with slashes, and
// its content.
type ScratchFile struct {
	Path string
	Data []byte
}

// Scratch is a directory of this process alone, for files that other programs of the
// user read while it runs. Nobody can know its name before it is there, nobody else
// may look into it, and each change goes through an open handle of a directory and
// creates what was not there: a link, a file or a directory that somebody has put in
// the way is never followed, written to or taken over. It is not safe for use by many
// goroutines.
type Scratch struct {
	parent, root *os.Root
	// name is its name in parent, dir its absolute path.
	name, dir string
	unlock    func()
	options   ScratchOptions
}

// OpenScratch makes a scratch directory in parent, an absolute path, which is made
// with all that leads to it where it is not there. It fails where parent is not a
// real directory of the user alone, or where somebody else could change what leads
// there.
func OpenScratch(parent string, o ScratchOptions) (*Scratch, error) {
	root, err := makePrivate(parent)
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
		s := &Scratch{parent: root, options: o}
		if err = s.make(parent); err == nil {
			return s, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrChanged) {
			break
		}
	}
	root.Close()
	return nil, err
}

func scratchName() string {
	var random [scratchRandom]byte
	rand.Read(random[:])
	return scratchBegin + hex.EncodeToString(random[:])
}

// make makes the directory, locks it, and then looks whether it is still the one that
// its name leads to: a sweep that was earlier holds the lock, or has taken it away.
func (s *Scratch) make(parent string) error {
	name := s.options.Name()
	if err := s.options.Before("mkdir", name); err != nil {
		return err
	}
	if err := s.parent.Mkdir(name, scratchDir); err != nil {
		return err
	}
	root, err := openFresh(s.parent, name)
	if err != nil {
		return err
	}
	unlock, err := lockDir(root, filepath.Join(filepath.FromSlash(parent), name))
	if err != nil && !errors.Is(err, errNoLocks) {
		root.Close()
		return err
	}
	s.root, s.name, s.dir, s.unlock = root, name, path.Join(slash(parent), name), unlock
	if !s.mine() {
		s.release()
		return ErrChanged
	}
	return nil
}

// mine reports whether the path of the directory leads to it.
func (s *Scratch) mine() bool {
	here, err := s.root.Stat(".")
	if err != nil {
		return false
	}
	info, err := os.Lstat(filepath.FromSlash(s.dir))
	return err == nil && info.IsDir() && os.SameFile(info, here) && private(s.dir, info) == nil
}

func (s *Scratch) release() {
	s.root.Close()
	if s.unlock != nil {
		s.unlock()
	}
}

// Dir returns the absolute path of the directory.
func (s *Scratch) Dir() string { return s.dir }

// Write makes a directory of a name that nothing has, writes the files into it, reads
// them again, and returns its absolute path. Directories are for the user alone (0700)
// and so are files (0600). Where something goes wrong nothing of it stays.
func (s *Scratch) Write(name string, files []ScratchFile) (dir string, err error) {
	if s.root == nil {
		return "", pathError("mkdir", name, ErrClosed)
	}
	for _, n := range append([]ScratchFile{{Path: name}}, files...) {
		if !fs.ValidPath(n.Path) || n.Path == "." || strings.ContainsAny(n.Path, `\`+"\x00") || CheckName(n.Path) != nil || IsGit(n.Path) {
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
		if err = s.options.Before("verify", name); err == nil {
			err = s.Verify(name, files)
		}
	}
	if err != nil {
		_ = s.root.RemoveAll(name)
		return "", err
	}
	return path.Join(s.dir, name), nil
}

func (s *Scratch) mkdir(in *os.Root, name string) error {
	if err := s.options.Before("mkdir", name); err != nil {
		return err
	}
	return in.Mkdir(name, scratchDir)
}

// fill writes files below a directory that is empty. Every directory on the way is one
// that it has made itself.
func (s *Scratch) fill(root *os.Root, files []ScratchFile) error {
	made := map[string]*os.Root{".": root}
	defer func() {
		for name, dir := range made {
			if name != "." {
				dir.Close()
			}
		}
	}()
	var within func(name string) (*os.Root, error)
	within = func(name string) (*os.Root, error) {
		if dir := made[name]; dir != nil {
			return dir, nil
		}
		above, err := within(path.Dir(name))
		if err != nil {
			return nil, err
		}
		if err := s.mkdir(above, path.Base(name)); err != nil {
			return nil, err
		}
		dir, err := openFresh(above, path.Base(name))
		if err == nil {
			made[name] = dir
		}
		return dir, err
	}
	for _, f := range files {
		dir, err := within(path.Dir(f.Path))
		if err != nil {
			return err
		}
		if err := s.file(dir, f); err != nil {
			return err
		}
	}
	return nil
}

// file creates one file. os.Root follows no link at the end of a name that it creates.
func (s *Scratch) file(dir *os.Root, f ScratchFile) error {
	if err := s.options.Before("create", f.Path); err != nil {
		return err
	}
	w, err := dir.OpenFile(path.Base(f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, scratchFile)
	if err != nil {
		return err
	}
	if err = s.options.Before("write", f.Path); err == nil {
		_, err = w.Write(f.Data)
	}
	return errors.Join(err, w.Close())
}

// openFresh opens a directory that was just made, and makes sure that it is that one,
// and the user's alone.
func openFresh(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, pathError("open", name, ErrChanged)
	}
	if err := private(name, info); err != nil {
		return nil, err
	}
	root, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, pathError("open", name, ErrChanged)
	}
	return root, nil
}

// makePrivate opens a directory of the user alone and makes what is missing of the way
// to it. Nothing is made before it is certain that nobody else has a hand in what is
// there.
func makePrivate(dir string) (*os.Root, error) {
	if !IsAbs(dir) {
		return nil, pathError("mkdir", dir, errors.New("is not an absolute path"))
	}
	at, missing := path.Clean(slash(dir)), []string(nil)
	for {
		_, err := os.Lstat(filepath.FromSlash(at))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == path.Dir(at) {
			return nil, err
		}
		missing, at = append(missing, path.Base(at)), path.Dir(at)
	}
	if err := UserOnly(at); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.FromSlash(at))
	for i := len(missing) - 1; i >= 0 && err == nil; i-- {
		// Another process may be faster: what is there is looked at below.
		if err = root.Mkdir(missing[i], scratchDir); errors.Is(err, fs.ErrExist) {
			err = nil
		}
		if err == nil {
			var next *os.Root
			next, err = root.OpenRoot(missing[i])
			root.Close()
			root = next
		}
	}
	if err == nil {
		err = checkPrivate(root, dir)
	}
	if err != nil {
		if root != nil {
			root.Close()
		}
		return nil, err
	}
	return root, nil
}

// checkPrivate makes sure that an open directory is the one of a path, a real directory
// of the user alone that nobody else can replace.
func checkPrivate(root *os.Root, dir string) error {
	info, err := os.Lstat(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &OwnerError{dir, "is not a directory", "move it away"}
	}
	if err := private(dir, info); err != nil {
		return err
	}
	if err := UserOnly(slash(dir)); err != nil {
		return err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		return fmt.Errorf("%s: %w", dir, ErrChanged)
	}
	return nil
}
