package chars

import "strings"

// Short is a text for a message: on one line, and at most so many characters and "…".
func Truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
