// Package terminal prepares text for display: it escapes untrusted text, measures and truncates
// text in columns, and writes tables, diagnostics and progress. No other package determines whether
// a stream is a terminal. The package does not read the environment or global variables: a [Writer]
// is created from a stream and the caller's options.
package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns s without anything that could move the cursor, start a terminal sequence, reorder
// the surrounding text, or hide in it. Control and bidirectional characters, invisible characters
// (zero-width, fillers, tag characters, line and paragraph separators, noncharacters) and invalid
// UTF-8 become visible: \x1b, \u202e, \U000e0041, \xff.
//
// Joiners and variation selectors are kept where scripts need them: between emoji, after Han or
// Mongolian characters, and between and after letters in joining scripts. Region flags spelled with
// tag characters are escaped, because tag characters can also spell hidden sentences.
//
// Newlines and tabs are kept. "\r\n" becomes "\n", and any other carriage return is escaped.
// Backslashes are not doubled, because the result is meant to be read by people, not parsed by
// programs. Clean text is returned unchanged, without allocation.
func Escape(s string) string { return escape(s, false, appendEscape) }

// EscapeLine is like [Escape] but for text that must stay on one line: each newline, "\r\n" and tab
// becomes a space.
func EscapeLine(s string) string { return escape(s, true, appendEscape) }

// NumberLine is like [EscapeLine] but writes code points as [Visible] does.
func NumberLine(s string) string { return escape(s, true, appendNumber) }

func escape(s string, line bool, write escaper) string {
	if isPlain(s) {
		return s
	}
	var out []byte
	from, prev := 0, rune(0)
	for i := 0; i < len(s); {
		r, size, ok := judge(s[i:], prev)
		if ok && (!line || r != '\n' && r != '\t') {
			prev = r
			i += size
			continue
		}
		out = append(out, s[from:i]...)
		switch {
		case ok:
			out, prev = append(out, ' '), ' '
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// Drop the carriage return; the newline after it is sufficient.
			prev = 0
		default:
			out, prev = write(out, r, size, s[i]), 0
		}
		i += size
		from = i
	}
	if from == 0 {
		return s
	}
	return string(append(out, s[from:]...))
}

// isPlain reports whether s is printable ASCII on one line.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// escaper appends the escaped form of a character to out. For a byte that is not valid UTF-8, r is
// [utf8.RuneError], size is 1, and raw is the byte.
type escaper func(out []byte, r rune, size int, raw byte) []byte

// appendEscape appends a character as it would be spelled in a Go string literal.
func appendEscape(out []byte, r rune, size int, raw byte) []byte {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Appendf(out, `\x%02x`, raw)
	case r > 0xffff:
		return fmt.Appendf(out, `\U%08x`, r)
	case r > 0xff:
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return fmt.Appendf(out, `\x%02x`, r)
}

// appendNumber appends a character as its code point.
func appendNumber(out []byte, r rune, size int, raw byte) []byte {
	if r == utf8.RuneError && size == 1 {
		return fmt.Appendf(out, "‹0x%02X›", raw)
	}
	return fmt.Appendf(out, "‹U+%04X›", r)
}

// judge decodes the first character of s, which must not be empty. It reports whether the character
// may be shown after prev, the last character shown. prev is 0 at the start and after an escape.
func judge(s string, prev rune) (r rune, size int, ok bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1, c >= ' ' && c != 0x7f || c == '\n' || c == '\t'
	}
	r, size = utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return r, size, false
	case contextual(r):
		return r, size, inPlace(prev, r, s[size:])
	}
	return r, size, !hidden(r)
}

// hidden reports whether r, in any position, is invisible or changes how the surrounding text is
// shown.
func hidden(r rune) bool {
	switch {
	case r < 0xad:
		return r < 0xa0 // C1 controls
	case r < 0x2000:
		switch r {
		case 0xad, // soft hyphen
			0x34f,          // combining grapheme joiner
			0x61c,          // Arabic letter mark
			0x115f, 0x1160, // Hangul fillers
			0x17b4, 0x17b5, // Khmer inherent vowels
			0x180e: // Mongolian vowel separator
			return true
		}
		return false
	case r < 0x3000:
		return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f
	case r < 0x10000:
		return r == 0x3164 || r == 0xfeff || r == 0xffa0 || r >= 0xfff0 && r <= 0xfffb || noncharacter(r)
	}
	return r >= 0x13430 && r <= 0x1343f || // Egyptian hieroglyph format controls
		r >= 0x1bca0 && r <= 0x1bca3 || // shorthand format controls
		r >= 0x1d173 && r <= 0x1d17a || // musical beams and slurs
		r >= 0xe0000 && r <= 0xe0fff || // tags, variation selectors
		noncharacter(r)
}

func noncharacter(r rune) bool {
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef
}

const (
	zwnj      = 0x200c
	zwj       = 0x200d
	textStyle = 0xfe0e
	emoji     = 0xfe0f
	keycap    = 0x20e3
)

