package vfs

import (
	"os"
	"path"
	"path/filepath"
)

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
