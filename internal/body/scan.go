package body

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// special marks the bytes that can begin a construct other than text. inMarkdown marks the bytes
// that can begin code, a tag, a link, emphasis or a new line.
var (
	special    = [256]uint8{'$': 1, '\\': 1, '@': 1, '!': 1, '`': 1}
	inMarkdown = [256]uint8{'\n': 1, '\\': 1, '`': 1, '<': 1, '[': 1, ']': 1, '*': 1, '_': 1}
)

// nextSpecial returns the offset of the first special byte at or after i, or the text's length. It
// examines eight bytes at a time, because most bytes are not special.
func nextSpecial(text string, i int, special *[256]uint8) int {
	for ; i+8 <= len(text); i += 8 {
		b := text[i : i+8]
		if special[b[0]]|special[b[1]]|special[b[2]]|special[b[3]]|special[b[4]]|special[b[5]]|special[b[6]]|special[b[7]] != 0 {
			break
		}
	}
	for i < len(text) && special[text[i]] == 0 {
		i++
	}
	return i
}

// Scan splits text into segments in one pass. It does not store them, because a text of a few
// megabytes may have a million segments. If constructs overlap, the first one wins, and nothing
// inside it is matched. An empty text has no segments.
//
// The running time is linear in the length of text. It is also linear in the number of declared
// names that are not plain words, but real files have no such names.
func Scan(text string, opts Options) iter.Seq[Segment] {
	return func(yield func(Segment) bool) {
		s := newScanner(text, opts)
		s.out = make([]Segment, 0, 4)
		for i := nextSpecial(text, 0, &special); i < len(text); i = nextSpecial(text, i, &special) {
			i = s.step(i, text[i])
			for _, seg := range s.out {
				if !yield(seg) {
					return
				}
			}
			s.out = s.out[:0]
		}
		s.flush(len(text))
		for _, seg := range s.out {
			if !yield(seg) {
				return
			}
		}
	}
}

// kept is the maximum number of segments stored by Kept.
const kept = 4096

// Kept is like Scan, but stores the segments unless there are too many of them. It is for callers
// that iterate more than once.
func Kept(text string, opts Options) iter.Seq[Segment] {
	few := make([]Segment, 0, min(len(text)/8+1, 64))
	for seg := range Scan(text, opts) {
		if len(few) == kept {
			return Scan(text, opts)
		}
		few = append(few, seg)
	}
	return slices.Values(few)
}

type scanner struct {
	text string
	// words maps declared names that are plain words to their positions. others
	// holds the remaining names.
	words  map[string]int
	others []declaredName
	out    []Segment
	// start is the offset of the text that is not yet part of a segment.
	start int

	// quotes holds the code and comments in the text. It is computed on first use. Entries before
	// the last queried position are dropped.
	quotes    []quote
	hasQuotes bool
	// noBlockEnd is set once the rest of the text is known to contain no "```".
	noBlockEnd bool
	// noTick is set once the rest of the text is known to contain no backtick.
	noTick bool
}

type declaredName struct {
	name  string
	index int
}

// maxOthers is the maximum number of declared names that are not plain words. There is a limit
// because each "$" is compared to all of these names.
const maxOthers = 1000

// newScanner classifies the declared names. If multiple names are equal, the first one wins.
func newScanner(text string, opts Options) *scanner {
	s := &scanner{text: text}
	for i, name := range opts.Names {
		switch {
		case name == "" || chars.IsDigits(name):
		case wordLength(name) < len(name):
			if len(s.others) == maxOthers {
				continue
			}
			s.others = append(s.others, declaredName{name, i})
		default:
			if s.words == nil {
				s.words = make(map[string]int, len(opts.Names))
			}
			if _, twice := s.words[name]; !twice {
				s.words[name] = i
			}
		}
	}
	return s
}

// wordLength returns the number of word characters at the start of s.
func wordLength(s string) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

