package coreutils

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// echo parses its words like bash's builtin: a word that contains anything but known flags is
// text, and so is everything after it.
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
		if text, stop = unescape(text, false); stop {
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

// unescape replaces the escapes of echo -e and printf. stop reports that \c ended the output. In a
// format, octal numbers need no leading 0, and \c has no meaning.
func unescape(text string, format bool) (out string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		digits := func(from, base, most int) (n uint64) {
			end := from
			for end < len(text) && end-from < most && strings.IndexByte("0123456789abcdefABCDEF"[:base+base/16*6], text[end]) >= 0 {
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
		case c == 'c' && !format:
			return b.String(), true
		case format && strings.IndexByte(`"'?`, c) >= 0:
			b.WriteByte(c)
		case c == '0' && !format:
			b.WriteByte(byte(digits(i+1, 8, 3)))
		case format && '0' <= c && c <= '7':
			b.WriteByte(byte(digits(i, 8, 3)))
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

// maxPadding is the maximum width and precision.
const maxPadding = 10_000

// directive is one conversion of a format. If verb is 0, it is text.
type directive struct {
	text             string
	verb             byte
	flags            string
	width, precision string // digits, or "" for none
}

func printf(p *parsed) (*Prepared, error) {
	args, word := p.args, 1
	if len(args) > 0 && args[0] == "--" {
		args, word = args[1:], 2
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		return nil, usage(1, "unknown flag %s", args[0])
	}
	if len(args) == 0 {
		return nil, usage(0, "missing format")
	}
	var format []directive
	for rest := args[0]; rest != ""; {
		text, after, found := strings.Cut(rest, "%")
		text, _ = unescape(text, true)
		format = append(format, directive{text: text})
		if rest = after; !found {
			break
		}
		var d directive
		d.flags, rest = cutSet(rest, "-+0 #")
		d.width, rest = cutSet(rest, "0123456789")
		if strings.HasPrefix(rest, ".") {
			if d.precision, rest = cutSet(rest[1:], "0123456789"); d.precision == "" {
				d.precision = "0"
			}
		}
		for _, size := range []string{d.width, d.precision} {
			if n, err := strconv.Atoi(size); size != "" && (err != nil || n > maxPadding) {
				return nil, usage(word, "unsupported width in %q", args[0])
			}
		}
		if rest == "" || strings.IndexByte("%sbdiuoxXcf", rest[0]) < 0 {
			return nil, usage(word, "unsupported directive in %q", args[0])
		}
		if d.verb, rest = rest[0], rest[1:]; d.verb == '%' {
			d = directive{text: "%"}
		}
		format = append(format, d)
	}
	return writes(func(x *IO, out *bufio.Writer) int {
		f := &formatter{x: x, args: args[1:]}
		for {
			before := len(f.args)
			for _, d := range format {
				out.WriteString(f.one(d))
				if f.stop {
					return f.status
				}
			}
			_, err := out.Write(nil)
			if len(f.args) == 0 || len(f.args) == before || err != nil {
				return f.status
			}
		}
	}), nil
}

// cutSet splits text after its longest prefix of the given characters.
func cutSet(text, chars string) (prefix, rest string) {
	rest = strings.TrimLeft(text, chars)
	return text[:len(text)-len(rest)], rest
}

// formatter is one run of printf with its remaining arguments.
type formatter struct {
	x      *IO
	args   []string
	status int
	stop   bool
}

func (f *formatter) next() string {
	if len(f.args) == 0 {
		return ""
	}
	s := f.args[0]
	f.args = f.args[1:]
	return s
}

func (f *formatter) one(d directive) string {
	if d.verb == 0 {
		return d.text
	}
	s := ""
	switch d.verb {
	case 's', 'b', 'c':
		s = f.next()
		switch {
		case d.verb == 'b':
			s, f.stop = unescape(s, false)
		case d.verb == 'c' && s == "":
			s = "\x00"
		case d.verb == 'c':
			s = s[:1]
		}
		if n, err := strconv.Atoi(d.precision); err == nil && d.verb != 'c' {
			s = s[:min(n, len(s))]
		}
		// The width counts bytes, as in C.
		width, _ := strconv.Atoi(d.width)
		pad := strings.Repeat(" ", max(0, width-len(s)))
		if strings.Contains(d.flags, "-") {
			return s + pad
		}
		return pad + s
	case 'd', 'i':
		return d.format('d', f.integer())
	case 'u':
		return d.format('d', uint64(f.integer()))
	case 'o', 'x', 'X':
		return d.format(d.verb, uint64(f.integer()))
	}
	text := f.next()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && text != "" {
		f.invalid(text)
	}
	if d.precision == "" {
		d.precision = "6"
	}
	return d.format(d.verb, n)
}

// format formats a number with Go's fmt, which treats these directives as C does.
func (d directive) format(verb byte, n any) string {
	text := "%" + d.flags + d.width
	if d.precision != "" {
		text += "." + d.precision
	}
	return fmt.Sprintf(text+string(rune(verb)), n)
}

func (f *formatter) integer() int64 {
	s := f.next()
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') {
		r, _ := utf8.DecodeRuneInString(s[1:])
		return int64(r)
	}
	n, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n"), 0, 64)
	if err != nil && s != "" && !errors.Is(err, strconv.ErrRange) {
		f.invalid(s)
	}
	return n
}

func (f *formatter) invalid(s string) {
	f.x.errorf("printf: %s: invalid number", s)
	f.status = 1
}
