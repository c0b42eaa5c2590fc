package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
)

// The limits of one file: how many runs of characters of a kind are noted, and how long a
// word may be; a longer one is read in pieces.
const (
	maxRuns = 1000
	maxWord = 256
)

// run is a run of characters that do not show and that the text around does not need, or a
// word with letters that show as others.
type run struct {
	// start and end are offsets in what [signal.File.Shown] returns.
	start, end int
	kind       signal.Tag
	count      int
	// says is the text that they spell, word the word that they are in, as it looks.
	says, word string
	// turns: they change the order of what shows.
	turns bool
	// at is where they are in the text, in the region unit of a size.
	at         signal.Place
	unit, size int
}

// spells reports whether a run spells a text.
func (x *run) spells() bool {
	return x.says != "" && (x.kind == tag && len(x.says) >= 3 || x.kind == selector || x.kind == zeroWidth)
}

// readText fills in the text of a file and returns the characters in it that do not show
// or show as others.
func readText(x *signal.File) []run {
	if x.Role == signal.Opaque {
		return nil
	}
	shown := x.Raw
	if wideMark(x.Raw) {
		shown = decode.UTF16(x.Raw[2:], x.Raw[0] == 0xfe)
		x.UTF8 = shown
	}
	if peculiar(shown, 0) == len(shown) {
		x.Text = lineEnds(shown)
		return nil
	}
	r := textReader{raw: shown, out: make([]byte, 0, len(shown)), counts: map[signal.Tag]int{}}
	for _, c := range string(shown) {
		if c >= 0x370 && c < 0x590 && latin(c) == 0 && isLetter(c) {
			r.own++
		}
		x.RightToLeft = x.RightToLeft || fromRight(c)
	}
	for at := 0; at < len(shown); {
		at = r.next(at)
	}
	if r.mapped != len(shown) || r.end != len(shown) {
		r.moves = append(r.moves, signal.Move{Text: len(r.out), Before: r.end, Raw: len(shown)})
	}
	x.Text, x.Moves = lineEnds(r.out), r.moves
	slices.SortStableFunc(r.runs, func(a, b run) int { return a.start - b.start })
	return r.runs
}

// lineEnds makes a line feed of a carriage return that is alone: it ends a line for
// a reader. The length stays.
func lineEnds(text []byte) string {
	if bytes.IndexByte(text, '\r') < 0 {
		return string(text)
	}
	return strings.NewReplacer("\r\n", "\r\n", "\r", "\n").Replace(string(text))
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
	counts      map[signal.Tag]int
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

func (r *textReader) note(x run) {
	if r.counts[x.kind]++; r.counts[x.kind] <= maxRuns {
		r.runs = append(r.runs, x)
	}
}

// next reads plain text and the first peculiar character after it, with the word that it is
// in, and returns where to go on.
func (r *textReader) next(from int) int {
	at := peculiar(r.raw, from)
	start := at
	for start > from && at-start < maxWord/4 && isWord(rune(r.raw[start-1])) {
		start--
	}
	end := r.wordEnd(start)
	if end > at {
		r.emit(r.raw[from:start], from, start)
		return r.word(start, end)
	}
	r.emit(r.raw[from:at], from, at)
	if at == len(r.raw) {
		return at
	}
	c, n := utf8.DecodeRune(r.raw[at:])
	switch {
	case c == utf8.RuneError && n <= 1:
		if r.counts["invalid"] == 0 {
			r.note(run{start: at, end: at + 1, kind: "invalid"})
		}
		r.emit([]byte("\uFFFD"), at, at+1)
	case kindOf(c) == space:
		r.emit([]byte{' '}, at, at+n)
	case kindOf(c) == control:
		return r.control(at)
	default:
		r.emit(r.raw[at:at+n], at, at+n)
	}
	return at + n
}

// wordEnd returns where the word from an offset on ends, with what does not show in it.
func (r *textReader) wordEnd(at int) int {
	end := at
	for end < len(r.raw) && end < at+maxWord {
		c, n := utf8.DecodeRune(r.raw[end:])
		if !isWord(c) && !hides(kindOf(c)) {
			break
		}
		end += n
	}
	return end
}

// word reads a word, and returns where to go on. In a word that is otherwise Latin, letters
// that look like Latin ones become these.
func (r *textReader) word(start, end int) int {
	var looks []rune
	for _, c := range string(r.raw[start:end]) {
		if !hides(kindOf(c)) {
			looks = append(looks, c)
		}
	}
	folds, mixed := disguise(looks, r.own)
	from, at := len(r.out), start
	for at < end {
		c, n := utf8.DecodeRune(r.raw[at:])
		if kind := kindOf(c); hides(kind) {
			at = r.invisible(at, kind, string(looks))
			continue
		}
		if as := latin(c); as != 0 && folds {
			r.emit([]byte{as}, at, at+n)
		} else {
			r.emit(r.raw[at:at+n], at, at+n)
		}
		at += n
	}
	if mixed {
		r.note(run{start: start, end: at, kind: "mixed", word: string(looks), says: string(r.out[from:])})
	}
	return at
}
