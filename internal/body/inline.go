package body

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/chars"
)

// Piece is a part of a Markdown text: plain text, or an HTML block that begins
// with a comment, including the line breaks after it.
type Piece struct {
	diag.Span
	Comment bool
	// Top is set if the comment is not in a list or block quote.
	Top bool
}

// Pieces yields the pieces of a Markdown text in order. A piece ends at the end
// of its line and before a code span, tag, escape, emphasis marker, or a link's
// bracket or target. Pieces runs in linear time.
func Pieces(text string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		done := false
		p := paragraph{keep: true, ticks: map[int]int{}}
		w := walker{text: text}
		w.comment = func(at diag.Span, top bool) {
			done = done || !yield(Piece{at, true, top})
		}
		w.paragraph = func(lines []diag.Span) {
			if done {
				return
			}
			p.scan(text, lines)
			p.cut(len(p.text), len(p.text))
			p.cuts = append(p.cuts, p.emphasized...)
			slices.SortFunc(p.cuts, func(a, b diag.Span) int { return cmp.Compare(a.Start, b.Start) })
			at := 0
			for _, cut := range p.cuts {
				if cut.Start > at && !done {
					done = !yield(Piece{Span: p.source(at, cut.Start)})
				}
				at = max(at, cut.End)
			}
		}
		w.walk(0)
	}
}

// Link is the target of a link or image.
type Link struct {
	// Target is the target as written in the text, and Span is its position.
	Target string
	Span   diag.Span
}

// maxLabels is the maximum number of bracketed labels that are kept for resolving reference links.
const maxLabels = 10_000

// Links yields the targets of the links and images in a Markdown text, as defined by CommonMark
// 0.31. It ignores code, comments and HTML blocks. The targets of inline links come first, in
// order, followed by the definitions of the reference links that are used. Links runs in linear
// time.
func Links(text string) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		type definition struct {
			label string
			Link
		}
		var definitions []definition
		labels, done := map[string]bool{}, false
		w := walker{text: text}
		w.definition = func(label string, target Link) {
			if len(definitions) < maxLabels {
				definitions = append(definitions, definition{folded(label), target})
			}
		}
		p := paragraph{ticks: map[int]int{}}
		p.link = func(l Link) {
			l.Span = p.source(l.Span.Start, l.Span.End)
			done = done || !yield(l)
		}
		p.label = func(label string) {
			if len(label) < 1000 && len(labels) < maxLabels {
				labels[folded(label)] = true
			}
		}
		w.paragraph = func(lines []diag.Span) {
			if !done && strings.Contains(text[lines[0].Start:lines[len(lines)-1].End], "[") {
				p.scan(text, lines)
			}
		}
		w.walk(0)
		for _, d := range definitions {
			if !done && labels[d.label] {
				done = !yield(d.Link)
			}
		}
	}
}

