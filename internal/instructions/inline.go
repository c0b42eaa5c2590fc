package instructions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/chars"
)

// mark is a run of "*" or "_".
type mark struct {
	char byte
	// start and end are what of the run has no meaning yet.
	start, end int
	opens      bool
	closes     bool
}

// newMark reads the run of n at i: whether it may begin or end emphasis depends on
// what stands around it (CommonMark, "delimiter runs").
func newMark(text string, i, n int) mark {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	blankBefore, blankAfter := i == 0 || chars.IsSpace(before), i+n == len(text) || chars.IsSpace(after)
	punctBefore, punctAfter := isPunctRune(before), isPunctRune(after)
	left := !blankAfter && (!punctAfter || blankBefore || punctBefore)
	right := !blankBefore && (!punctBefore || blankAfter || punctAfter)
	m := mark{char: text[i], start: i, end: i + n, opens: left, closes: right}
	if m.char == '_' {
		m.opens = left && (!right || punctBefore)
		m.closes = right && (!left || punctAfter)
	}
	return m
}

func isPunctRune(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// group is the text of one link, or what is in none: no emphasis begins in one
// and ends in another.
type group struct {
	// base is the height of the stack of open runs where the group begins, and
	// without that below which there is none of the kind to find.
	base    uint32
	without [2]uint32
}

// emphasis finds for a closing run the nearest opening one of its group, and drops
// the marks of both. Those between the two are text.
func (in *inline) emphasis(m mark) {
	g := in.groups.at(in.groups.size - 1)
	kind := 0
	if m.char == '_' {
		kind = 1
	}
	for m.closes && m.start < m.end {
		at := in.opened.size - 1
		for at >= int(g.without[kind]) && in.text[in.opened.at(at).start] != m.char {
			at--
		}
		if at < int(g.without[kind]) {
			g.without[kind] = uint32(in.opened.size)
			break
		}
		o := in.opened.at(at)
		n := min(2, int(o.end-o.start), m.end-m.start)
		in.drop(int(o.end)-n, int(o.end))
		in.drop(m.start, m.start+n)
		o.end -= uint32(n)
		m.start += n
		if o.end > o.start {
			at++
		}
		in.opened.truncate(at)
		for k := range g.without {
			g.without[k] = min(g.without[k], uint32(at))
		}
	}
	if m.opens && m.start < m.end {
		in.opened.push(line{uint32(m.start), uint32(m.end)})
	}
}

// targetLength returns the length of "(target)", with or without a title, at the
// start of s, or 0.
func targetLength(s string) int {
	if !strings.HasPrefix(s, "(") {
		return 0
	}
	i := 1 + blankLength(s[1:])
	if i < len(s) && s[i] == '<' {
		n := strings.IndexAny(s[i+1:], "<>\n")
		if n < 0 || s[i+1+n] != '>' {
			return 0
		}
		i += n + 2
	} else {
		i += wordLength(s[i:])
	}
	blanks := blankLength(s[i:])
	if n := titleLength(s[i+blanks:]); n > 0 && blanks > 0 {
		i += blanks + n
		blanks = blankLength(s[i:])
	}
	if i += blanks; i == len(s) || s[i] != ')' {
		return 0
	}
	return i + 1
}

// maxParens is how deep parentheses in a target are followed.
const maxParens = 32

// wordLength returns the length of a target without angle brackets: up to white
// space or the parenthesis that is not its own.
func wordLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ':
			return i
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return i
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(s)
}

// maxTitle bounds the search for the end of a title, so that it stays linear.
const maxTitle = 1000

func titleLength(s string) int {
	if s == "" {
		return 0
	}
	closer := s[0]
	switch closer {
	case '"', '\'':
	case '(':
		closer = ')'
	default:
		return 0
	}
	for i := 1; i < min(len(s), maxTitle); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == closer {
			return i + 1
		}
	}
	return 0
}

func blankLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\n') {
		n++
	}
	return n
}

// maxTag bounds the length of a tag.
const maxTag = 4096

// tagLength returns the length of the HTML tag at the start of s, or 0.
func tagLength(s string) int {
	if len(s) > maxTag {
		s = s[:maxTag]
	}
	i, closing := 1, strings.HasPrefix(s, "</")
	if closing {
		i++
	}
	if i >= len(s) || !isAlnum(s[i]) || s[i] <= '9' {
		return 0
	}
	for i < len(s) && (isAlnum(s[i]) || s[i] == '-') {
		i++
	}
	for {
		blanks := blankLength(s[i:])
		i += blanks
		switch {
		case i == len(s):
			return 0
		case s[i] == '>':
			return i + 1
		case !closing && strings.HasPrefix(s[i:], "/>"):
			return i + 2
		case closing, blanks == 0:
			return 0
		}
		n := attributeLength(s[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
}

// attributeLength returns the length of the attribute of a tag at the start of s,
// or 0.
func attributeLength(s string) int {
	i := 0
	for i < len(s) && (isAlnum(s[i]) || strings.IndexByte("_:.-", s[i]) >= 0) {
		i++
	}
	if i == 0 {
		return 0
	}
	at := i + blankLength(s[i:])
	if at == len(s) || s[at] != '=' {
		return i
	}
	at++
	at += blankLength(s[at:])
	if at == len(s) {
		return 0
	}
	if q := s[at]; q == '"' || q == '\'' {
		n := strings.IndexByte(s[at+1:], q)
		if n < 0 {
			return 0
		}
		return at + n + 2
	}
	n := strings.IndexAny(s[at:], " \t\n\"'=<>`")
	if n <= 0 {
		return 0
	}
	return at + n
}

// addressLength returns the length of an address in angle brackets, such as
// <https://example.org> or <me@example.org>, or 0.
func addressLength(s string) int {
	n := strings.IndexAny(s[1:min(len(s), maxTag)], " \t\n<>")
	if n <= 0 || s[1+n] != '>' || !isAlnum(s[1]) {
		return 0
	}
	inner := s[1 : 1+n]
	if scheme, _, ok := strings.Cut(inner, ":"); ok && len(scheme) >= 2 && len(scheme) <= 32 {
		return n + 2
	}
	if at := strings.IndexByte(inner, '@'); at > 0 {
		return n + 2
	}
	return 0
}
