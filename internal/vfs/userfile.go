package vfs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ReadUserFile returns the content of a file of the user or the administrator
// by its absolute path, of at most limit bytes. Links are followed, wherever
// they lead; only a regular file is read.
func ReadUserFile(name string, limit int64) ([]byte, error) {
	real, err := filepath.EvalSymlinks(filepath.FromSlash(name))
	if err != nil {
		return nil, pathError("open", name, err)
	}
	real = slash(real)
	tree, err := Open(path.Dir(real), Options{HardLinks: true})
	if err != nil {
		return nil, pathError("open", name, err)
	}
	defer tree.Close()
	if path.Base(real) == "." {
		return nil, pathError("open", name, fs.ErrNotExist)
	}
	return tree.ReadFile(path.Base(real), limit)
}

// RealPath returns an absolute path without links. What is not there has none.
func RealPath(name string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.FromSlash(name))
	return slash(real), pathError("resolve", name, err)
}

// Above returns the properties of the directory above one of the trees of the
// view, and of no other outside. name is a name of it as a command writes it,
// such as "..".
func (v *View) Above(name string) (fs.FileInfo, error) {
	at := path.Clean(v.abs(name))
	for _, t := range v.trees {
		if at == path.Dir(t.real) || at == path.Dir(t.dir) {
			info, err := os.Lstat(filepath.FromSlash(at))
			if err != nil {
				return nil, pathError("lstat", name, err)
			}
			return infoOf(info), nil
		}
	}
	return nil, pathError("lstat", name, ErrOutside)
}

// Real returns the canonical path that a name of the view leads to.
func (v *View) Real(name string) (string, error) {
	w, err := v.follow(name, true)
	if err != nil {
		return "", pathError("resolve", name, err)
	}
	return w.tree.RealPath(w.at), nil
}
