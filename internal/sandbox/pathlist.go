package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SafePath returns list, which is in PATH format, without relative directories
// and directories inside a forbidden directory.
func SafePath(list string, forbid []string) string {
	var dirs []string
	for _, dir := range filepath.SplitList(list) {
		inside := slices.ContainsFunc(forbid, func(root string) bool {
			root = filepath.FromSlash(root)
			return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
		})
		if filepath.IsAbs(dir) && !inside {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// Installed reports whether a directory in list, which is in PATH format, has an entry called name.
// The entry need not be trusted or executable. If list contains a relative directory, Installed
// always returns true.
func Installed(name, list string) bool {
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			return true
		}
		for _, file := range fileNames(name) {
			if _, err := os.Lstat(filepath.Join(dir, file)); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
	}
	return false
}
