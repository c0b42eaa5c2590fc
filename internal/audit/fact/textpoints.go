package fact

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

// invisible takes in a run of characters of one kind that do not show, and returns
// where it ends.
func (r *textReader) invisible(at int, kind runeKind) int {
	if kind == controlPoint {
		return r.control(at)
	}
	end, count := at, 0
	for end < len(r.raw) {
		c, n := utf8.DecodeRune(r.raw[end:])
		if kindOf(c) != kind {
			break
		}
		end += n
		count++
	}
	p := Points{Start: at, End: end, Count: count}
	run := r.raw[at:end]
	prev, next := r.previous(), r.following(end)
	switch kind {
	case tagPoint:
		p.Class = TagPoints
		p.Says, p.Natural = tags(run, prev == 0x1F3F4)
	case selectorPoint:
		p.Class = Selectors
		if c, _ := utf8.DecodeLastRune(r.raw[:at]); count == 1 && (selects(run, prev) || selects(run, c)) {
			return end
		}
		p.Says = selected(run)
		p.Word = r.wordAt(end)
	case bidiPoint:
		p.Class = BidiPoints
		p.Natural = r.rightToLeft(at) && !bytes.Contains(run, []byte("\u202D")) && !bytes.Contains(run, []byte("\u202E"))
		if isWord(prev) && isWord(next) {
			p.Word = r.wordAt(end)
		}
		p.Says = names(run)
	case zeroPoint:
		p.Class = ZeroWidth
		if isWord(prev) && isWord(next) {
			p.Word = r.wordAt(end)
		}
		p.Natural = r.zeroNatural(at, end, count, prev, next)
		if p.Natural && count == 1 && !isLetter(prev) {
			return end
		}
		if count >= 8 {
			p.Says = bits(run)
		}
	default:
		return end
	}
	r.note(p)
	return end
}

// tags returns what tag characters spell. Behind a black flag they name a region.
func tags(run []byte, flag bool) (says string, natural bool) {
	var b strings.Builder
	last := rune(0)
	for _, c := range string(run) {
		if c >= 0xE0020 && c < 0xE007F {
			b.WriteByte(byte(c - 0xE0000))
		}
		last = c
	}
	says = b.String()
	return says, flag && last == 0xE007F && len(run) == 4*(len(says)+1) && regionCode(says)
}

// regionCode reports whether a text has the form of a part of a country: two letters
// and one to four more.
func regionCode(s string) bool {
	if len(s) < 3 || len(s) > 6 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (i < 2 || c < '0' || c > '9') {
			return false
		}
	}
	_, known := slices.BinarySearch([]string{
		"ae", "ar", "at", "au", "be", "br", "ca", "ch", "cl", "cn", "co", "cz", "de", "dk", "eg", "es", "fi", "fr", "gb", "gr", "hu", "id", "ie", "in", "ir", "it", "jp", "ke",
		"kr", "mx", "my", "ng", "nl", "no", "nz", "pe", "ph", "pl", "pt", "ro", "ru", "sa", "se", "th", "tr", "ua", "us", "vn", "za",
	}, s[:2])
	return known
}

// selects reports whether one variation selector does what it is for.
func selects(run []byte, prev rune) bool {
	c, _ := utf8.DecodeRune(run)
	switch {
	case c >= 0xE0100:
		return eastAsian(prev)
	case pictures(prev), eastAsian(prev), joins(prev), prev >= 0x2000 && prev < 0x2C00, prev >= 0x13000 && prev < 0x14700, prev == utf8.RuneError:
		return true
	case prev == ' ' || prev == '\n' || prev == '|':
		// What is left where an emoji was taken away.
		return c == 0xFE0F
	}
	return false
}

// selected returns the text whose bytes are the numbers of variation selectors.
func selected(run []byte) string {
	var out []byte
	for _, c := range string(run) {
		if c >= 0xE0100 {
			out = append(out, byte(c-0xE0100+16))
		} else {
			out = append(out, byte(c-0xFE00))
		}
	}
	if len(out) >= 4 && plainText(out) {
		return string(out)
	}
	return ""
}

// names lists characters by their numbers.
func names(run []byte) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i, c := range []rune(string(run[:min(len(run), 64)])) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("U+")
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(digits[c>>shift&15])
		}
	}
	return b.String()
}

