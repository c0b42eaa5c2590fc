// Package bundled holds the definitions that come with Vade: the lowest layer,
// which anything of the user's shadows. A definition is a folder with a SKILL.md and
// the files that its text links to; adding one is adding a folder. Code is needed only
// for a skill whose text is computed; see [Body].
//
// What hosts have no field for, or each another one, stands in the metadata of the
// frontmatter under keys that begin with "vade-": they mean what the same key without
// that means in a definition of the user's, and vade-when is the condition under which
// the definition is in force; see [Condition].
package bundled

import (
	"bytes"
	"embed"
	"io"
	"io/fs"
	"strings"

	"github.com/vadehq/vade/internal/schedule"
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

// File is the name of the file in a folder that makes it a definition.
const File = "SKILL.md"

// Body returns what computes the text of a skill from its arguments, as they are
// typed; nil for all others, whose text is that of their file. A computed text is
// final: it may hold what the user typed, and nothing in it is looked at again.
func Body(name string) func(args string) string {
	if name == "loop" {
		return schedule.Body
	}
	return nil
}

// Names are the names of the definitions in a file system of folders.
func Names(fsys fs.FS) []string {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Key is one key of a definition's metadata that is meant for Vade, without what such
// keys begin with.
type Key struct{ Name, Value string }

// own is what the keys for Vade begin with.
const own = "vade-"

// maxHead is how far the frontmatter of a bundled definition may go.
const maxHead = 4 << 10

// Keys returns the keys for Vade of a definition, in their order. They are lines of
// one text each, in quotes or without; a test reads them with a parser of YAML as well.
func Keys(fsys fs.FS, name string) []Key { return new(KeyReader).Keys(fsys, name) }

// KeyReader reads the keys of many definitions, one after the other. The zero value is
// ready to use.
type KeyReader struct{ head [maxHead]byte }

// Keys is [Keys].
func (r *KeyReader) Keys(fsys fs.FS, name string) []Key {
	f, err := fsys.Open(name + "/" + File)
	if err != nil {
		return nil
	}
	defer f.Close()
	n, err := io.ReadFull(f, r.head[:])
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil
	}
	return keys(r.head[:n])
}

func keys(head []byte) []Key {
	rest, ok := bytes.CutPrefix(head, []byte("---\n"))
	if !ok {
		return nil
	}
	rest, _, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok || !bytes.Contains(rest, []byte(own)) {
		return nil
	}
	var list []Key
	for line := range bytes.SplitSeq(rest, []byte("\n")) {
		line, mine := bytes.CutPrefix(bytes.TrimSpace(line), []byte(own))
		if !mine {
			continue
		}
		if key, value, ok := strings.Cut(string(line), ":"); ok {
			list = append(list, Key{key, plain(strings.TrimSpace(value))})
		}
	}
	return list
}

// plain is what a value of one line says.
func plain(v string) string {
	if len(v) < 2 || v[0] != v[len(v)-1] {
		return v
	}
	switch v[0] {
	case '"':
		if !strings.Contains(v, `\`) {
			return v[1 : len(v)-1]
		}
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(v[1 : len(v)-1])
	case '\'':
		return strings.ReplaceAll(v[1:len(v)-1], "''", "'")
	}
	return v
}
