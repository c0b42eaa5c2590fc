// Package bundled contains the definitions that come with Vade. They form the lowest layer: any
// other definition with the same name shadows them. A definition is a folder with a SKILL.md and
// the files it links to; to add one, add a folder. Only skills with computed text need code; see
// [Body].
//
// Fields that some hosts lack or spell differently are in the frontmatter's metadata. They have the
// prefix "vade-" and the same meaning as the field without the prefix. The field vade-when
// determines when the definition is active; see [Condition].
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

// FS returns the bundled skills, one folder each.
func FS() fs.FS {
	sub, err := fs.Sub(files, "skills")
	if err != nil {
		// Sub fails only for invalid paths, and this path is a constant.
		return files
	}
	return sub
}

// File is the name of the file that contains a definition's text.
const File = "SKILL.md"

// Body returns the function that computes a skill's text from its raw
// arguments, or nil if the skill in fsys has fixed text. Computed text may
// contain user input and must not be expanded further.
func Body(fsys fs.FS, name string) func(args string) string {
	if u, ok := fsys.(union); ok && u.adds(name) {
		return nil
	}
	if name == "loop" {
		return schedule.Body
	}
	return nil
}

// Names returns the names of the definitions in fsys.
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

// Key is a metadata entry meant for Vade, without its prefix.
type Key struct{ Name, Value string }

// keyPrefix is the prefix of metadata keys meant for Vade.
const keyPrefix = "vade-"

// maxHead is the maximum size of a bundled definition's frontmatter, in bytes.
const maxHead = 4 << 10

// KeyReader reads the keys of multiple definitions using a single buffer. The zero value is ready
// to use.
type KeyReader struct{ head [maxHead]byte }

// Keys returns a definition's keys for Vade, in file order. It reads only plain or quoted strings
// on a single line; a test compares the result with that of a YAML parser.
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
	if !ok || !bytes.Contains(rest, []byte(keyPrefix)) {
		return nil
	}
	var list []Key
	for line := range bytes.SplitSeq(rest, []byte("\n")) {
		line, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(keyPrefix))
		if !ok {
			continue
		}
		if key, value, ok := strings.Cut(string(line), ":"); ok {
			list = append(list, Key{key, unquote(strings.TrimSpace(value))})
		}
	}
	return list
}

// unquote returns the value of a single-line YAML scalar.
func unquote(v string) string {
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
