package chars

import (
	"strings"
	"unicode/utf8"
)

// Truncate shortens a string for messages: it joins the lines and, if the result is longer than
// most characters, cuts it there and adds "…".
func Truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Shorten returns text unchanged if it has at most most characters. Otherwise it returns the
// beginning followed by the ellipsis, with that total length.
func Shorten(text string, most int, ellipsis string) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:max(most-utf8.RuneCountInString(ellipsis), 0)]) + ellipsis
}

// Clip returns at most the first n bytes of s. If it cuts s, it drops a character that is cut in
// two, and adds "…".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
