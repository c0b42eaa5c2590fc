package pathmatch

import "strings"

// Star reports whether a text fits a pattern in which "*" stands for any text, slashes
// included, and nothing else is special.
func Star(pattern, text string) bool {
	pieces := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, pieces[0])
	if !ok || len(pieces) == 1 {
		return ok && rest == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, pieces[last])
}
