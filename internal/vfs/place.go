package vfs

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// Place creates the file or directory to, along with missing parent directories. how selects the
// operation: "mv" renames from, "cp" copies from, and "ln -s" creates a symlink with the target
// link. from and to are relative to dir, and Place does not access anything outside dir. If to
// exists, Place does not replace it and returns [fs.ErrExist].
func Place(dir, how, from, to, link string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(to); err == nil {
		return &fs.PathError{Op: how, Path: to, Err: fs.ErrExist}
	}
	if err := root.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	switch how {
	case "ln -s":
		return root.Symlink(link, to)
	case "mv":
		return root.Rename(from, to)
	}
	return fs.WalkDir(root.FS(), from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := to + strings.TrimPrefix(name, from)
		if d.IsDir() {
			return root.MkdirAll(to, 0o755)
		}
		info, err := root.Stat(name)
		if err != nil {
			return err
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		return root.WriteFile(to, data, info.Mode().Perm())
	})
}
