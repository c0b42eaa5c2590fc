package chars

import (
	"strings"
	"unicode/utf8"
)

// Truncate replaces each run of whitespace in a string with a space, for use in a message. If the
// result has more than most characters, Truncate shortens it to that length and appends "…".
func Truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Shorten returns text unchanged if it does not have more characters than the limit most. Otherwise
// it cuts text and adds the ellipsis, so that the result is exactly most characters long. If the
// ellipsis alone is longer than most, it is the result.
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
