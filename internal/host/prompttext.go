package host

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// Trimmed is a text without white space at its ends.
func Trimmed(s string) string { return strings.TrimFunc(s, chars.IsSpace) }

// ArgumentLine is the line of arguments behind a body, if there is more than white
// space in it.
func ArgumentLine(c Called) string {
	if Trimmed(c.Arguments) == "" {
		return ""
	}
	return "\n\n" + c.Arguments
}

// CutLine cuts a line at a number of characters, as JavaScript counts them, and
// puts a mark behind.
func CutLine(line string, most int, mark string) string {
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

// FileURL is the address of an absolute path.
func FileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
