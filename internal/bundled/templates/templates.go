// Package templates contains the templates for vade new. Each KIND/NAME folder holds one
// template's text and companion files. To add a template, add a folder.
package templates

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
)

//go:embed agent command instruction skill
var files embed.FS

// File is a template's companion file.
type File struct {
	// Path is relative to the template's folder, with slashes.
	Path string
	Data []byte
	// Executable is set if the file is executable.
	Executable bool
}

// Main returns the name of the file that contains a template's text.
func Main(k definition.Kind) string {
	if k == definition.Skill {
		return "SKILL.md"
	}
	return k.String() + ".md"
}

// Names returns the names of a kind's templates, starting with the default.
func Names(k definition.Kind) []string {
	entries, err := files.ReadDir(k.String())
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	first := "plain"
	if k == definition.Instruction {
		first = "project"
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == first:
			return -1
		case b == first:
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// Read returns a template's text, including its frontmatter, and its companion files. If
// the template does not exist, the error wraps [fs.ErrNotExist].
func Read(k definition.Kind, name string) (text []byte, companions []File, err error) {
	dir := path.Join(k.String(), name)
	if text, err = files.ReadFile(path.Join(dir, Main(k))); err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(files, dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || p == path.Join(dir, Main(k)) {
			return err
		}
		data, err := files.ReadFile(p)
		companions = append(companions, File{
			Path: strings.TrimPrefix(p, dir+"/"), Data: data, Executable: strings.HasPrefix(string(data), "#!"),
		})
		return err
	})
	return text, companions, err
}
