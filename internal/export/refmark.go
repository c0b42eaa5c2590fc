package export

import (
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// marksIn finds "#file:path" and "#tool:name" in text, except in inline code and link targets.
func marksIn(s string) []diag.Span {
	var list []diag.Span
	base := 0
	for line := range strings.Lines(s) {
		code := 0
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '`':
				code++
				continue
			case '#':
			default:
				continue
			}
			n := markLength(line[i:])
			if n == 0 || code%2 == 1 || i > 0 && line[i-1] == '(' && strings.HasPrefix(line[i+n:], ")") {
				continue
			}
			list = append(list, diag.Span{Start: base + i, End: base + i + n})
			i += n - 1
		}
		base += len(line)
	}
	return list
}

// markLength returns the length of the mark at the start of s, or 0.
func markLength(s string) int {
	end := 0
	switch {
	case strings.HasPrefix(s, "#file:"):
		end = strings.IndexFunc(s[6:], func(r rune) bool { return chars.IsSpace(r) || r == '#' })
	case strings.HasPrefix(s, "#tool:"):
		end = strings.IndexFunc(s[6:], func(r rune) bool {
			return r != '_' && r != '-' && r != '.' && r != '/' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
	default:
		return 0
	}
	if end < 0 {
		end = len(s) - 6
	}
	word := s[6 : 6+end]
	if strings.HasPrefix(s, "#file:") {
		// Trailing punctuation belongs to the sentence.
		word = strings.TrimRight(word, ".,;:!?)]}'\"*`")
	}
	if word == "" {
		return 0
	}
	return 6 + len(word)
}
