package host

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/source"
)

// trimmed is a text without white space at its ends.
func trimmed(s string) string { return strings.TrimFunc(s, source.IsSpace) }

// argumentLine is the line of arguments behind a body, if there is more than white
// space in it.
func argumentLine(c Called) string {
	if trimmed(c.Arguments) == "" {
		return ""
	}
	return "\n\n" + c.Arguments
}

// cutLine cuts a line at a number of characters, as JavaScript counts them, and
// puts a mark behind.
func cutLine(line string, most int, mark string) string {
	if len(line) <= most {
		return line
	}
	n := 0
	for i, r := range line {
		if n += max(1, utf8.RuneLen(r)-2); n > most {
			return line[:i] + mark
		}
	}
	return line
}

// Paths are the files of a folder and of those in it, by their path in it: first
// its own, then those of each folder.
func (f *Folder) Paths() []string {
	paths := append([]string(nil), f.Files...)
	for i := range f.Folders {
		for _, p := range f.Folders[i].Paths() {
			paths = append(paths, f.Folders[i].Name+"/"+p)
		}
	}
	return paths
}

// fileURL is the address of an absolute path.
func fileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
