package vfs

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReadOnly: the tree is no directory of the operating system.
var ErrReadOnly = errors.New("can not be written")

// Replace puts after in the place of a regular file whose content is before, in
// one step: at each moment the name leads to the one or the other. The file keeps
// its rights. It fails, and changes nothing, where a link stands in the path
// ([ErrLink]), the file has another name ([ErrHardLink]) or holds something else
// ([ErrChanged]). Nothing outside the tree is written.
func (t *Tree) Replace(name string, before, after []byte) error {
	if err := t.valid(name); err != nil {
		return pathError("replace", name, err)
	}
	if _, foreign := t.back.(fsBackend); foreign {
		return pathError("replace", name, ErrReadOnly)
	}
	root, err := os.OpenRoot(filepath.FromSlash(t.real))
	if err != nil {
		return pathError("replace", name, err)
	}
	defer root.Close()
	dir, last, err := rootBackend{root}.descend(name)
	if err != nil {
		return pathError("replace", name, err)
	}
	defer dir.Close()
	if err := replace(dir, last, before, after); err != nil {
		return pathError("replace", name, err)
	}
	return nil
}

func replace(dir *os.Root, name string, before, after []byte) error {
	mode, err := holds(dir, name, before)
	if err != nil {
		return err
	}
	return exchange(dir, name, after, mode, func() error {
		// Once more: it took a moment to write.
		_, err := holds(dir, name, before)
		return err
	})
}

// exchange writes a file beside the name and gives it the name, if ready says nothing
// against it.
func exchange(dir *os.Root, name string, content []byte, mode fs.FileMode, ready func() error) error {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	temporary := ".vade-" + hex.EncodeToString(random[:]) + ".tmp"
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode.Perm()), f.Sync(), f.Close())
	if err == nil {
		err = ready()
	}
	if err == nil {
		err = dir.Rename(temporary, name)
	}
	if err != nil {
		_ = dir.Remove(temporary)
	}
	return err
}

// holds reports whether a name is a regular file with one name and this content.
func holds(dir *os.Root, name string, content []byte) (fs.FileMode, error) {
	seen, err := dir.Lstat(name)
	if err != nil {
		return 0, err
	}
	if err := regular(seen.Mode()); err != nil {
		return 0, err
	}
	if st, _ := facts(seen); st.links > 1 {
		return 0, ErrHardLink
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !os.SameFile(seen, opened) {
		return 0, ErrChanged
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(data, content) {
		return 0, ErrChanged
	}
	return seen.Mode(), nil
}
