package coreutils

import (
	"bufio"
	"strconv"
	"strings"
)

// echo parses its arguments like the bash builtin. The first argument that does not consist of
// known flags, and everything after it, is text.
func echo(p *parsed) (*Prepared, error) {
	args, newline, escapes := p.args, true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				newline = false
			default:
				escapes = c == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescape(text); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return writes(func(_ *IO, out *bufio.Writer) int {
		out.WriteString(text)
		return 0
	}), nil
}

// unescape replaces the escapes that echo -e supports. stop reports whether \c ends the output.
func unescape(text string) (out string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		digits := func(from, base, maxDigits int) (n uint64) {
			end := from
			for end < len(text) && end-from < maxDigits && strings.IndexByte("0123456789abcdefABCDEF"[:base+base/16*6], text[end]) >= 0 {
				end++
			}
			n, _ = strconv.ParseUint(text[from:end], base, 32)
			i = max(i, end-1)
			return n
		}
		at := strings.IndexByte(`abefnrtvE\`, c)
		switch {
		case at >= 0:
			b.WriteByte("\a\b\x1b\f\n\r\t\v\x1b\\"[at])
		case c == 'c':
			return b.String(), true
		case c == '0':
			b.WriteByte(byte(digits(i+1, 8, 3)))
		case c == 'x':
			b.WriteByte(byte(digits(i+1, 16, 2)))
		case c == 'u':
			b.WriteRune(rune(digits(i+1, 16, 4)))
		case c == 'U':
			b.WriteRune(rune(digits(i+1, 16, 8)))
		default:
			b.WriteString(text[i-1 : i+1])
		}
	}
	return b.String(), false
}

// cutSet splits text after its longest prefix that consists of characters in chars.
func cutSet(text, chars string) (prefix, rest string) {
	rest = strings.TrimLeft(text, chars)
	return text[:len(text)-len(rest)], rest
}
