package instructions

import (
	"math/bits"
	"strings"
)

// paragraph is a piece of Markdown in which there are code spans, links and the
// like: its lines, joined.
type paragraph struct {
	text  string
	lines []line
	// at is where the first of lines begins in text.
	at int
}

func newParagraph(text string, list []line) *paragraph {
	if len(list) == 1 {
		return &paragraph{text: text[list[0].start:list[0].end], lines: list}
	}
	length := len(list) - 1
	for _, l := range list {
		length += int(l.end - l.start)
	}
	var b strings.Builder
	b.Grow(length)
	for i, l := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text[l.start:l.end])
	}
	return &paragraph{text: b.String(), lines: list}
}

// inSource returns where the byte i stands in the whole text. It is not asked for
// one before another that it was asked for.
func (p *paragraph) inSource(i int) int {
	for {
		next := p.at + int(p.lines[0].end-p.lines[0].start) + 1
		if i < next || len(p.lines) == 1 {
			return int(p.lines[0].start) + i - p.at
		}
		p.lines, p.at = p.lines[1:], next
	}
}

// inline finds what in a paragraph is no text. What it keeps takes, with the
// paragraph itself, no more than eight times the room of the text.
type inline struct {
	text string
	// cut has a bit for each byte: whether it is no text.
	cut []uint64
	// partners has for each backtick and each "[" of the text, in their order,
	// where the next run of as many backticks begins, or the "]" stands that
	// belongs to it; 0 where there is none.
	partners []uint32
	// partner is the place in partners of the first one at or behind partnerAt.
	partner, partnerAt int
	// links are those in whose text the scan may be, groups the marks there: a
	// tag may hide where a link's text ends.
	links  stack[link]
	groups stack[group]
	// opened are the runs of marks that may still begin emphasis.
	opened stack[line]
	// noComment: no "-->" follows.
	noComment bool
}

// link is where the text of a link ends, and where the link does.
type link struct{ closer, end uint32 }

// pieces hands out the pieces of a text that are nothing but text: what is left of
// it without code spans, tags, escapes, marks of emphasis, and the brackets and
// targets of links.
func (in *inline) pieces(text string, yield func(span)) {
	in.text, in.noComment = text, false
	in.cut = make([]uint64, len(text)/64+1)
	in.links.truncate(0)
	in.groups.truncate(0)
	in.opened.truncate(0)
	in.pairs()
	in.scan()
	for i := 0; i < len(text); {
		start := in.next(i, false)
		if start == len(text) {
			return
		}
		i = in.next(start, true)
		yield(span{start, i})
	}
}

// drop notes that a range is no text.
func (in *inline) drop(start, end int) {
	for i := start; i < end; i++ {
		in.cut[i/64] |= 1 << (i % 64)
	}
}

// next returns the first byte from i on that is no text, or is.
func (in *inline) next(i int, cut bool) int {
	for i < len(in.text) {
		word := in.cut[i/64]
		if !cut {
			word = ^word
		}
		if word >>= i % 64; word != 0 {
			i += bits.TrailingZeros64(word)
			break
		}
		i += 64 - i%64
	}
	return min(i, len(in.text))
}

// scan goes through the text once.
func (in *inline) scan() {
	in.groups.push(group{})
	text := in.text
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			i = in.escape(i)
		case '`':
			n := run(text, i)
			end := i + n
			if next := in.partnerOf(i); next > 0 {
				end = next + n
				in.drop(i, end)
			}
			i = end
		case '<':
			n := in.tag(i)
			in.drop(i, i+n)
			i += max(n, 1)
		case '!', '[':
			i = in.bracket(i)
		case ']':
			i = in.close(i)
		case '*', '_':
			n := run(text, i)
			in.emphasis(newMark(text, i, n))
			i += n
		default:
			i++
		}
	}
}

// escape deals with a backslash: the mark behind it means itself and is, to the
// host, no text either (f11: "\@n15.md" is no import).
func (in *inline) escape(i int) int {
	if i+1 < len(in.text) && (isPunct(in.text[i+1]) || in.text[i+1] == '\n') {
		in.drop(i, i+2)
		return i + 2
	}
	return i + 1
}