// step processes the byte c at i and returns the next offset.
func (s *scanner) step(i int, c byte) int {
	switch c {
	case '$':
		return s.dollar(i)
	case '\\':
		return s.backslash(i)
	case '@':
		return s.at(i)
	case '!':
		return s.bang(i)
	}
	return s.ticks(i)
}

// backslash processes the backslashes at i. If their number is odd, the last one escapes a
// placeholder that follows it.
func (s *scanner) backslash(i int) int {
	end := i + runLength(s.text, i)
	if end == len(s.text) || (end-i)%2 == 0 {
		return end
	}
	if p, ok := s.placeholder(end); ok && s.text[end] == '$' {
		p.Span.Start, p.Escaped = end-1, true
		return s.emit(p)
	}
	return end
}

// ticks processes the backticks at i, which may begin a shell block.
func (s *scanner) ticks(i int) int {
	n := runLength(s.text, i)
	if n >= 3 && hasAt(s.text, i+n, "!") {
		if end, ok := s.shellBlock(i + n - 3); ok {
			return end
		}
	}
	return i + n
}

// quote is a part of the text that is in code or a comment.
type quote struct {
	kind quotation
	diag.Span
}

// quoteAt returns the quote around i. Its kind is 0 if i is not quoted.
// Positions must increase from call to call.
func (s *scanner) quoteAt(i int) quote {
	if !s.hasQuotes {
		s.hasQuotes = true
		if !mayQuote(s.text) {
			return quote{}
		}
		s.quotes = make([]quote, 0, strings.Count(s.text, "`")/2)
		add := func(kind quotation, at diag.Span) { s.quotes = append(s.quotes, quote{kind, at}) }
		w, p := walker{text: s.text, quoted: add}, paragraph{quoted: add, ticks: map[int]int{}}
		w.paragraph = func(lines []diag.Span) {
			if mayQuote(s.text[lines[0].Start:lines[len(lines)-1].End]) {
				p.scan(s.text, lines)
			}
		}
		w.walk(0)
	}
	for len(s.quotes) > 0 && s.quotes[0].End <= i {
		s.quotes = s.quotes[1:]
	}
	if len(s.quotes) == 0 || s.quotes[0].Start > i {
		return quote{}
	}
	return s.quotes[0]
}

// mayQuote reports whether text contains a code or comment delimiter.
func mayQuote(text string) bool {
	return strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "<!--") || strings.Contains(text, "~~~")
}

// emit appends the text before seg and then seg itself. It returns the end of seg.
func (s *scanner) emit(seg Segment) int {
	at := seg.Span.Start
	s.flush(at)
	kind := s.quoteAt(at).kind
	seg.InFence, seg.InCode, seg.InComment = kind == fenced, kind == codeSpan, kind == comment
	s.out = append(s.out, seg)
	s.start = seg.Span.End
	return s.start
}

// flush appends the text up to end as a separate segment.
func (s *scanner) flush(end int) {
	if s.start < end {
		s.out = append(s.out, Segment{Kind: Text, Span: diag.Span{Start: s.start, End: end}})
		s.start = end
	}
}

// afterSpace reports whether i is at the start of the text or a line, or after whitespace. The
// host's rules are JavaScript regular expressions, so whitespace is what "\s" matches in
// JavaScript.
func afterSpace(text string, i int) bool {
	if i == 0 {
		return true
	}
	if c := text[i-1]; c < utf8.RuneSelf {
		return chars.IsSpace(rune(c))
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return chars.IsSpace(r)
}

// isWord reports whether c is in JavaScript's class \w.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// runLength returns the number of consecutive bytes equal to the one at i.
func runLength(text string, i int) int {
	n := 1
	for i+n < len(text) && text[i+n] == text[i] {
		n++
	}
	return n
}

func hasAt(text string, i int, sub string) bool {
	return strings.HasPrefix(text[i:], sub)
}
