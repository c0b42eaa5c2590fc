package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	eastasian "golang.org/x/text/width"
)

// Width returns the number of columns that s occupies on a terminal: 2 for East Asian wide
// characters and emoji, 0 for combining marks and control characters, and 1 for other characters.
// An emoji sequence that is joined or has a skin tone counts as one emoji, as in terminals that
// support Unicode grapheme clusters. Call Escape first.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	n, prev := 0, rune(0)
	for _, r := range s {
		n += runeWidth(prev, r)
		prev = r
	}
	return n
}

// Truncate returns s if it fits into cols columns. Otherwise, it returns the longest prefix that
// fits when "…" is appended. If cols is not positive, it returns "".
func Truncate(s string, cols int) string {
	if cols <= 0 {
		return ""
	}
	if len(s) <= cols && isPlain(s) {
		return s
	}
	used, cut, prev := 0, 0, rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		used += runeWidth(prev, r)
		if used > cols {
			return s[:cut] + "…"
		}
		prev = r
		i += size
		if used < cols {
			cut = i
		}
	}
	return s
}

// tail returns the longest suffix of s that fits into cols columns. The result starts with "…" if
// it is shorter than s or if cut is set.
func tail(s string, cols int, cut bool) string {
	width, prev := Width(s), rune(0)
	if width <= cols && !cut {
		return s
	}
	for i, r := range s {
		w := runeWidth(prev, r)
		if width <= cols-1 && w > 0 && r != emoji {
			return "…" + s[i:]
		}
		width -= w
		prev = r
	}
	return "…"
}

// runeWidth returns the number of columns that r adds after prev. prev is 0 at the start.
func runeWidth(prev, r rune) int {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x300 && r != 0xad:
		return 1
	case r == emoji && (pictographic(prev) || keyed(prev)) && runeWidth(0, prev) == 1:
		return 1 // widens the preceding character
	case hidden(r), contextual(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
		return 0
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff:
		return 0 // Hangul vowels and finals are part of the syllable
	case pictographic(r) && prev == zwj, r >= 0x1f3fb && r <= 0x1f3ff && pictographic(prev):
		return 0
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Wrap breaks text at spaces into lines of at most width columns. used is the number of columns
// already taken on the first line; all other lines are indented by indent. The first word stays on
// the first line, and words longer than a line are not broken. If width is 0, Wrap does not break
// lines. Call Escape first.
func Wrap(text string, width, used, indent int) string {
	return Fill(strings.Split(text, " "), " ", width, used, indent)
}

// Fill is like [Wrap], but joins parts with between and breaks lines only between parts.
func Fill(parts []string, between string, width, used, indent int) string {
	var b strings.Builder
	at := used
	for i, part := range parts {
		n := Width(part)
		switch {
		case i == 0:
		case width > 0 && at+Width(between)+n > width:
			b.WriteString(strings.TrimRight(between, " ") + "\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteString(between)
			at += Width(between)
		}
		b.WriteString(part)
		at += n
	}
	return b.String()
}
