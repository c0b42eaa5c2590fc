package pathmatch

import (
	"slices"
	"strings"
	"unicode"
)

// set holds the characters in a bracket expression, such as [a-z].
type set struct {
	negated bool
	ranges  []span
}

// span is an inclusive range of characters.
type span struct{ lo, hi rune }

// has reports whether the set contains c or, with FoldCase, c in either case.
func (s *set) has(c rune, opts Options) bool {
	in := s.contains(c)
	if opts.FoldCase && !in {
		in = s.contains(fold(c, opts.Runes)) || s.contains(upper(c, opts.Runes))
	}
	return in != s.negated
}

func (s *set) contains(c rune) bool {
	return slices.ContainsFunc(s.ranges, func(r span) bool { return r.lo <= c && c <= r.hi })
}

func upper(r rune, runes bool) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	if !runes || r > unicode.MaxRune {
		return r
	}
	return unicode.ToUpper(r)
}

// parseSet parses the bracket expression whose content starts at p[i:], after the "[". It returns
// the set and the offset after the closing "]". It returns nil if the "]" is missing or the
// expression contains an unknown [:name:], because git never matches such a pattern. A leading "]"
// is literal.
func parseSet(p string, i int, opts Options) (*set, int) {
	var s set
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		s.negated = true
		i++
	}
	// prev is the previous character, which starts a range if "-" follows it. It is none if no
	// range can start there.
	const none = -1
	prev := rune(none)
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		switch {
		case p[i] == ']' && !first:
			return &s, i + 1
		case p[i] == '-' && prev != none && i+1 < len(p) && p[i+1] != ']':
			hi, end := setChar(p, i+1, opts)
			if end == 0 {
				return nil, 0
			}
			s.ranges = append(s.ranges, span{prev, hi})
			prev, i = none, end
		case strings.HasPrefix(p[i:], "[:"):
			name, end := className(p, i+2)
			if end == 0 {
				return nil, 0
			}
			if name == "" {
				s.ranges = append(s.ranges, span{'[', '['})
				prev, i = '[', i+1
				continue
			}
			ranges := classRanges(name)
			if ranges == nil {
				return nil, 0
			}
			s.ranges = append(s.ranges, ranges...)
			prev, i = none, end
		default:
			c, end := setChar(p, i, opts)
			if end == 0 {
				return nil, 0
			}
			s.ranges = append(s.ranges, span{c, c})
			prev, i = c, end
		}
	}
}

// setChar parses one character in a bracket expression, which may be escaped with a backslash. If p
// ends first, the returned offset is 0.
func setChar(p string, i int, opts Options) (rune, int) {
	if p[i] == '\\' {
		if i++; i == len(p) {
			return 0, 0
		}
	}
	c, size := next(p[i:], opts.Runes)
	return c, i + size
}

// className parses the rest of a [:name:], starting with the name. It returns the name with the
// colon that follows it, and the offset after the "]". If no colon precedes the "]", the name is
// empty, and the caller must treat the "[" literally. If there is no "]", the offset is 0.
func className(p string, i int) (string, int) {
	n := strings.IndexByte(p[i:], ']')
	if n < 0 {
		return "", 0
	}
	if n == 0 || p[i+n-1] != ':' {
		return "", i + n + 1
	}
	return p[i : i+n], i + n + 1
}

// classRanges returns the characters in the class [:name:], or nil if there is no such class. The
// name must include the closing colon. As in git, classes contain only ASCII characters.
func classRanges(name string) []span {
	switch name {
	case "alnum:":
		return []span{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}
	case "alpha:":
		return []span{{'A', 'Z'}, {'a', 'z'}}
	case "blank:":
		return []span{{' ', ' '}, {'\t', '\t'}}
	case "cntrl:":
		return []span{{0, ' ' - 1}, {0x7f, 0x7f}}
	case "digit:":
		return []span{{'0', '9'}}
	case "graph:":
		return []span{{'!', '~'}}
	case "lower:":
		return []span{{'a', 'z'}}
	case "print:":
		return []span{{' ', '~'}}
	case "punct:":
		return []span{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	case "space:":
		return []span{{' ', ' '}, {'\t', '\r'}}
	case "upper:":
		return []span{{'A', 'Z'}}
	case "xdigit:":
		return []span{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	}
	return nil
}
