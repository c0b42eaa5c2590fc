package document

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// invisible reads a run of invisible characters of a single kind, possibly inside a word, and
// returns the end of the run. It records the run if it is suspicious.
func (r *textReader) invisible(at int, kind, word string) int {
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
	prev, _ := utf8.DecodeLastRune(r.out)
	next, _ := utf8.DecodeRune(r.raw[x.end:])
	if isWord(prev) && isWord(next) && kind != tag {
		x.word = word
	}
	if !r.isLegitimate(&x, chars, prev, next) {
		r.addRun(x)
	}
	return x.end
}

// isLegitimate reports whether a run of invisible characters has a legitimate use in the
// surrounding text. It also records the text that the run encodes.
func (r *textReader) isLegitimate(x *run, chars []byte, prev, next rune) bool {
	first, _ := utf8.DecodeRune(chars)
	needed := needsInvisible(prev)
	switch x.kind {
	case tag:
		text, flag := tagText(chars)
		x.decoded = text
		return flag && prev == 0x1F3F4
	case selector:
		x.decoded = decodeSelectors(chars)
		// If an emoji is deleted, its variation selectors can remain in the text. They can also be
		// repeated.
		emoji := strings.Trim(string(chars), "\uFE0E\uFE0F") == ""
		return emoji && (x.word == "" || x.count == 1) || x.count == 1 && needed
	case bidi:
		x.reorders = bytes.ContainsAny(chars, "\u202B\u202D\u202E\u2067")
		x.decoded = strings.Trim(fmt.Sprintf("%U", bytes.Runes(chars[:min(len(chars), 63)])), "[]")
		return r.rightToLeft(x.start) && !bytes.ContainsAny(chars, "\u202D\u202E")
	}
	if x.count >= 8 {
		x.decoded = decodeBits(chars)
	}
	mark := first == 0xFEFF && x.count == 1 && (x.start == 0 || r.raw[x.start-1] == '\n')
	// A soft hyphen marks where a long word may be broken across lines.
	hyphen := first == 0xAD && x.count == 1 && len(x.word) >= 6
	return mark || hyphen || x.count <= 2 && (needed || needsInvisible(next))
}

// rightToLeft reports whether the line around an offset contains letters from a
// right-to-left script.
func (r *textReader) rightToLeft(at int) bool {
	const most = 200
	before, after := r.raw[max(0, at-most):at], r.raw[at:min(len(r.raw), at+most)]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	after, _, _ = bytes.Cut(after, []byte("\n"))
	return bytes.ContainsFunc(before, isRightToLeft) || bytes.ContainsFunc(after, isRightToLeft)
}

// tagText returns the text that a run of tag characters spells. flag reports whether the run can
// follow a black flag to form the flag of a region. Its text is then a country code, followed by
// one to four letters or digits.
func tagText(chars []byte) (text string, flag bool) {
	text = strings.Map(func(c rune) rune {
		if c >= 0xE0020 && c < 0xE007F {
			return c - 0xE0000
		}
		return -1
	}, string(chars))
	flag = len(text) > 2 && len(text) < 7 && bytes.HasSuffix(chars, []byte("\U000E007F"))
	return text, flag && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// decodeSelectors decodes a run of variation selectors, each of which encodes one byte.
func decodeSelectors(chars []byte) string {
	var out []byte
	for _, c := range string(chars) {
		if c >= 0xE0100 {
			c -= 0xE0100 - 0xFE10
		}
		out = append(out, byte(c-0xFE00))
	}
	if len(out) < 4 || !cleanText(out) {
		return ""
	}
	return string(out)
}

// decodeBits decodes text of which each bit is written as a zero-width character. It returns "" if
// the characters do not encode text.
func decodeBits(chars []byte) string {
	first, _ := utf8.DecodeRune(chars)
	for _, zero := range [...]bool{true, false} {
		var out []byte
		n, v := 0, byte(0)
		for _, c := range string(chars) {
			v <<= 1
			if (c == first) != zero {
				v |= 1
			}
			if n++; n%8 == 0 {
				out = append(out, v)
			}
		}
		if len(out) >= 2 && cleanText(out) {
			return string(out)
		}
	}
	return ""
}

// cleanText reports whether b is UTF-8 without control, tag or private-use characters.
func cleanText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(c rune) bool {
		return kindOf(c) == control || kindOf(c) == tag || c >= 0xE000 && c < 0xF900
	})
}

// controls matches control characters and entire terminal escape sequences, but
// not the text in a title or link sequence.
var controls = lazyregexp.New(`^(?:[\x1b\x9b]\[?[0-9;:?]{0,32}[@-~]|\x1b]|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f])+`)

// control records a run of control characters and escape sequences and returns its end.
func (r *textReader) control(at int) int {
	end := min(len(r.raw), at+4*maxWord)
	chars := controls().Find(r.raw[at:end])
	x := run{start: at, end: at + max(1, len(chars)), kind: control}
	switch {
	case bytes.ContainsAny(chars, "\x1b\u009b\u009d"):
		x.decoded = "escape"
	case bytes.IndexByte(chars, 0) >= 0:
		x.decoded = "NUL"
	}
	r.addRun(x)
	return x.end
}

// Shorter runs may be accidental.
const manyZeroWidth, manySelectors = 16, 4

// harmful returns the regions in which a signal of harmful behavior was found.
func (d *reader) harmful() map[int]bool {
	const grave = "override role disclose history suppress propagate destroy obey-data must-get permission conceal deceive"
	signs := map[signal.Kind]string{
		signal.Instruct: grave, signal.Run: "network decoded", signal.Delete: "home root disk",
		signal.Send: "secret credential conversation env-all",
	}
	units := map[int]bool{}
	for i := range d.set.Signals {
		x := &d.set.Signals[i]
		for sign := range strings.FieldsSeq(signs[x.Kind]) {
			units[x.Unit] = units[x.Unit] || x.Has(signal.Tag(sign))
		}
	}
	return units
}

// characters adds signals for the suspicious characters in a file.
func (d *reader) characters(file int, harmful map[int]bool) {
	seen := map[string]bool{}
	for k := range d.files[file].runs {
		x := &d.files[file].runs[k]
		if x.kind != "mixed" || !seen[x.word] {
			d.character(x, harmful[x.region])
		}
		seen[x.word] = true
	}
}

// character adds the signal for one run.
func (d *reader) character(x *run, harmful bool) {
	tags := tagList{x.kind}
	tags.add("spells", x.encodesText())
	tags.add("harmful", harmful)
	tags.add("turns", x.reorders)
	tags.add("right-to-left", d.set.Package.Files[x.at.File].RightToLeft)
	tags.add("word", x.word != "" && x.kind != "mixed")
	tags.add("escape", x.decoded == "escape")
	tags.add("nul", x.decoded == "NUL")
	tags.add("many", x.kind == zeroWidth && x.count >= manyZeroWidth || x.kind == selector && x.count >= manySelectors)
	subject := cmp.Or(x.word, x.decoded, fmt.Sprintf("%d characters", x.count))
	if x.encodesText() {
		subject = x.decoded
	}
	d.signal(signal.Characters, x.at, x.region, subject, x.decoded, tags...)
}
