package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Limits for one file: the number of recorded runs of each kind, and the length of a word. Longer
// words are processed in pieces.
const (
	maxRuns = 1000
	maxWord = 256
)

// run is a run of suspicious invisible or control characters, an invalid byte, or a word with
// look-alike letters.
type run struct {
	// start and end are offsets in the text that [signal.File.SourceText] returns.
	start, end int
	kind       signal.Tag
	count      int
	// decoded is the text that the run encodes, and word is the surrounding word as displayed.
	decoded, word string
	// reorders reports whether the characters change the text's display order.
	reorders bool
	// at is the position of the run. region is the index of the smallest region that contains it,
	// and size is the size of that region.
	at           signal.Place
	region, size int
}

// encodesText reports whether a run encodes text.
func (x *run) encodesText() bool {
	return x.decoded != "" && (x.kind == tag && len(x.decoded) >= 3 || x.kind == selector || x.kind == zeroWidth)
}

// readText sets a file's text and returns its runs of suspicious characters.
func readText(x *signal.File) []run {
	if x.Role == signal.Opaque {
		return nil
	}
	shown := x.Raw
	if hasUTF16Mark(x.Raw) {
		shown = decode.UTF16(x.Raw[2:], x.Raw[0] == 0xfe)
		x.UTF8 = shown
	}
	if nextUnusual(shown, 0) == len(shown) {
		x.Text = lineEnds(shown)
		return nil
	}
	r := textReader{raw: shown, out: make([]byte, 0, len(shown)), counts: map[signal.Tag]int{}}
	for _, c := range string(shown) {
		if c >= 0x370 && c < 0x590 && latinLookalike(c) == 0 && isLetter(c) {
			r.nativeLetters++
		}
		x.RightToLeft = x.RightToLeft || isRightToLeft(c)
	}
	for at := 0; at < len(shown); {
		at = r.next(at)
	}
	if r.mapped != len(shown) || r.end != len(shown) {
		r.moves = append(r.moves, signal.Omission{Text: len(r.out), Before: r.end, Raw: len(shown)})
	}
	x.Text, x.Offsets = lineEnds(r.out), r.moves
	slices.SortStableFunc(r.runs, func(a, b run) int { return a.start - b.start })
	return r.runs
}

// lineEnds replaces each carriage return that is not part of a CRLF with a line feed, because
// readers see it as a line break. The length stays the same.
func lineEnds(text []byte) string {
	if bytes.IndexByte(text, '\r') < 0 {
		return string(text)
	}
	return strings.NewReplacer("\r\n", "\r\n", "\r", "\n").Replace(string(text))
}

// nextUnusual returns the offset of the first byte, at or after from, that is not plain ASCII text.
func nextUnusual(s []byte, from int) int {
	for i := from; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return i
		}
	}
	return len(s)
}

// textReader produces a file's text.
type textReader struct {
	raw, out []byte
	moves    signal.OffsetMap
	// mapped is the offset in raw that corresponds to the end of out. end is the end of the range
	// of raw that was processed last.
	mapped, end int
	runs        []run
	counts      map[signal.Tag]int
	// nativeLetters counts the Greek, Cyrillic and Armenian letters in the file that have no Latin
	// look-alike.
	nativeLetters int
}

// emit appends text to the output in place of a range of raw.
func (r *textReader) emit(text []byte, from, to int) {
	if r.mapped != from || r.end != from {
		r.moves = append(r.moves, signal.Omission{Text: len(r.out), Before: r.end, Raw: from})
	}
	r.out = append(r.out, text...)
	r.mapped, r.end = from+len(text), to
}

func (r *textReader) addRun(x run) {
	if r.counts[x.kind]++; r.counts[x.kind] <= maxRuns {
		r.runs = append(r.runs, x)
	}
}

// next copies plain text up to the first unusual character, and processes the word around that
// character. It returns the offset at which to continue.
func (r *textReader) next(from int) int {
	at := nextUnusual(r.raw, from)
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
			r.addRun(run{start: at, end: at + 1, kind: "invalid"})
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

// wordEnd returns the end of the word at an offset, including invisible characters inside the word.
func (r *textReader) wordEnd(at int) int {
	end := at
	for end < len(r.raw) && end < at+maxWord {
		c, n := utf8.DecodeRune(r.raw[end:])
		if !isWord(c) && !isInvisible(kindOf(c)) {
			break
		}
		end += n
	}
	return end
}

// word processes a word and returns the offset at which to continue. If the word is otherwise
// Latin, word replaces look-alikes with Latin letters.
func (r *textReader) word(start, end int) int {
	var looks []rune
	for _, c := range string(r.raw[start:end]) {
		if !isInvisible(kindOf(c)) {
			looks = append(looks, c)
		}
	}
	folds, mixed := disguise(looks, r.nativeLetters)
	from, at := len(r.out), start
	for at < end {
		c, n := utf8.DecodeRune(r.raw[at:])
		if kind := kindOf(c); isInvisible(kind) {
			at = r.invisible(at, kind, string(looks))
			continue
		}
		if as := latinLookalike(c); as != 0 && folds {
			r.emit([]byte{as}, at, at+n)
		} else {
			r.emit(r.raw[at:at+n], at, at+n)
		}
		at += n
	}
	if mixed {
		r.addRun(run{start: start, end: at, kind: "mixed", word: string(looks), decoded: string(r.out[from:])})
	}
	return at
}
