package sandbox

import (
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
