package vfs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ReadUserFile returns the content of one of the user's or administrator's own files, given its
// absolute path. It follows all symlinks and does not check the file's owner. It returns an error
// if the file is not regular or is longer than limit bytes.
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

// RealPath resolves the symlinks in an absolute path, which must exist.
func RealPath(name string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.FromSlash(name))
	return slash(real), pathError("resolve", name, err)
}

// LstatParent returns the properties of a directory that contains one of the view's trees. For any
// other directory outside the view, it returns ErrOutside. name is resolved as in a command, so it
// can be "..".
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

// Real returns the path that a name in the view refers to, with symlinks resolved.
func (v *View) Real(name string) (string, error) {
	w, err := v.follow(name, true)
	if err != nil {
		return "", pathError("resolve", name, err)
	}
	return w.tree.RealPath(w.at), nil
}

// Ancestors returns dir and all directories above it, closest first. Paths are slash-separated.
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

// FindUp returns the first of dir and the directories above it that contains an entry called name.
// It returns false if there is none.
func FindUp(dir, name string) (string, bool) {
	for _, d := range Ancestors(dir) {
		if _, err := os.Lstat(filepath.FromSlash(join(d, name))); err == nil {
			return d, true
		}
	}
	return "", false
}

// Absolute returns dir as an absolute, slash-separated path. If dir is relative, it is resolved
// against the process's working directory.
func Absolute(dir string) (string, error) {
	abs, err := filepath.Abs(filepath.FromSlash(dir))
	return slash(abs), err
}
