package chars

import "strings"

// Truncate shortens a string for messages: it joins the lines and, if the result is longer than
// most characters, cuts it there and adds "…".
func Truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
