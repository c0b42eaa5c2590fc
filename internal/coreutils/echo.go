package coreutils

import (
	"bufio"
	"context"
	"strings"
	"unicode/utf8"
)

func echoCommand() Command {
	return Command{Name: "echo", Summary: "print its operands", syntax: echoSyntax, prepare: prepareEcho}
}

func echoSyntax() syntax {
	return syntax{flags: []flag{{names: "n"}, {names: "e"}, {names: "E"}}}
}

// prepareEcho reads the line as a shell's builtin does: a word that is not
// made of known flags alone is text, and so is all that follows.
func prepareEcho(args []string) (*Prepared, error) {
	newline, escapes := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescapeShell(text, false); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return writes(func(_ context.Context, _ *IO, out *bufio.Writer) int {
		out.WriteString(text)
		return 0
	}), nil
}

// unescapeShell replaces the escapes that echo -e and printf know; stop says that
// \c ended the output. In a format octal numbers need no leading 0 and \c
// means nothing.
func unescapeShell(text string, format bool) (out string, stop bool) {
	if !strings.Contains(text, `\`) {
		return text, false
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		if c == 'c' && !format {
			return b.String(), true
		}
		i += writeEscape(&b, c, text[i+1:], format)
	}
	return b.String(), false
}

// writeEscape writes what \c stands for and answers how much of rest it took.
func writeEscape(b *strings.Builder, c byte, rest string, format bool) (used int) {
	switch {
	case controlEscape(c) != 0:
		b.WriteByte(controlEscape(c))
	case c == 'e' || c == 'E':
		b.WriteByte(0x1b)
	case c == '\\', format && (c == '"' || c == '\'' || c == '?'):
		b.WriteByte(c)
	case c == '0' && !format:
		n, used := scanNumber(rest, 8, 3)
		b.WriteByte(byte(n))
		return used
	case '0' <= c && c <= '7' && format:
		n, used := scanNumber(string(c)+rest, 8, 3)
		b.WriteByte(byte(n))
		return used - 1
	case c == 'x':
		if n, used := scanNumber(rest, 16, 2); used > 0 {
			b.WriteByte(byte(n))
			return used
		}
		b.WriteString(`\x`)
	case c == 'u' || c == 'U':
		length := 4
		if c == 'U' {
			length = 8
		}
		n, used := scanNumber(rest, 16, length)
		if used == 0 || n > utf8.MaxRune {
			b.WriteString(`\` + string(c))
			return 0
		}
		b.WriteRune(rune(n))
		return used
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return 0
}

// scanNumber reads up to length digits of a base.
func scanNumber(text string, base, length int) (n, used int) {
	for used < len(text) && used < length {
		d := strings.IndexByte("0123456789abcdef", lowerByte(text[used]))
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}
