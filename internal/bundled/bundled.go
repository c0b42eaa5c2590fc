// Package bundled holds the definitions that come with Vade: the lowest layer,
// which anything of the user's shadows. A definition is a folder with a
// SKILL.md; adding one is adding a folder.
package bundled

import (
	"embed"
	"io/fs"
)

//go:embed skills
var files embed.FS

// FS returns the folders of the bundled skills.
func FS() fs.FS {
	sub, err := fs.Sub(files, "skills")
	if err != nil {
		// Sub fails on an invalid path only, and this one is a constant.
		return files
	}
	return sub
}
