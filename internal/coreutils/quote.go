package coreutils

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteAlways puts a name in quotes as GNU messages do: 'name'.
func quoteAlways(s string) string { return shellQuote(s, true) }

// quoteIfNeeded puts only a name in quotes that a shell would not read as one
// plain word, or that has a colon.
func quoteIfNeeded(s string) string {
	return shellQuote(s, s == "" || strings.ContainsAny(s, ": \t!\"#$&'()*;<=>?[\\^`|~") || !printable(s))
}

func shellQuote(s string, quote bool) string {
	if !quote {
		return s
	}
	if strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!") && printable(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'':
			b.WriteString(`'\''`)
		case isPrint(r, n):
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(`'$'`)
			i += escapes(&b, s[i:])
			b.WriteString(`''`)
			continue
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// escapes writes the unprintable beginning of s and answers how long it is.
func escapes(b *strings.Builder, s string) (n int) {
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if isPrint(r, size) {
			return n
		}
		for _, c := range []byte(s[n : n+size]) {
			b.WriteString(escapeByte(c))
		}
		n += size
	}
	return n
}

// quoteC writes a name as C does: escapes, and around it the given quote (0 for
// none, where a space is escaped instead).
func quoteC(s string, quote byte) string {
	var b strings.Builder
	if quote != 0 {
		b.WriteByte(quote)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\', quote != 0 && r == rune(quote), quote == 0 && r == ' ':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case isPrint(r, n):
			b.WriteString(s[i : i+n])
		default:
			for _, c := range []byte(s[i : i+n]) {
				b.WriteString(escapeByte(c))
			}
		}
		i += n
	}
	if quote != 0 {
		b.WriteByte(quote)
	}
	return b.String()
}

// maskUnprintable puts a question mark for what a terminal would not show.
func maskUnprintable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if isPrint(r, n) {
			b.WriteString(s[i : i+n])
		} else {
			b.WriteByte('?')
		}
		i += n
	}
	return b.String()
}

func escapeByte(c byte) string {
	if i := strings.IndexByte("\a\b\t\n\v\f\r", c); i >= 0 {
		return `\` + "abtnvfr"[i:i+1]
	}
	return fmt.Sprintf(`\%03o`, c)
}

func printable(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isPrint(r, n) {
			return false
		}
		i += n
	}
	return true
}

// isPrint is iswprint for a rune that was decoded from n bytes.
func isPrint(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n <= 1:
		return false
	case r < 0x80:
		return r >= ' ' && r < 0x7f
	}
	return unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}
