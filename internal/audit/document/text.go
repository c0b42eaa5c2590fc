package document

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// maxRuns bounds the runs of characters that are noted in one file, maxWord a word: a
// longer one is read in pieces.
const (
	maxRuns = 4000
	maxWord = 256
)

// run is a run of characters that do not show, or show as others, and that the text around
// does not need.
type run struct {
	// start and end are offsets in what [signal.File.Shown] returns.
	start, end int
	kind       signal.Tag
	count      int
	// says is the text that they spell, word the word that they are in, as it looks.
	says, word string
	// turns: they change the order of what shows.
	turns bool
	// chars are they themselves, at is where they are in the text, in the region unit.
	chars string
	at    signal.Place
	unit  int
}

// readText fills in the text of a file and returns the characters in it that do not show
// or show as others.
func readText(x *signal.File) []run {
	if x.Role == signal.Opaque {
		return nil
	}
	shown := x.Raw
	if wideMark(x.Raw) {
		shown = decode16(x.Raw[2:], x.Raw[0] == 0xfe)
		x.UTF8 = shown
	}
	first := peculiar(shown, 0)
	if first == len(shown) {
		x.Text = lineEnds(shown)
		return nil
	}
	r := textReader{raw: shown, out: make([]byte, 0, len(shown))}
	for _, c := range string(shown[first:]) {
		if c >= 0x370 && c < 0x530 && latin(c) == 0 && isLetter(c) {
			r.own++
		}
		x.RightToLeft = x.RightToLeft || c >= 0x590 && in("from-right", c)
	}
	r.read(first)
	x.Text, x.Moves = lineEnds(r.out), r.moves
	slices.SortStableFunc(r.runs, func(a, b run) int { return a.start - b.start })
	return r.runs
}

// lineEnds makes a line feed of a carriage return that is alone: it ends a line for
// a reader. The length stays.
func lineEnds(text []byte) string {
	if n := bytes.Count(text, []byte("\r")); n == 0 || n == bytes.Count(text, []byte("\r\n")) {
		return string(text)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\x00\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	return string(bytes.ReplaceAll(text, []byte("\x00\n"), []byte("\r\n")))
}

// decode16 turns UTF-16 into UTF-8.
func decode16(raw []byte, bigEndian bool) []byte {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		if units[i] = binary.LittleEndian.Uint16(raw[2*i:]); bigEndian {
			units[i] = binary.BigEndian.Uint16(raw[2*i:])
		}
	}
	return []byte(string(utf16.Decode(units)))
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

// textReader makes the text of one file.
type textReader struct {
	raw, out []byte
	moves    []signal.Move
	// mapped is what the end of out stands for, end where what was written last ended.
	mapped, end int
	runs        []run
	// invalid is one more than the index of the run of bytes that are not UTF-8.
	invalid int
	// own are the letters in the file that can only be Cyrillic or Greek.
	own int
}

// emit writes text that stands for a range of raw.
func (r *textReader) emit(text []byte, from, to int) {
	if r.mapped != from || r.end != from {
		r.moves = append(r.moves, signal.Move{Text: len(r.out), Before: r.end, Raw: from})
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
			if r.invalid == 0 {
				r.note(run{start: i, end: i + 1, kind: "invalid"})
				r.invalid = len(r.runs)
			}
			r.runs[r.invalid-1].count++
			r.emit([]byte("\uFFFD"), i, i+1)
			i++
		case kind == "" || isWide(c) && !isWord(c-0xFEE0) && !r.besideWide(i, n):
			r.emit(r.raw[i:i+n], i, i+n)
			i += n
		case kind == "space":
			r.emit([]byte{' '}, i, i+n)
			i += n
		case kind == "letter":
			i = r.word(i)
		case kind == "control":
			i = r.control(i)
		default:
			i = r.invisible(i, kind)
		}
	}
	if r.mapped != len(r.raw) || r.end != len(r.raw) {
		r.moves = append(r.moves, signal.Move{Text: len(r.out), Before: r.end, Raw: len(r.raw)})
	}
}

func (r *textReader) note(x run) {
	if len(r.runs) < maxRuns {
		r.runs = append(r.runs, x)
	} else if r.runs = r.runs[:maxRuns]; x.says != "" {
		r.runs[maxRuns-1] = x
	}
}

// besideWide reports whether punctuation of full width is next to such a letter. Otherwise
// it is that of Chinese or Japanese.
func (r *textReader) besideWide(at, n int) bool {
	prev, _ := utf8.DecodeLastRune(r.raw[:at])
	next, _ := utf8.DecodeRune(r.raw[at+n:])
	return isWide(prev) && isWord(prev-0xFEE0) || isWide(next) && isWord(next-0xFEE0)
}

// previous is the last character that shows.
func (r *textReader) previous() rune {
	c, _ := utf8.DecodeLastRune(r.out)
	return c
}

// hides reports whether characters of a kind do not show.
func hides(kind string) bool {
	return kind != "" && kind != "letter" && kind != "space" && kind != "control"
}

// following is the next character that shows, at or after an offset.
func (r *textReader) following(at int) (c rune) {
	for range 8 {
		var n int
		c, n = utf8.DecodeRune(r.raw[min(at, len(r.raw)):])
		if !hides(kindOf(c)) {
			break
		}
		at += n
	}
	return c
}

// before returns where the word begins that out ends with.
func (r *textReader) before() int {
	from := len(r.out)
	for from > 0 && len(r.out)-from < maxWord/4 {
		c, n := utf8.DecodeLastRune(r.out[:from])
		if !isWord(c) {
			break
		}
		from -= n
	}
	return from
}

// wordEnd returns where the word from an offset on ends.
func (r *textReader) wordEnd(at int) int {
	end := at
	for i := at; i < len(r.raw) && i < at+maxWord; {
		c, n := utf8.DecodeRune(r.raw[i:])
		kind := kindOf(c)
		i += n
		if kind == "letter" || isWord(c) {
			end = i
		} else if !hides(kind) {
			break
		}
	}
	return end
}

// wordAt is the word around what ends at an offset, without what does not show.
func (r *textReader) wordAt(end int) string {
	return string(r.out[r.before():]) + strings.Map(func(c rune) rune {
		if hides(kindOf(c)) {
			return -1
		}
		return c
	}, string(r.raw[end:r.wordEnd(end)]))
}

// word reads the word around an offset, where a letter is that may look like a Latin one,
// and returns where it ends. In a word that is otherwise Latin such letters become those
// that they look like.
func (r *textReader) word(at int) int {
	// The beginning of the word is written already.
	from, end := r.before(), r.wordEnd(at)
	looks := r.wordAt(at)
	var s shape
	for _, c := range looks {
		s.add(c)
	}
	start := r.mapped - (len(r.out) - from)
	fold := s.folds(r.own)
	for i := at; i < end; {
		c, n := utf8.DecodeRune(r.raw[i:])
		if kind := kindOf(c); hides(kind) {
			i = r.invisible(i, kind)
			continue
		}
		as := latin(c)
		if as != 0 && (fold || !new(shape).add(c)) {
			r.emit([]byte{as}, i, i+n)
		} else {
			r.emit(r.raw[i:i+n], i, i+n)
		}
		i += n
	}
	if s.mixes(r.own) {
		x := run{start: max(start, 0), end: end, kind: "mixed", word: looks, says: string(r.out[from:])}
		x.count = s.like + s.unlike + s.styled
		r.note(x)
	}
	return end
}
