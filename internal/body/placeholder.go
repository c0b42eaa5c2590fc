package body

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// dollar processes the "$" at i and returns the next offset.
func (s *scanner) dollar(i int) int {
	if seg, ok := s.placeholder(i); ok {
		return s.emit(seg)
	}
	if seg, ok := variable(s.text, i); ok {
		return s.emit(seg)
	}
	return i + 1
}

// placeholder returns the placeholder that begins with the "$" at i. A declared name takes
// precedence over everything else, so it may shadow ARGUMENTS (Claude Code 2.1.329, cases
// a07, a10, a28 and a34).
func (s *scanner) placeholder(i int) (Segment, bool) {
	rest := s.text[i+1:]
	if rest == "" {
		return Segment{}, false
	}
	seg := Segment{Kind: Placeholder}
	var n int
	if n, seg.Index = s.declared(rest); n > 0 {
		seg.Name = rest[:n]
	} else if n, seg.Index = position(rest); n == 0 {
		return Segment{}, false
	}
	seg.Span = diag.Span{Start: i, End: i + 1 + n}
	return seg, true
}

// declared returns the length and argument position of the declared name at the start of rest. A
// word character or "[" must not follow the name. If a name is declared several times, its first
// position is used.
func (s *scanner) declared(rest string) (length, position int) {
	ends := func(n int) bool { return n == len(rest) || !isWord(rest[n]) && rest[n] != '[' }
	if len(s.words) > 0 {
		if n := wordLength(rest); n > 0 && ends(n) {
			if i, ok := s.words[rest[:n]]; ok {
				length, position = n, i
			}
		}
	}
	for _, o := range s.others {
		if (length == 0 || o.index < position) && strings.HasPrefix(rest, o.name) && ends(len(o.name)) {
			return len(o.name), o.index
		}
	}
	return length, position
}

// position returns the length and index of the positional placeholder at the start of rest, which
// follows a "$". $ARGUMENTS is recognized even if word characters follow; $N is not (case a10).
func position(rest string) (length, index int) {
	if isDigit(rest[0]) {
		n, index := number(rest)
		if n < len(rest) && isWord(rest[n]) {
			return 0, 0
		}
		return n, index
	}
	const all = "ARGUMENTS"
	if !strings.HasPrefix(rest, all) {
		return 0, 0
	}
	if n, index := subscript(rest[len(all):]); n > 0 {
		return len(all) + n, index
	}
	return len(all), All
}

// subscript returns the length and value of "[digits]" at the start of s.
func subscript(s string) (length, index int) {
	if len(s) < 3 || s[0] != '[' {
		return 0, 0
	}
	n, index := number(s[1:])
	if n == 0 || n+1 == len(s) || s[n+1] != ']' {
		return 0, 0
	}
	return n + 2, index
}

// maxNumber replaces any larger number in a placeholder or a line range. No command has that many
// arguments, and no file has that many lines.
const maxNumber = 1 << 30

// number parses the decimal digits at the start of s. It returns how many there are and their
// value.
func number(s string) (length, value int) {
	for length < len(s) && isDigit(s[length]) {
		value = min(value*10+int(s[length]-'0'), maxNumber)
		length++
	}
	return length, value
}

// variable returns the variable ${UPPER_CASE} that begins with the "$" at i. A backslash
// does not escape it (case v01).
func variable(text string, i int) (Segment, bool) {
	n := i + 2
	if n >= len(text) || text[i+1] != '{' || text[n] < 'A' || text[n] > 'Z' {
		return Segment{}, false
	}
	for n < len(text) && isUpper(text[n]) {
		n++
	}
	if n == len(text) || text[n] != '}' {
		return Segment{}, false
	}
	return Segment{Kind: Variable, Name: text[i+2 : n], Span: diag.Span{Start: i, End: n + 1}}, true
}

func isUpper(c byte) bool { return c == '_' || isDigit(c) || 'A' <= c && c <= 'Z' }