// folded normalizes a label for comparison.
func folded(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// paragraph parses the inline elements of a paragraph, whose lines are joined in text.
type paragraph struct {
	text string
	// lines holds each line's span in the whole Markdown text, and at holds each line's offset in
	// text.
	lines []diag.Span
	at    []int

	// link, if not nil, receives each link. label, if not nil, receives each bracketed text that is
	// not a link.
	link  func(Link)
	label func(string)
	// quoted, if not nil, receives code spans and comments.
	quoted func(kind quotation, at diag.Span)

	// cuts holds the ranges of Markdown syntax to remove from the text, in no particular order.
	// They are collected only if keep is set.
	cuts []diag.Span
	keep bool
	// noComment is set once the rest of the text is known to contain no "-->".
	noComment bool
	// ticks maps the length of a backtick run to the offset of the last such run seen so far.
	// allTicks is set once all runs have been seen.
	ticks    map[int]int
	allTicks bool
	// open holds the unclosed brackets. Brackets with an index less than inactive can no longer
	// begin a link, because links do not nest.
	open     []bracket
	inactive int
	// marks holds the runs of "*" and "_" that have not been resolved yet.
	marks []mark
	// emphasized holds the emphasis markers, in no particular order.
	emphasized []diag.Span
}

type bracket struct {
	at int
	// marks is the number of marks that precede the bracket.
	marks int
}

// source converts a range of offsets in the paragraph's text, which must be within one line, to the
// corresponding span in the whole Markdown text.
func (p *paragraph) source(start, end int) diag.Span {
	i, found := slices.BinarySearch(p.at, start)
	if !found {
		i--
	}
	from := p.lines[i].Start + start - p.at[i]
	return diag.Span{Start: from, End: from + end - start}
}

func (p *paragraph) cut(start, end int) {
	if p.keep {
		p.cuts = append(p.cuts, diag.Span{Start: start, End: end})
	}
}

// scan processes the next paragraph's text.
func (p *paragraph) scan(source string, lines []diag.Span) {
	p.lines, p.at, p.text = lines, append(p.at[:0], 0), source[lines[0].Start:lines[0].End]
	if len(lines) > 1 {
		var b strings.Builder
		b.Grow(lines[len(lines)-1].End - lines[0].Start)
		b.WriteString(p.text)
		for _, l := range lines[1:] {
			b.WriteByte('\n')
			p.at = append(p.at, b.Len())
			b.WriteString(source[l.Start:l.End])
		}
		p.text = b.String()
	}
	p.cuts, p.open, p.marks, p.emphasized = p.cuts[:0], p.open[:0], p.marks[:0], p.emphasized[:0]
	p.noComment, p.allTicks, p.inactive = false, false, 0
	clear(p.ticks)
	text := p.text
	for i := nextSpecial(text, 0, &inMarkdown); i < len(text); i = nextSpecial(text, i, &inMarkdown) {
		end := i + 1
		switch text[i] {
		case '\n':
			p.cut(i, end)
		case '\\':
			if end < len(text) && (isPunct(text[end]) || text[end] == '\n') {
				end++
				p.cut(i, end)
			}
		case '`':
			n := runLength(text, i)
			end = i + n
			if closer := p.closer(i, end); closer > 0 {
				p.quote(codeSpan, end, closer)
				end = closer + n
				p.cut(i, end)
			}
		case '<':
			if n := p.tag(text[i:]); n > 0 {
				end = i + n
				p.cut(i, end)
				if hasAt(text, i, "<!--") {
					p.quote(comment, i, end-len("-->"))
				}
			}
		case '[':
			p.open = append(p.open, bracket{i, len(p.marks)})
		case ']':
			end = p.close(i)
		case '*', '_':
			if end = i + runLength(text, i); p.keep {
				p.marks = append(p.marks, newMark(text, i, end))
			}
		}
		i = end
	}
	p.emphasis(0)
}

// quote passes a code span or comment to p.quoted, if set. start and end are offsets in the
// paragraph's text.
func (p *paragraph) quote(kind quotation, start, end int) {
	if p.quoted != nil {
		p.quoted(kind, diag.Span{Start: p.source(start, start).Start, End: p.source(end, end).Start})
	}
}

// closer returns the offset of the backticks that close a code span, or 0 if there are none. start
// and end delimit the opening backticks. Backticks that directly follow an escaped backtick do not
// open a code span.
func (p *paragraph) closer(start, end int) int {
	if start > 0 && p.text[start-1] == '`' || p.allTicks && p.ticks[end-start] < end {
		return 0
	}
	for i := end; i < len(p.text); i++ {
		if p.text[i] == '`' {
			n := runLength(p.text, i)
			if n == end-start {
				return i
			}
			p.ticks[n] = max(p.ticks[n], i)
			i += n
		}
	}
	p.allTicks = true
	return 0
}

// tag returns the length of the tag, comment or URL at the start of rest, or 0.
func (p *paragraph) tag(rest string) int {
	if !strings.HasPrefix(rest, "<!--") {
		return tagLength(rest)
	}
	if !p.noComment {
		if n := strings.Index(rest[2:], "-->"); n >= 0 {
			return n + 5
		}
	}
	p.noComment = true
	return 0
}

// close processes the "]" at i. It returns the offset after the link that the bracket ends or, if
// the bracket does not end a link, the offset after the bracket.
func (p *paragraph) close(i int) int {
	top := len(p.open) - 1
	if top < 0 {
		return i + 1
	}
	b := p.open[top]
	p.open = p.open[:top]
	image := b.at > 0 && p.text[b.at-1] == '!'
	active := top >= p.inactive || image
	p.inactive = min(p.inactive, top)
	if active && hasAt(p.text, i+1, "(") {
		if target, end, ok := linkTarget(p.text, i+2); ok {
			if image {
				p.cut(b.at-1, end)
			} else {
				p.inactive = top
				p.cut(b.at, b.at+1)
				p.cut(i, end)
			}
			if p.link != nil {
				p.link(target)
			}
			p.emphasis(b.marks)
			return end
		}
	}
	if p.label != nil {
		p.label(p.text[b.at+1 : i])
	}
	return i + 1
}

// mark is a run of "*" or "_".
type mark struct {
	char          byte
	start, end    int
	opens, closes bool
}

// newMark determines from the surrounding text whether a run may begin or end emphasis, according
// to CommonMark's rules for delimiter runs.
func newMark(text string, start, end int) mark {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	spaceBefore, spaceAfter := start == 0 || chars.IsSpace(before), end == len(text) || chars.IsSpace(after)
	punctBefore, punctAfter := isPunctRune(before), isPunctRune(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	if text[start] == '*' {
		return mark{'*', start, end, left, right}
	}
	return mark{'_', start, end, left && (!right || punctBefore), right && (!left || punctAfter)}
}

func isPunctRune(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }

// emphasis resolves the marks starting at index from. For each closing run, it finds the nearest
// opening run of the same character, and records the emphasis markers in both.
func (p *paragraph) emphasis(from int) {
	var open []mark
	// For each character, floor holds an index in open. No mark before that index has the
	// character, so the search for an opening run can stop there.
	floor := map[byte]int{}
	for _, m := range p.marks[from:] {
		for m.closes && m.start < m.end {
			at := len(open) - 1
			for at >= floor[m.char] && open[at].char != m.char {
				at--
			}
			if at < floor[m.char] {
				floor[m.char] = len(open)
				break
			}
			o := &open[at]
			n := min(2, o.end-o.start, m.end-m.start)
			p.emphasized = append(p.emphasized, diag.Span{Start: o.end - n, End: o.end}, diag.Span{Start: m.start, End: m.start + n})
			o.end -= n
			m.start += n
			if o.end > o.start {
				at++
			}
			open = open[:at]
			for c := range floor {
				floor[c] = min(floor[c], at)
			}
		}
		if m.opens && m.start < m.end {
			open = append(open, m)
		}
	}
	p.marks = p.marks[:from]
}

// linkTarget parses the part of an inline link that follows its "(". It returns the target and the
// offset after the closing ")".
func linkTarget(text string, i int) (Link, int, bool) {
	i = skipSpace(text, i)
	if hasAt(text, i, ")") {
		return Link{Span: diag.Span{Start: i, End: i}}, i + 1, true
	}
	target, i, ok := destination(text, i)
	if !ok {
		return Link{}, 0, false
	}
	behind := skipSpace(text, i)
	if behind > i {
		if end, ok := title(text, behind); ok {
			behind = skipSpace(text, end)
		}
	}
	return target, behind + 1, hasAt(text, behind, ")")
}

// skipSpace skips spaces and at most one line ending.
func skipSpace(text string, i int) int {
	lines := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r':
		case '\n':
			if lines++; lines > 1 {
				return i
			}
		default:
			return i
		}
	}
	return i
}

