package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns s with every character that does not show, or that looks like a
// plain blank and is none, as its number: ‹U+200B›, a byte that is not UTF-8 as
// ‹0xFF›. So are those that are in their place between emoji or letters. Line ends and
// tabs stay. Where s itself has such a mark its first sign is written so too: what
// stands there is told exactly. n is how many characters are written so.
func Visible(s string) (text string, n int) {
	var out []byte
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unseen(r, size) || r == '‹' && (strings.HasPrefix(s[i+size:], "U+") || strings.HasPrefix(s[i+size:], "0x")) {
			out = append(out, s[from:i]...)
			out = appendNumber(out, r, size, s[i])
			n++
			from = i + size
		}
		i += size
	}
	if n == 0 {
		return s, 0
	}
	return string(append(out, s[from:]...)), n
}

// unseen reports whether a character does not show, or shows as a blank that is none.
func unseen(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1:
		return true
	case r < utf8.RuneSelf:
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	case r == 0x3000:
		// Its width is its meaning.
		return false
	}
	return hidden(r) || contextual(r) || r == 0xa0 || r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x2800
}

// appendNumber writes a character by its number.
func appendNumber(out []byte, r rune, size int, raw byte) []byte {
	if r == utf8.RuneError && size == 1 {
		return fmt.Appendf(out, "‹0x%02X›", raw)
	}
	return fmt.Appendf(out, "‹U+%04X›", r)
}

// Mark returns a line of other people's text as it is shown with a part of it marked,
// given in bytes: what does not show is written by its number, and a line that is too
// long for limit columns is cut around the part. at is the column where the marks
// begin, from 0, marks how many there are, at least 1.
func Mark(line string, from, to, limit int) (text string, at, marks int) {
	if limit <= 0 {
		limit = sourceWidth
	}
	from = min(max(from, 0), len(line))
	to = min(max(to, from), len(line))
	return window(line, from, to, max(limit, 20), appendNumber)
}
