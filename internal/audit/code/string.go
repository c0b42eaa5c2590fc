package code

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// body reads a string from its first character on. With an empty close it goes to the end of
// what is read. It reports whether the string ends; one that does not end in its line is none.
func (x *lexer) body(t *token, from int, stop string, q quote) bool {
	b := stringBuilder{x: x, t: t, chunk: from}
	depth, at := 0, from
	for at < x.max {
		c := x.src[at]
		switch {
		case stop != "" && depth == 0 && c == stop[0] && strings.HasPrefix(x.src[at:x.max], stop):
			n := len(stop)
			if q.doubled && strings.HasPrefix(x.src[at+n:x.max], stop) {
				b.literal(at, "")
				b.chunk = at + n
				at += 2 * n
				continue
			}
			b.literal(at, "")
			b.done(q)
			x.at = at + n
			return true
		case stop != "" && q.open != "" && q.open != stop && len(q.open) == 1 && c == q.open[0]:
			depth++
		case depth > 0 && stop != "" && c == stop[0]:
			depth--
		case c == '\n' && !q.multi:
			return false
		default:
			if next := b.inside(at, q); next > at {
				at = next
				continue
			}
		}
		at++
	}
	b.literal(x.max, "")
	b.done(q)
	x.at = x.max
	return true
}

// stringBuilder puts the text of a string together.
type stringBuilder struct {
	x *lexer
	t *token
	// chunk is where the text begins that is not in text yet.
	chunk int
	text  strings.Builder
}

// inside reads an expression or an escape, and returns the place after it; at if there is none.
func (b *stringBuilder) inside(at int, q quote) int {
	if q.interpolated {
		if next := b.expression(at); next > at {
			return next
		}
	}
	if b.x.src[at] == '\\' && !q.raw && at+1 < b.x.max {
		return b.escape(at)
	}
	return at
}

// literal adds what is in the source up to a place, and a text.
func (b *stringBuilder) literal(to int, s string) {
	if b.chunk < to {
		b.text.WriteString(b.x.src[b.chunk:to])
	}
	b.text.WriteString(s)
}

// flush ends a part.
func (b *stringBuilder) flush() {
	s := b.text.String()
	b.text.Reset()
	if n := len(b.t.parts); n > 0 {
		b.t.parts[n-1].text = s
	} else {
		b.t.text = s
	}
}

func (b *stringBuilder) done(q quote) {
	b.flush()
	b.t.kind, b.t.command, b.t.words, b.t.pattern = text, q.command, q.words, q.pattern
}

// letterEscapes are what one letter after a backslash stands for.
const letterEscapes = "n\nt\tr\r0\x00a\ab\bf\fv\ve\x1b"

// escape undoes the escape at a backslash, and returns the place after it.
func (b *stringBuilder) escape(at int) int {
	src := b.x.src[:b.x.max]
	b.literal(at, "")
	c := src[at+1]
	next := at + 2
	switch {
	case c == 'x' || c == 'u' || c == 'U' || c >= '0' && c <= '7':
		if r, to, ok := number16(src, at+1); ok {
			if c == 'x' || c >= '0' && c <= '7' {
				b.text.WriteByte(byte(r))
			} else {
				b.text.WriteRune(r)
			}
			if r < 0x80 && (letter(byte(r)) || digit(byte(r)) || r == '/') {
				b.x.escapes++
			}
			next = to
			break
		}
		b.text.WriteByte(c)
	case c == '\n' || c == '\r':
	case strings.IndexByte("\\'\"`$#@{}/ &*()", c) >= 0:
		b.text.WriteByte(c)
	default:
		if i := strings.IndexByte(letterEscapes, c); i >= 0 && i%2 == 0 {
			b.text.WriteByte(letterEscapes[i+1])
			break
		}
		b.text.WriteByte('\\')
		b.text.WriteByte(c)
	}
	b.chunk = next
	return next
}

// number16 reads x41, x{41}, u0041, u{41} and 101.
func number16(src string, at int) (rune, int, bool) {
	base, from, most := 16, at+1, 2
	switch c := src[at]; {
	case c == 'u':
		most = 4
	case c == 'U':
		most = 8
	case c != 'x':
		base, from, most = 8, at, 3
	}
	if from < len(src) && src[from] == '{' {
		to := strings.IndexByte(src[from:min(len(src), from+10)], '}')
		if to < 0 {
			return 0, 0, false
		}
		n, err := strconv.ParseUint(src[from+1:from+to], 16, 31)
		return rune(n), from + to + 1, err == nil && n <= utf8.MaxRune
	}
	to := from
	for to < len(src) && to < from+most && (base == 8 && src[to] >= '0' && src[to] <= '7' || base == 16 && hexDigit(src[to])) {
		to++
	}
	n, err := strconv.ParseUint(src[from:to], base, 31)
	return rune(n), to, err == nil && n <= utf8.MaxRune
}

func hexDigit(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// expression reads an expression in a string, and returns the place after it; at if there is none.
func (b *stringBuilder) expression(at int) int {
	src := b.x.src[:b.x.max]
	for _, open := range b.x.interp {
		if !strings.HasPrefix(src[at:], open) {
			continue
		}
		from := at + len(open)
		to, next := from, from
		switch last := open[len(open)-1]; {
		case last == '{' && open == "{" && strings.HasPrefix(src[from:], "{"):
			// {{ is a brace.
			b.literal(from, "")
			b.chunk = from + 1
			return from + 1
		case last == '{' || last == '(' || open == "{$" || open == "@{":
			to = matching(src, from, closer(open[strings.IndexAny(open, "{(")]))
			if to < 0 {
				continue
			}
			next = to + 1
			if open == "{$" {
				from--
			}
		default:
			if to = variable(src, from); to == from {
				if from < len(src) && src[from] == '{' {
					if to = matching(src, from+1, '}'); to < 0 {
						continue
					}
					from++
					next = to + 1
					break
				}
				continue
			}
			next = to
		}
		b.literal(at, "")
		b.flush()
		b.t.parts = append(b.t.parts, part{from: from, to: to})
		b.chunk = next
		return next
	}
	return at
}

// variable is the end of a variable in a string, with its index: $a, $a[0], $a{b}, $a->{b}.
func variable(src string, at int) int {
	to := at
	for to < len(src) && (letter(src[to]) && src[to] < 0x80 || digit(src[to]) && to > at) {
		to++
	}
	if to == at {
		return at
	}
	for n := 0; n < 4; n++ {
		next := to
		if strings.HasPrefix(src[next:], "->") {
			next += 2
		}
		if next >= len(src) || src[next] != '[' && src[next] != '{' {
			break
		}
		end := matching(src, next+1, closer(src[next]))
		if end < 0 {
			break
		}
		to = end + 1
	}
	return to
}

// matching is the place of the bracket that closes an expression, in the same line or the
// next ones; -1 if there is none. Quotes inside are skipped.
func matching(src string, at int, stop byte) int {
	open := byte('{')
	switch stop {
	case ')':
		open = '('
	case ']':
		open = '['
	}
	depth := 0
	for i := at; i < len(src) && i < at+4096; i++ {
		switch c := src[i]; c {
		case open:
			depth++
		case stop:
			if depth == 0 {
				return i
			}
			depth--
		case '\\':
			i++
		case '\'', '"', '`':
			if j := strings.IndexByte(src[i+1:min(len(src), i+512)], c); j >= 0 {
				i += j + 1
			}
		}
	}
	return -1
}