// bracket deals with what may begin a link or an image.
func (in *inline) bracket(i int) int {
	open := i
	if in.text[i] == '!' {
		open++
	}
	if open == len(in.text) || in.text[open] != '[' {
		return i + 1
	}
	closer := in.partnerOf(open)
	if closer == 0 {
		return i + 1
	}
	n := targetLength(in.text[closer+1:])
	if n == 0 {
		return i + 1
	}
	end := closer + 1 + n
	if open > i {
		in.drop(i, end)
		return end
	}
	in.drop(i, i+1)
	in.drop(closer, end)
	in.links.push(link{uint32(closer), uint32(end)})
	height := uint32(in.opened.size)
	in.groups.push(group{height, [2]uint32{height, height}})
	return i + 1
}

// close goes on behind a link whose text ends at i.
func (in *inline) close(i int) int {
	for in.links.size > 0 {
		l := *in.links.at(in.links.size - 1)
		if int(l.closer) > i {
			break
		}
		in.links.truncate(in.links.size - 1)
		if int(l.closer) == i {
			in.opened.truncate(int(in.groups.at(in.groups.size - 1).base))
			in.groups.truncate(in.groups.size - 1)
			return int(l.end)
		}
	}
	return i + 1
}

// partnerOf returns the partner of the backtick or "[" at i, or 0. It is not asked
// for one before another that it was asked for.
func (in *inline) partnerOf(i int) int {
	return int(in.partners[in.partnerAtLeast(i)])
}

// partnerAtLeast returns the place in partners of the first one at or behind i.
func (in *inline) partnerAtLeast(i int) int {
	for ; in.partnerAt < i; in.partnerAt++ {
		if c := in.text[in.partnerAt]; c == '`' || c == '[' {
			in.partner++
		}
	}
	return in.partner
}

// pairs finds the closing backticks of code spans and the brackets that belong
// together.
func (in *inline) pairs() {
	n := strings.Count(in.text, "`") + strings.Count(in.text, "[")
	if n > cap(in.partners) {
		in.partners = make([]uint32, n)
	}
	in.partners = in.partners[:n]
	clear(in.partners)
	if n > 0 {
		in.pairTicks()
		in.partner, in.partnerAt = 0, 0
		in.pairBrackets()
	}
	in.partner, in.partnerAt = 0, 0
}

func (in *inline) pairTicks() {
	text, at := in.text, len(in.partners)
	// last has, for each length, the run that was found last.
	last := map[int]uint32{}
	for i := len(text); i > 0; {
		switch i--; text[i] {
		case '[':
			at--
			continue
		case '`':
		default:
			continue
		}
		end := i + 1
		for i > 0 && text[i-1] == '`' {
			i--
		}
		n := end - i
		at -= n
		in.partners[at] = last[n]
		last[n] = uint32(i)
		// After a backslash the first backtick is escaped and the others are the run.
		if i > 0 && text[i-1] == '\\' && n > 1 {
			in.partners[at+1] = last[n-1]
		}
	}
}

func (in *inline) pairBrackets() {
	text := in.text
	// top is the last bracket that is open, by its place in partners and 1 more;
	// what is there is the one before it.
	top := uint32(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			n := run(text, i)
			if next := in.partnerOf(i); next > 0 {
				i = next
			}
			i += n - 1
		case '[':
			at := in.partnerAtLeast(i)
			in.partners[at] = top
			top = uint32(at) + 1
		case ']':
			if top > 0 {
				in.partners[top-1], top = uint32(i), in.partners[top-1]
			}
		}
	}
	for top > 0 {
		in.partners[top-1], top = 0, in.partners[top-1]
	}
}

// tag returns the length of the HTML or the address in angle brackets at i, or 0.
func (in *inline) tag(i int) int {
	rest := in.text[i:]
	if strings.HasPrefix(rest, "<!--") {
		if !in.noComment {
			if n := strings.Index(rest[2:], "-->"); n >= 0 {
				return n + 5
			}
		}
		in.noComment = true
		return 0
	}
	if n := tagLength(rest); n > 0 {
		return n
	}
	return addressLength(rest)
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isAlnum(c)
}
