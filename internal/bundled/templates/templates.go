// Package templates holds the texts that vade new begins with: a folder for each
// kind of definition, and in it one for each template. Adding one is adding a folder.
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

// File is a file beside the text of a template.
type File struct {
	// Path is below the folder of the template, with slashes.
	Path string
	Data []byte
	// Executable is the bit of a file that may be run.
	Executable bool
}

// Main returns the name of the file in the folder of a template that holds its text.
func Main(k definition.Kind) string {
	if k == definition.Skill {
		return "SKILL.md"
	}
	return k.String() + ".md"
}

// Names returns the names of the templates of a kind, the one that is taken where
// none is named first.
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

// Read returns the text of a template, with its frontmatter, and the files beside it.
// The error is that of a template that is not there.
func Read(k definition.Kind, name string) (text []byte, beside []File, err error) {
	dir := path.Join(k.String(), name)
	if text, err = files.ReadFile(path.Join(dir, Main(k))); err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(files, dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || p == path.Join(dir, Main(k)) {
			return err
		}
		data, err := files.ReadFile(p)
		beside = append(beside, File{
			Path: strings.TrimPrefix(p, dir+"/"), Data: data, Executable: strings.HasPrefix(string(data), "#!"),
		})
		return err
	})
	return text, beside, err
}
