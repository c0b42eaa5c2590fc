package host

import (
	"encoding/json"
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

// jsonText writes a text as a JSON string, as JavaScript does: without escapes
// for HTML.
func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	text := strings.TrimSuffix(b.String(), "\n")
	text = strings.ReplaceAll(text, `\u2028`, "\u2028")
	return strings.ReplaceAll(text, `\u2029`, "\u2029")
}

// fileLines are the lines of a file; what ends with a line break has no empty
// line behind it.
func fileLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
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
