package instruct

import (
	"slices"
	"sort"
	"strings"
)

// paragraph is a piece of Markdown in which there are code spans, links and the
// like: its lines, joined.
type paragraph struct {
	text string
	// from and at are, for each line, where it begins in the whole text and in
	// this one.
	from, at []int
}

func newParagraph(text string, list []span) *paragraph {
	p := &paragraph{from: make([]int, len(list)), at: make([]int, len(list))}
	var b strings.Builder
	for i, l := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.from[i], p.at[i] = l.start, b.Len()
		b.WriteString(text[l.start:l.end])
	}
	p.text = b.String()
	return p
}

// inSource returns where the byte i stands in the whole text.
func (p *paragraph) inSource(i int) int {
	line := sort.SearchInts(p.at, i+1) - 1
	return p.from[line] + i - p.at[line]
}

// pieces returns the pieces of the paragraph that are nothing but text: what is
// left of it without code spans, tags, escapes, marks of emphasis, and the
// brackets and targets of links.
func (p *paragraph) pieces() []span {
	in := inline{text: p.text, links: map[int]int{}}
	in.scan()
	in.emphasis()
	slices.SortFunc(in.cuts, func(a, b span) int { return a.start - b.start })
	var list []span
	from := 0
	for _, c := range in.cuts {
		if c.start > from {
			list = append(list, span{from, c.start})
		}
		from = max(from, c.end)
	}
	if from < len(p.text) {
		list = append(list, span{from, len(p.text)})
	}
	return list
}

// inline finds what in a paragraph is no text.
type inline struct {
	text string
	// cuts are the ranges that are no text.
	cuts []span
	// marks are the runs of "*" and "_" that may begin or end emphasis, in their
	// order, by the link in whose text they stand.
	marks [][]mark
	// links has, for each bracket that closes the text of a link, where the link
	// ends; open are the places in marks of the links that are open.
	links map[int]int
	open  []int
	// ticks has, for each run of backticks, the next one of its length.
	ticks map[int]int
	// brackets has the closing bracket of each opening one.
	brackets map[int]int
	// noComment: no "-->" follows.
	noComment bool
}

// scan goes through the text once.
func (in *inline) scan() {
	in.pairs()
	in.marks, in.open = make([][]mark, 1), []int{0}
	text := in.text
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			i = in.escape(i)
		case '`':
			n := run(text, i)
			end := i + n
			if next, ok := in.ticks[i]; ok {
				end = next + n
				in.cuts = append(in.cuts, span{i, end})
			}
			i = end
		case '<':
			n := in.tag(i)
			if n > 0 {
				in.cuts = append(in.cuts, span{i, i + n})
			}
			i += max(n, 1)
		case '!', '[':
			i = in.bracket(i)
		case ']':
			i = in.close(i)
		case '*', '_':
			n := run(text, i)
			at := &in.marks[in.open[len(in.open)-1]]
			*at = append(*at, newMark(text, i, n))
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
		in.cuts = append(in.cuts, span{i, i + 2})
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
	closer, ok := in.brackets[open]
	if !ok || open == len(in.text) || in.text[open] != '[' {
		return i + 1
	}
	n := targetLength(in.text[closer+1:])
	if n == 0 {
		return i + 1
	}
	if open > i {
		in.cuts = append(in.cuts, span{i, closer + 1 + n})
		return closer + 1 + n
	}
	in.cuts = append(in.cuts, span{i, i + 1}, span{closer, closer + 1 + n})
	in.links[closer] = closer + 1 + n
	in.open = append(in.open, len(in.marks))
	in.marks = append(in.marks, nil)
	return i + 1
}

// close goes on behind a link whose text ends at i.
func (in *inline) close(i int) int {
	end, ok := in.links[i]
	if !ok {
		return i + 1
	}
	in.open = in.open[:len(in.open)-1]
	return end
}

// pairs finds the closing backticks of code spans and the brackets that belong
// together.
func (in *inline) pairs() {
	text := in.text
	last := map[int]int{}
	in.ticks = map[int]int{}
	for i := len(text); i > 0; {
		end := strings.LastIndexByte(text[:i], '`')
		if end < 0 {
			break
		}
		start := end
		for start > 0 && text[start-1] == '`' {
			start--
		}
		n := end + 1 - start
		if next, ok := last[n]; ok {
			in.ticks[start] = next
		}
		last[n] = start
		// After a backslash the first backtick is escaped and the others are the run.
		if start > 0 && text[start-1] == '\\' && n > 1 {
			if next, ok := last[n-1]; ok {
				in.ticks[start+1] = next
			}
		}
		i = start
	}
	in.brackets = map[int]int{}
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			n := run(text, i)
			if next, ok := in.ticks[i]; ok {
				i = next
			}
			i += n - 1
		case '[':
			open = append(open, i)
		case ']':
			if len(open) > 0 {
				in.brackets[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
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
