package bundled

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// With returns the bundled skills combined with the skills in more, which has one folder per skill.
// If both have a folder with the same name, the one in more wins.
func With(more fs.FS) fs.FS { return union{more, FS()} }

// union is a file system that combines the folders of two others.
type union struct{ more, base fs.FS }

// adds reports whether the file system more contains a folder, which then replaces the one in base.
func (u union) adds(folder string) bool {
	_, err := fs.Stat(u.more, folder)
	return err == nil
}

// of returns the file system that contains a path.
func (u union) of(name string) fs.FS {
	folder, _, _ := strings.Cut(name, "/")
	if folder != "." && u.adds(folder) {
		return u.more
	}
	return u.base
}

// Open implements [fs.FS].
func (u union) Open(name string) (fs.File, error) { return u.of(name).Open(name) }

// ReadDir implements [fs.ReadDirFS].
func (u union) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return fs.ReadDir(u.of(name), name)
	}
	entries, err := fs.ReadDir(u.more, ".")
	if err != nil {
		return nil, err
	}
	base, err := fs.ReadDir(u.base, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range base {
		if !u.adds(e.Name()) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}
