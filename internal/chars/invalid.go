package chars

import (
	"strings"
	"unicode/utf8"
)

// ReplaceInvalid replaces invalid UTF-8 the way JavaScript's decoder does
// (Claude Code 2.1.329, case m19): each byte that cannot start or continue a
// character, and each incomplete character, becomes one U+FFFD.
func ReplaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			n = beginning(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// beginning returns the length of the incomplete character that s starts with, or 1 if the first
// byte cannot start a character. s must not start with a valid character.
func beginning(s string) int {
	need, low, high := 0, byte(0x80), byte(0xbf)
	switch c := s[0]; {
	case c == 0xe0:
		need, low = 2, 0xa0
	case c == 0xed:
		need, high = 2, 0x9f
	case 0xe1 <= c && c <= 0xef:
		need = 2
	case c == 0xf0:
		need, low = 3, 0x90
	case c == 0xf4:
		need, high = 3, 0x8f
	case 0xf1 <= c && c <= 0xf3:
		need = 3
	}
	n := 1
	for ; n < need && n < len(s) && low <= s[n] && s[n] <= high; n++ {
		low, high = 0x80, 0xbf
	}
	return n
}
