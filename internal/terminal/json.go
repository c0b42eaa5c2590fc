package terminal

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// EscapeJSON replaces, in JSON, the characters that a terminal obeys and a person
// does not see: controls, marks of direction, and what has no width. They stand
// in strings only, where an escape means the same. So does "##[", with which a command
// to GitHub Actions begins anywhere in a line.
func EscapeJSON(data []byte) []byte {
	if bytes.Contains(data, []byte("##[")) {
		data = bytes.ReplaceAll(data, []byte("##["), []byte(`##\u005b`))
	}
	var out []byte
	from := 0
	for i := 0; i < len(data); {
		if data[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if hiddenInJSON(r) {
			out = append(out, data[from:i]...)
			for _, unit := range utf16.AppendRune(nil, r) {
				out = append(out, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
			}
			from = i + n
		}
		i += n
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}

// hiddenInJSON is for what is not ASCII, and the character of deletion.
func hiddenInJSON(r rune) bool { return r != zwnj && r != zwj && hidden(r) }