// contextual reports whether r is invisible but occurs in ordinary text.
func contextual(r rune) bool {
	switch {
	case r < 0x180b:
		return false
	case r < 0xfe00:
		return r == zwnj || r == zwj || r <= 0x180f && r != 0x180e
	}
	return r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

// inPlace reports whether a contextual character is legitimate between prev and rest.
func inPlace(prev, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == zwj && (pictographic(prev) || prev == emoji):
		return pictographic(next)
	case r == zwj || r == zwnj:
		return joins(prev) && (joins(next) || unicode.Is(unicode.Mn, prev) || unicode.Is(unicode.Mc, prev))
	case r == emoji || r == textStyle:
		return pictographic(prev) || next == keycap && keyed(prev)
	case r <= 0x180f:
		return prev >= 0x1820 && prev <= 0x18aa
	case r <= 0xfe02:
		return unicode.Is(unicode.Han, prev) || prev >= 0x2200 && prev <= 0x22ff ||
			prev >= 0x2a00 && prev <= 0x2aff || prev >= 0x1000 && prev <= 0x109f
	case r >= 0xe0100:
		return unicode.Is(unicode.Han, prev)
	}
	return false
}

// joins reports whether r belongs to a script whose letters join or form conjuncts. Correct
// spelling in such scripts requires joiners.
func joins(r rune) bool {
	if hidden(r) || contextual(r) {
		return false
	}
	return r >= 0x600 && r <= 0xdff || // Arabic to Sinhala
		r >= 0xf00 && r <= 0x109f || // Tibetan, Myanmar
		r >= 0x1780 && r <= 0x18af || // Khmer, Mongolian
		r >= 0x1a20 && r <= 0x1c4f || // Tai Tham, Balinese, Sundanese, Batak, Lepcha
		r >= 0xa800 && r <= 0xabff || // Syloti Nagri to Meetei Mayek
		r >= 0xfb50 && r <= 0xfdcf || r >= 0xfe70 && r <= 0xfefc || // Arabic presentation forms
		r >= 0x11000 && r <= 0x11aff || // Brahmi and related scripts
		r >= 0x1e900 && r <= 0x1e95f // Adlam
}

// pictographic reports whether r is an emoji or can be shown as one. The ranges are slightly
// wider than Unicode's Extended_Pictographic.
func pictographic(r rune) bool {
	switch {
	case r < 0x2000:
		return r == 0xa9 || r == 0xae
	case r < 0x3000:
		return r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
			r >= 0x2194 && r <= 0x21aa || r >= 0x231a && r <= 0x23ff || r == 0x24c2 ||
			r >= 0x25aa && r <= 0x27bf || r >= 0x2934 && r <= 0x2935 || r >= 0x2b05 && r <= 0x2b55
	case r < 0x10000:
		return r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
	}
	flagLetter := r >= 0x1f1e6 && r <= 0x1f1ff
	return r >= 0x1f000 && r <= 0x1faff && !flagLetter || r >= 0x1fc00 && r <= 0x1fffd
}

// keyed reports whether r can start a keycap emoji.
func keyed(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// Visible returns s with invisible characters replaced by their code points, such as ‹U+200B›. It
// also replaces characters that look like a space but are not one, and joiners between emoji or
// letters. An invalid UTF-8 byte becomes ‹0xFF›. Newlines and tabs are kept. If s itself contains
// such a notation, the notation's first character is replaced too, so the result is unambiguous. n
// is the number of replaced characters.
func Visible(s string) (text string, n int) {
	var out []byte
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unseen(r, size) || r == '‹' && (strings.HasPrefix(s[i+size:], "U+") || strings.HasPrefix(s[i+size:], "0x")) {
			out = append(out, s[from:i]...)
			out = appendNumber(out, r, size, s[i])
			n++
			from = i + size
		}
		i += size
	}
	if n == 0 {
		return s, 0
	}
	return string(append(out, s[from:]...)), n
}

// unseen reports whether a character is invisible, or looks like a space but is not one.
func unseen(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1:
		return true
	case r < utf8.RuneSelf:
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	case r == 0x3000:
		// An ideographic space is part of ordinary text and has no effect except its width.
		return false
	}
	return hidden(r) || contextual(r) || r == 0xa0 || r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x202f ||
		r == 0x205f || r == 0x2800
}

// EscapeJSON returns JSON in which the characters that [Escape] would escape are replaced by JSON
// escapes. They can occur only in strings. It also escapes "##[", which starts a GitHub Actions
// command anywhere in a line.
func EscapeJSON(data []byte) []byte {
	if bytes.Contains(data, []byte("##[")) {
		data = bytes.ReplaceAll(data, []byte("##["), []byte(`##\u005b`))
	}
	ascii := 0
	for ascii < len(data) && data[ascii] < 0x7f {
		ascii++
	}
	if ascii == len(data) {
		return data
	}
	var out []byte
	from := 0
	for i, r := range string(data) {
		if r < 0x7f || r == zwnj || r == zwj || !hidden(r) {
			continue
		}
		out = append(out, data[from:i]...)
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		from = i + utf8.RuneLen(r)
	}
	return append(out, data[from:]...)
}
