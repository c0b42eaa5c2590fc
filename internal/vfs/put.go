package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Put writes a file in one step, and makes the directories that it needs and that are
// not there. A regular file of the name is replaced and its rights are kept; a new one
// may be read by all. It fails, and writes nothing, where a link stands in the path,
// also at its end ([ErrLink]), or something else than a file has the name
// ([ErrDirectory], [ErrNotRegular]). Nothing outside the tree is written.
func (t *Tree) Put(name string, content []byte) error {
	if err := t.valid(name); err != nil {
		return pathError("write", name, err)
	}
	if _, foreign := t.back.(fsBackend); foreign {
		return pathError("write", name, ErrReadOnly)
	}
	root, err := os.OpenRoot(filepath.FromSlash(t.real))
	if err != nil {
		return pathError("write", name, err)
	}
	defer root.Close()
	return pathError("write", name, put(root, name, content))
}

func put(root *os.Root, name string, content []byte) error {
	// Each directory is made only where all above it is no link.
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		above, last, err := rootBackend{root}.descend(name[:i])
		if err != nil {
			return err
		}
		seen, err := above.Lstat(last)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = above.Mkdir(last, 0o755)
		case err == nil && seen.Mode()&fs.ModeSymlink == 0 && !seen.IsDir():
			err = ErrNotDirectory
		}
		above.Close()
		if err != nil {
			return err
		}
	}
	dir, last, err := rootBackend{root}.descend(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	mode := fs.FileMode(0o644)
	look := func() error {
		seen, err := dir.Lstat(last)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		mode = seen.Mode()
		return regular(mode)
	}
	if strings.HasSuffix(name, "/") || last == "." {
		return ErrDirectory
	}
	if err := look(); err != nil {
		return err
	}
	return exchange(dir, last, content, mode, look)
}
