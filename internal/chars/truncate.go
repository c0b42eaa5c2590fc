package chars

import (
	"strings"
	"unicode/utf8"
)

// Truncate shortens a string for use in a message. It replaces each run of whitespace with a space,
// and cuts the result after the given number of characters. If anything was cut, it appends "…".
func Truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Shorten limits text to a number of characters. If the text is too long, Shorten cuts it and
// appends the ellipsis, so that the result has exactly the maximum length. If the ellipsis alone
// exceeds the maximum, Shorten returns only the ellipsis.
func Shorten(text string, most int, ellipsis string) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:max(most-utf8.RuneCountInString(ellipsis), 0)]) + ellipsis
}

// Clip returns s if it has at most n bytes. Otherwise it cuts s after n bytes, or earlier to avoid
// splitting a character, and adds "…".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
