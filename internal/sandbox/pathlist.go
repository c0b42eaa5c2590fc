package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SafePath returns a list of directories, as in the variable PATH, without
// those that are relative, and without those in one of the directories of
// forbid.
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

// Installed reports whether any directory of a list, as in the variable PATH,
// has an entry of the name, whether or not it can be trusted or executed. A list
// with a relative directory has everything.
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