// zeroNatural reports whether characters without a width are where they belong.
func (r *textReader) zeroNatural(at, end, count int, prev, next rune) bool {
	c, _ := utf8.DecodeRune(r.raw[at:])
	switch {
	case c == 0xFEFF && count == 1 && (at == 0 || r.raw[at-1] == '\n'):
		return true
	case count > 2:
		return false
	case joins(prev) || joins(next), eastAsian(prev) && eastAsian(next):
		return true
	case c == 0x200D:
		return pictures(prev) && pictures(next) && prev > 0x7f
	case c == 0xAD:
		return count == 1 && softHyphen(r.out, r.raw[end:])
	case c == 0x115F, c == 0x1160, c == 0x3164, c == 0xFFA0:
		return prev >= 0x1100 && eastAsian(prev)
	case c == 0x34F:
		return rightToLeft(prev) || rightToLeft(next)
	case c == 0x200B || c == 0x2060 || c == 0x200C:
		return eastAsian(prev) || eastAsian(next) || pictures(prev) && prev > 0x7f
	}
	return false
}

// softHyphen reports whether a word may be broken between two texts: it is long, and
// in letters.
func softHyphen(before, behind []byte) bool {
	left, right := 0, 0
	for left < 24 {
		c, n := utf8.DecodeLastRune(before)
		if !isLetter(c) {
			break
		}
		before = before[:len(before)-n]
		left++
	}
	for range 24 {
		c, n := utf8.DecodeRune(behind)
		if c == 0xAD {
			behind = behind[n:]
			continue
		}
		if !isLetter(c) {
			break
		}
		behind = behind[n:]
		right++
	}
	return left >= 2 && right >= 2 && left+right >= 6
}

// bits returns the text that characters without a width spell, as zeros and ones of
// its bytes; "" where they spell none.
func bits(run []byte) string {
	var zero, one rune
	var list []byte
	for _, c := range string(run) {
		switch {
		case zero == 0 || c == zero:
			zero = c
			list = append(list, 0)
		case one == 0 || c == one:
			one = c
			list = append(list, 1)
		}
	}
	if one == 0 {
		return ""
	}
	for _, flip := range []byte{0, 1} {
		for _, width := range []int{8, 7} {
			out := make([]byte, 0, len(list)/width)
			for i := 0; i+width <= len(list); i += width {
				var v byte
				for _, b := range list[i : i+width] {
					v = v<<1 | b ^ flip
				}
				out = append(out, v)
			}
			if len(out) >= 2 && plainText(out) {
				return string(out)
			}
		}
	}
	return ""
}

// plainText reports whether bytes are text without controls.
func plainText(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, c := range string(b) {
		if k := kindOf(c); k == controlPoint || k == tagPoint || c >= 0xE000 && c < 0xF900 {
			return false
		}
	}
	return true
}

// control takes in control characters, a sequence for a terminal as a whole.
func (r *textReader) control(at int) int {
	end, count := at, 0
	var says string
	for end < len(r.raw) {
		c, n := utf8.DecodeRune(r.raw[end:])
		if kindOf(c) != controlPoint {
			break
		}
		end += n
		count++
		if c != 0x1b && c != 0x9b && c != 0x9d {
			continue
		}
		says = "escape"
		end = sequence(r.raw, end, c)
	}
	if bytes.IndexByte(r.raw[at:end], 0) >= 0 {
		says = "NUL"
	}
	// One in the place of another is one finding, so that a file of them is not all
	// that is said.
	if n := len(r.points); n > 0 && r.points[n-1].Class == Controls && r.points[n-1].Says == says && at-r.points[n-1].End < 80 &&
		bytes.IndexByte(r.raw[r.points[n-1].End:at], '\n') < 0 {
		r.points[n-1].Count += count
		r.points[n-1].End = end
		return end
	}
	r.note(Points{Start: at, End: end, Class: Controls, Count: count, Says: says})
	return end
}

// sequence returns where a sequence for a terminal ends that begins before an offset.
// What such a sequence has of text for a title or a link stays in the text.
func sequence(s []byte, at int, c rune) int {
	kind := byte('[')
	if c == 0x1b {
		if at >= len(s) {
			return at
		}
		kind = s[at]
		at++
	}
	if kind != '[' {
		return at
	}
	for n := 0; at < len(s) && n < 32; n++ {
		if b := s[at]; b >= 0x40 && b < 0x7f {
			return at + 1
		}
		at++
	}
	return at
}

// points gives what was noted in a region the region's standing.
func (f *Facts) points(k int) {
	if len(f.Points) == 0 {
		return
	}
	r := &f.Regions[k]
	// What was left out at its ends belongs to it too.
	x := f.Package.Files[r.File]
	span := diag.Span{Start: x.rawEnd(r.Span.Start), End: x.rawStart(r.Span.End)}
	at, _ := slices.BinarySearchFunc(f.Points, Points{File: r.File, Start: span.Start}, func(a, b Points) int {
		if a.File != b.File {
			return a.File - b.File
		}
		return a.Start - b.Start
	})
	for ; at < len(f.Points) && f.Points[at].File == r.File && f.Points[at].Start < span.End; at++ {
		pt := &f.Points[at]
		pt.Standing = r.StandingAt(x.textOffset(pt.Start) - r.Span.Start)
	}
}
