package host

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// Trimmed returns s without leading and trailing whitespace.
func Trimmed(s string) string { return strings.TrimFunc(s, chars.IsSpace) }

// ArgumentLine returns the arguments of a call as text to append to a body. It returns "" if the
// arguments contain only whitespace.
func ArgumentLine(c Called) string {
	if Trimmed(c.Arguments) == "" {
		return ""
	}
	return "\n\n" + c.Arguments
}

// CutLine returns line unchanged if it has at most limit UTF-16 units. Otherwise, it truncates line
// to that length and appends mark.
func CutLine(line string, limit int, mark string) string {
	if len(line) <= limit {
		return line
	}
	n := 0
	for i, r := range line {
		if n += max(1, utf8.RuneLen(r)-2); n > limit {
			return line[:i] + mark
		}
	}
	return line
}

// Paths returns the paths of all files in a folder: the folder's own files, followed by the files
// in each subfolder.
func (f *Folder) Paths() []string {
	paths := append([]string(nil), f.Files...)
	for i := range f.Folders {
		for _, p := range f.Folders[i].Paths() {
			paths = append(paths, f.Folders[i].Name+"/"+p)
		}
	}
	return paths
}

// FileURL returns the file URL for an absolute path.
func FileURL(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
