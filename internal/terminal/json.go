package terminal

import (
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// EscapeJSON replaces, in JSON, the characters that a terminal obeys and a person
// does not see: controls, marks of direction, and what has no width. They stand
// in strings only, where an escape means the same.
func EscapeJSON(data []byte) []byte {
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

func hiddenInJSON(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r == 0xad, r == 0x61c, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}
