package fact

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// readable fills in the text of a file, and notes the characters that do not show or
// show as others.
func (f *Facts) readable(file int) {
	x := f.Package.Files[file]
	if x.Role == Opaque {
		x.Text = ""
		return
	}
	shown := x.Raw
	if wide, ok := utf16Text(x.Raw); ok {
		x.shown, shown = wide, wide
	}
	first := peculiar(shown, 0)
	if first == len(shown) {
		x.Text = lineEnds(string(shown))
		return
	}
	r := textReader{raw: shown, file: file, room: min(maxPoints, maxFacts-len(f.Points))}
	r.standing = Standing{Beside: x.Role != Main && x.Role != Script && x.From == nil, Packed: x.From != nil, Medium: Value}
	if x.Role == Script {
		r.standing.Medium = Code
	}
	r.out = make([]byte, 0, len(shown))
	r.census()
	r.read(first)
	x.Text, x.moved, x.RightToLeft = lineEnds(string(r.out)), r.moved, r.rtlFile
	slices.SortStableFunc(r.points, func(a, b Points) int { return a.Start - b.Start })
	f.Points = append(f.Points, r.points...)
}

// lineEnds makes a line feed of a carriage return that stands alone: it ends a line for
// a reader. The length stays.
func lineEnds(text string) string {
	if strings.Count(text, "\r") == strings.Count(text, "\r\n") {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			b[i] = '\n'
		}
	}
	return string(b)
}

// maxPoints bounds the runs of characters that are noted in one file.
const maxPoints = 4000

// utf16Text decodes a text that begins with the mark of UTF-16.
func utf16Text(raw []byte) ([]byte, bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return nil, false
	}
	return decode16(raw[2:], order), true
}

