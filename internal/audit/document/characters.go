package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// invisible reads a run of characters of one kind that do not show, and returns where it
// ends.
func (r *textReader) invisible(at int, kind string) int {
	x := run{start: at, end: at, kind: signal.Tag(kind)}
	for x.end < len(r.raw) {
		c, n := utf8.DecodeRune(r.raw[x.end:])
		if kindOf(c) != kind {
			break
		}
		x.end += n
		x.count++
	}
	chars := r.raw[at:x.end]
	prev, next := r.previous(), r.following(x.end)
	if isWord(prev) && isWord(next) && kind != "tag" && len(r.runs) < maxRuns {
		x.word = r.wordAt(x.end)
	}
	natural := true
	switch kind {
	case "tag":
		x.says, natural = tagText(chars, prev == 0x1F3F4)
	case "selector":
		before, _ := utf8.DecodeLastRune(r.raw[:at])
		natural = x.count == 1 && (selects(chars, prev) || selects(chars, before)) || x.count > 1 && alike(chars)
		x.says = selected(chars)
	case "bidi":
		x.turns = bytes.ContainsAny(chars, "\u202B\u202D\u202E\u2067")
		natural = r.fromRight(at) && !bytes.ContainsAny(chars, "\u202D\u202E")
		for _, c := range string(chars[:min(len(chars), 63)]) {
			x.says += fmt.Sprintf(" %U", c)
		}
		x.says = strings.TrimSpace(x.says)
	case "zero-width":
		natural = r.belongs(&x, prev, next)
		if x.count >= 8 {
			x.says = bits(chars)
		}
	}
	if !natural {
		r.note(x)
	}
	return x.end
}

// fromRight reports whether the line around an offset has letters that are written from
// the right.
func (r *textReader) fromRight(at int) bool {
	from, to := max(0, at-maxLine), min(len(r.raw), at+maxLine)
	from += bytes.LastIndexByte(r.raw[from:at], '\n') + 1
	if n := bytes.IndexByte(r.raw[at:to], '\n'); n >= 0 {
		to = at + n
	}
	return bytes.ContainsFunc(r.raw[from:to], func(c rune) bool { return c >= 0x590 && in("from-right", c) })
}

// maxLine bounds how much of a line is looked at to both sides of a character.
const maxLine = 200

// tagText returns what tag characters spell. After a black flag they name a region, by its
// country and one to four more letters.
func tagText(chars []byte, flag bool) (says string, natural bool) {
	says = strings.Map(func(c rune) rune {
		if c >= 0xE0020 && c < 0xE007F {
			return c - 0xE0000
		}
		return -1
	}, string(chars))
	natural = flag && len(says) > 2 && len(says) < 7 && bytes.HasSuffix(chars, []byte("\U000E007F"))
	return says, natural && strings.Trim(says, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// selects reports whether one variation selector does what it is for.
func selects(chars []byte, prev rune) bool {
	c, _ := utf8.DecodeRune(chars)
	if c >= 0xE0100 {
		return in("east-asian", prev)
	}
	// A space is what is left where an emoji was removed.
	return in("picture", prev) || in("east-asian", prev) || in("joins", prev) ||
		prev >= 0x2000 && prev < 0x2C00 || prev >= 0x13000 && prev < 0x14700 || prev == utf8.RuneError || c == 0xFE0F && (prev == ' ' || prev == '\n' || prev == '|')
}

// alike reports whether all characters are the same: an emoji that was marked more than
// once.
func alike(chars []byte) bool {
	first, _ := utf8.DecodeRune(chars)
	return !bytes.ContainsFunc(chars, func(c rune) bool { return c != first })
}

// selected returns the text whose bytes are the numbers of variation selectors.
func selected(chars []byte) string {
	var out []byte
	for _, c := range string(chars) {
		if c >= 0xE0100 {
			c -= 0xE0100 - 0xFE10
		}
		out = append(out, byte(c-0xFE00))
	}
	if len(out) >= 4 && cleanText(out) {
		return string(out)
	}
	return ""
}

// belongs reports whether characters without a width are where they belong.
func (r *textReader) belongs(x *run, prev, next rune) bool {
	c, _ := utf8.DecodeRune(r.raw[x.start:])
	picture := in("picture", prev) && prev > 0x7f
	switch {
	case x.count > 2:
		return false
	case c == 0xFEFF && x.count == 1 && (x.start == 0 || r.raw[x.start-1] == '\n'),
		in("joins", prev) || in("joins", next), in("east-asian", prev) && in("east-asian", next):
		return true
	}
	switch c {
	case 0x200D:
		return picture && in("picture", next)
	case 0xAD:
		// A long word may be broken there.
		return x.count == 1 && len(x.word) >= 6
	case 0x115F, 0x1160, 0x3164, 0xFFA0:
		return prev >= 0x1100 && in("east-asian", prev)
	case 0x34F:
		return in("from-right", prev) || in("from-right", next)
	case 0x200B, 0x2060, 0x200C:
		return in("east-asian", prev) || in("east-asian", next) || picture
	}
	return false
}

// bits returns the text that characters without a width spell, as zeros and ones of
// its bytes; "" if they spell none.
func bits(chars []byte) string {
	zero, _ := utf8.DecodeRune(chars)
	var out, flipped []byte
	n, v := 0, byte(0)
	for _, c := range string(chars) {
		v <<= 1
		if c != zero {
			v |= 1
		}
		if n++; n%8 == 0 {
			out, flipped = append(out, v), append(flipped, ^v)
		}
	}
	for _, text := range [][]byte{out, flipped} {
		if len(text) >= 2 && cleanText(text) {
			return string(text)
		}
	}
	return ""
}

// cleanText reports whether bytes are UTF-8 without control characters.
func cleanText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(c rune) bool {
		return (c < ' ' || c >= 0x7f) && (kindOf(c) == "control" || kindOf(c) == "tag" || c >= 0xE000 && c < 0xF900)
	})
}

// control reads control characters, an escape sequence for a terminal as a whole.
func (r *textReader) control(at int) int {
	x := run{start: at, end: at, kind: "control"}
	for x.end < len(r.raw) {
		c, n := utf8.DecodeRune(r.raw[x.end:])
		if kindOf(c) != "control" {
			break
		}
		x.end += n
		x.count++
		switch {
		case c == 0 && x.says == "":
			x.says = "NUL"
		case c == 0x1b || c == 0x9b || c == 0x9d:
			x.says = "escape"
			x.end = sequence(r.raw, x.end, c == 0x1b)
		}
	}
	// Those of one line are one run, so that a file of them leaves room for others.
	if n := len(r.runs); n > 0 {
		last := &r.runs[n-1]
		if last.kind == x.kind && last.says == x.says && at-last.end < 80 && bytes.IndexByte(r.raw[last.end:at], '\n') < 0 {
			last.count, last.end = last.count+x.count, x.end
			return x.end
		}
	}
	r.note(x)
	return x.end
}

// sequence returns where an escape sequence ends that begins before an offset. Text in
// it, for a title or a link, stays in the text.
func sequence(s []byte, at int, long bool) int {
	if long {
		if at++; at > len(s) || s[at-1] != '[' {
			return min(at, len(s))
		}
	}
	for n := 0; at < len(s) && n < 32; n++ {
		if at++; s[at-1] >= 0x40 && s[at-1] < 0x7f {
			break
		}
	}
	return at
}
