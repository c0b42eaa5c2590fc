package coreutils

import (
	"strconv"
	"strings"
)

// piece is one part of a format: plain text, or a directive with what stands
// between the percent sign and its letter.
type piece struct {
	text  string // plain text where verb is 0
	verb  byte
	sub   byte // second letter, of find's %T
	left  bool
	zero  bool
	width int
}

// maxWidth bounds the width of a directive.
const maxWidth = 1000

// parseFormat takes a format apart. Verbs says which letters are directives,
// pairs which of them take a second letter; escapes turns \n and its kin on.
func parseFormat(format, verbs, pairs string, escapes bool) ([]piece, string) {
	var out []piece
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(format); {
		switch c := format[i]; {
		case c == '\\' && escapes:
			s, n := unescape(format[i:])
			text.WriteString(s)
			i += n
		case c != '%':
			text.WriteByte(c)
			i++
		case strings.HasPrefix(format[i:], "%%"):
			text.WriteByte('%')
			i += 2
		default:
			p, n := readDirective(format[i:])
			if p.verb == 0 || strings.IndexByte(verbs, p.verb) < 0 || p.width > maxWidth {
				return nil, "unknown directive " + strconv.Quote(format[i:i+n])
			}
			i += n
			if strings.IndexByte(pairs, p.verb) >= 0 {
				if i >= len(format) {
					return nil, "a letter is missing behind %" + string(rune(p.verb))
				}
				p.sub = format[i]
				i++
			}
			flush()
			out = append(out, p)
		}
	}
	flush()
	return out, ""
}

func readDirective(s string) (p piece, n int) {
	n = 1
	for ; n < len(s) && (s[n] == '-' || s[n] == '0'); n++ {
		p.left = p.left || s[n] == '-'
		p.zero = p.zero || s[n] == '0'
	}
	for ; n < len(s) && s[n] >= '0' && s[n] <= '9' && p.width <= maxWidth; n++ {
		p.width = p.width*10 + int(s[n]-'0')
	}
	if n < len(s) {
		p.verb = s[n]
		n++
	}
	return p, n
}

// pad brings what a directive printed to its width.
func (p piece) pad(s string) string {
	gap := max(0, p.width-len(s))
	switch {
	case p.left:
		return s + strings.Repeat(" ", gap)
	case p.zero && isDigits(s):
		return strings.Repeat("0", gap) + s
	}
	return strings.Repeat(" ", gap) + s
}

// unescape reads one escape at the beginning of s.
func unescape(s string) (text string, n int) {
	if len(s) < 2 {
		return s, len(s)
	}
	if i := strings.IndexByte("abefnrtv\\\"", s[1]); i >= 0 {
		return "\a\b\x1b\f\n\r\t\v\\\""[i : i+1], 2
	}
	end, base, first := 1, 8, 1
	if s[1] == 'x' {
		base, first, end = 16, 2, 2
	}
	for limit := min(len(s), 4); end < limit && isBase(s[end], base); end++ {
	}
	if end == first {
		return s[:2], 2
	}
	v, _ := strconv.ParseUint(s[first:end], base, 16)
	return string([]byte{byte(v)}), end
}

func isBase(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0
}
