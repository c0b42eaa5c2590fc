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

// LstatParent returns the properties of the directory above one of the trees of the
// view, and of no other outside. name is a name of it as a command writes it,
// such as "..".
func (v *View) LstatParent(name string) (fs.FileInfo, error) {
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

// Ancestors returns dir and each directory above it, the nearest first. Paths
// have forward slashes.
func Ancestors(dir string) []string {
	var list []string
	for d := path.Clean(slash(dir)); ; {
		list = append(list, d)
		up := path.Dir(d)
		if up == d || filepath.VolumeName(filepath.FromSlash(d)) == filepath.FromSlash(d) {
			return list
		}
		d = up
	}
}

// FindUp returns the nearest of dir and its ancestors that has an entry of the
// name, of whatever type.
func FindUp(dir, name string) (string, bool) {
	for _, d := range Ancestors(dir) {
		if _, err := os.Lstat(filepath.FromSlash(join(d, name))); err == nil {
			return d, true
		}
	}
	return "", false
}

// Absolute returns the absolute form of dir, read from the working directory,
// with forward slashes.
func Absolute(dir string) (string, error) {
	abs, err := filepath.Abs(filepath.FromSlash(dir))
	return slash(abs), err
}

// IsAbs reports whether a path with forward slashes is absolute on this system.
func IsAbs(p string) bool { return isAbs(p) }