// maxParens is the maximum nesting depth of parentheses in a link target.
const maxParens = 32

// destination parses the link target at i. It returns the target and the offset of its end.
func destination(text string, i int) (Link, int, bool) {
	start := i
	if hasAt(text, i, "<") {
		for i++; i < len(text) && text[i] != '\n' && text[i] != '<'; i++ {
			switch {
			case text[i] == '\\' && i+1 < len(text) && text[i+1] != '\n':
				i++
			case text[i] == '>':
				return Link{text[start+1 : i], diag.Span{Start: start + 1, End: i}}, i + 1, true
			}
		}
		return Link{}, 0, false
	}
	depth := 0
loop:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] > ' ':
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return Link{}, 0, false
			}
		case c == ')':
			if depth--; depth < 0 {
				break loop
			}
		case c <= ' ' || c == 0x7f:
			break loop
		}
	}
	return Link{text[start:i], diag.Span{Start: start, End: i}}, i, depth <= 0 && i > start
}

// maxTitle is the maximum length of a link title in bytes. The limit keeps the running time linear.
const maxTitle = 2000

// title parses the link title at i, which must end inside the paragraph, and
// returns the offset of its end.
func title(text string, i int) (int, bool) {
	if i == len(text) {
		return 0, false
	}
	closing := text[i]
	text = text[:min(len(text), i+maxTitle)]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return 0, false
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == closing:
			return i + 1, true
		case c == '(' && closing == ')':
			return 0, false
		case c == '\n' && isBlank(lineAt(text, i+1)):
			return 0, false
		}
	}
	return 0, false
}