func decode16(raw []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(raw)/2+16)
	for i := 0; i+1 < len(raw); i += 2 {
		r := rune(order.Uint16(raw[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if i+3 < len(raw) {
				low = rune(order.Uint16(raw[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// peculiar returns the first byte from an offset on that is not plain ASCII text.
func peculiar(s []byte, from int) int {
	for i := from; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return i
		}
	}
	return len(s)
}

// move is a place from which on an offset in Text stands for another in Raw: before is
// where what stands ahead of it ends there.
type move struct{ text, before, raw int }

// textReader makes the text of one file.
type textReader struct {
	raw      []byte
	file     int
	standing Standing
	room     int

	out   []byte
	moved []move
	// mapped is what the end of out stands for, end where what was written last ended.
	mapped, end int
	points      []Points
	invalid     int
	// wideEnd is where the last letter of full width ended.
	wideEnd int

	// own are the letters of Cyrillic and of Greek in the file that look like no
	// Latin one: with them a text is in that script.
	own int
	// rtlFrom and rtlTo are the line that was asked last whether it is written from
	// the right.
	rtlFrom, rtlTo int
	rtl, rtlFile   bool
}

// census counts what the rest depends on.
func (r *textReader) census() {
	for i := peculiar(r.raw, 0); i < len(r.raw); {
		c, n := utf8.DecodeRune(r.raw[i:])
		switch {
		case c < utf8.RuneSelf:
			i = peculiar(r.raw, i+1)
			continue
		case c >= 0x370 && c < 0x530:
			if _, ok := latin(c); !ok && isLetter(c) {
				r.own++
			}
		case rightToLeft(c):
			r.rtlFile = true
		}
		i += n
	}
}

// emit writes text that stands for a range of Raw.
func (r *textReader) emit(text []byte, from, to int) {
	if r.mapped != from || r.end != from {
		r.moved = append(r.moved, move{len(r.out), r.end, from})
	}
	r.out = append(r.out, text...)
	r.mapped, r.end = from+len(text), to
}

func (r *textReader) read(first int) {
	r.emit(r.raw[:first], 0, first)
	for i := first; i < len(r.raw); {
		if stop := peculiar(r.raw, i); stop > i {
			r.emit(r.raw[i:stop], i, stop)
			i = stop
			continue
		}
		c, n := utf8.DecodeRune(r.raw[i:])
		switch kind := kindOf(c); {
		case c == utf8.RuneError && n <= 1:
			r.bad(i)
			r.emit([]byte("\uFFFD"), i, i+1)
			i++
		case kind == plainRune:
			r.emit(r.raw[i:i+n], i, i+n)
			i += n
		case kind == blankRune:
			r.emit([]byte{' '}, i, i+n)
			i += n
		case kind == wordRune:
			i = r.word(i)
		case kind == widePoint:
			i = r.wide(i, c, n)
		default:
			i = r.invisible(i, kind)
		}
	}
	if r.mapped != len(r.raw) || r.end != len(r.raw) {
		r.moved = append(r.moved, move{len(r.out), r.end, len(r.raw)})
	}
}

// bad notes a byte that is no UTF-8: one point for all of them.
func (r *textReader) bad(at int) {
	if r.invalid == 0 {
		r.note(Points{Start: at, End: at + 1, Class: Invalid, Count: 1})
		r.invalid = len(r.points)
	} else {
		r.points[r.invalid-1].Count++
	}
}

func (r *textReader) note(p Points) {
	// The last places are kept for what is never natural.
	if len(r.points) >= r.room || p.Natural && len(r.points) >= r.room/2 {
		return
	}
	p.File, p.Standing = r.file, r.standing
	r.points = append(r.points, p)
}

// wide writes punctuation of full width: as ASCII where it stands at such a letter,
// since otherwise it is that of Chinese or Japanese.
func (r *textReader) wide(at int, c rune, n int) int {
	next, _ := utf8.DecodeRune(r.raw[at+n:])
	if r.wideEnd == at || isWideLetter(next) {
		r.emit([]byte{byte(c - 0xFEE0)}, at, at+n)
		r.wideEnd = at + n
	} else {
		r.emit(r.raw[at:at+n], at, at+n)
	}
	return at + n
}

func isWide(c rune) bool { return c >= 0xFF01 && c <= 0xFF5E }

func isWideLetter(c rune) bool { return isWide(c) && isWord(c-0xFEE0) }

// previous is the last character that shows.
func (r *textReader) previous() rune {
	c, _ := utf8.DecodeLastRune(r.out)
	return c
}

// following is the next character that shows, at or behind an offset.
func (r *textReader) following(at int) rune {
	for range 8 {
		c, n := utf8.DecodeRune(r.raw[min(at, len(r.raw)):])
		switch kindOf(c) {
		case zeroPoint, selectorPoint, bidiPoint, tagPoint, silentPoint:
			at += n
			continue
		}
		return c
	}
	return utf8.RuneError
}

// rightToLeft reports whether the line around an offset has letters that are written
// from the right.
func (r *textReader) rightToLeft(at int) bool {
	if at >= r.rtlFrom && at < r.rtlTo {
		return r.rtl
	}
	r.rtlFrom = bytes.LastIndexByte(r.raw[:at], '\n') + 1
	r.rtlTo = len(r.raw)
	if n := bytes.IndexByte(r.raw[at:], '\n'); n >= 0 {
		r.rtlTo = at + n + 1
	}
	r.rtl = false
	for i := r.rtlFrom; i < r.rtlTo && !r.rtl; {
		c, n := utf8.DecodeRune(r.raw[i:r.rtlTo])
		r.rtl = rightToLeft(c)
		i += n
	}
	return r.rtl
}

// wordAt is the word around a range, as it looks.
func (r *textReader) wordAt(end int) string {
	if len(r.points) >= r.room {
		return ""
	}
	from := len(r.out)
	for from > 0 && len(r.out)-from < 48 {
		c, n := utf8.DecodeLastRune(r.out[:from])
		if !isWord(c) {
			break
		}
		from -= n
	}
	word := append([]byte(nil), r.out[from:]...)
	for i := end; i < len(r.raw) && i < end+96; {
		c, n := utf8.DecodeRune(r.raw[i:])
		switch kind := kindOf(c); {
		case isWord(c):
			word = append(word, r.raw[i:i+n]...)
		case kind == zeroPoint || kind == silentPoint || kind == selectorPoint:
		default:
			return string(word)
		}
		i += n
	}
	return string(word)
}
