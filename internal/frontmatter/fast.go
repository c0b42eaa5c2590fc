package frontmatter

import (
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// fast reads the simple frontmatter that nearly all files have: maps and lists
// in block style, scalars on one line, flow lists of plain words, and block
// scalars without surprises. It returns false for anything else, be it broken
// or only unusual; the YAML library decides then. Where it returns true, the
// result is what decode returns, byte for byte, without problems. Listing ten
// thousand skills is the reason for it: the library needs twenty times as long.
//
// base is the offset of text in its file.
func fast(text []byte, base int) ([]definition.Entry, bool) {
	if !isSimpleText(text) {
		return nil, false
	}
	p := quick{text: string(text), base: base}
	p.nextLine()
	if p.done {
		return nil, true
	}
	if p.indent != 0 {
		return nil, false
	}
	pairs, ok := p.mapping(0, 0)
	if !ok || !p.done {
		return nil, false
	}
	return pairs, true
}

// isSimpleText accepts text whose bytes mean to YAML what they seem to mean:
// valid UTF-8 without tabs, control characters, byte order marks and line ends
// other than LF and CR LF.
func isSimpleText(text []byte) bool {
	ascii := true
	for i, b := range text {
		switch {
		case b >= 0x80:
			ascii = false
		case b == '\n' || b >= ' ' && b != 0x7f:
		case b == '\r' && i+1 < len(text) && text[i+1] == '\n':
		default:
			return false
		}
	}
	return ascii || isSimpleUnicode(text)
}

func isSimpleUnicode(text []byte) bool {
	for i := 0; i < len(text); {
		if text[i] < 0x80 {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if n == 1 || r <= 0x9f || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			return false
		}
		i += n
	}
	return true
}

// quick is a parser by lines. The current line is text[start:end], with its
// indentation; done is set after the last.
type quick struct {
	text       string
	base       int
	next       int // start of the line after the current one
	start, end int // of the current line without indentation and line end
	indent     int
	done       bool
}

// nextLine moves to the next line that is neither blank nor a comment.
func (p *quick) nextLine() {
	for p.next < len(p.text) {
		line := p.next
		p.rawLine()
		if p.start == p.end || p.text[p.start] == '#' {
			continue
		}
		p.indent = p.start - line
		return
	}
	p.done, p.indent = true, -1
}

// rawLine sets start and end to the line at next and moves next on.
func (p *quick) rawLine() {
	stop := strings.IndexByte(p.text[p.next:], '\n')
	start := p.next
	if stop < 0 {
		p.end, p.next = len(p.text), len(p.text)
	} else {
		p.end = p.next + stop
		p.next = p.end + 1
		if p.end > start && p.text[p.end-1] == '\r' {
			p.end--
		}
	}
	for start < p.end && p.text[start] == ' ' {
		start++
	}
	p.start = start
}

// fastDepth bounds the nesting that is simple.
const fastDepth = 6

// fastKeys bounds the map size for which a linear search for duplicates is
// fast.
const fastKeys = 48

// mapping reads the map whose first key is the current line.
func (p *quick) mapping(indent, depth int) ([]definition.Entry, bool) {
	if depth > fastDepth {
		return nil, false
	}
	pairs := make([]definition.Entry, 0, p.countSiblings(indent))
	for !p.done && p.indent == indent {
		n := p.key()
		if n == 0 || len(pairs) == fastKeys {
			return nil, false
		}
		e := definition.Entry{Key: p.text[p.start : p.start+n], KeySpan: p.span(p.start, p.start+n)}
		for i := range pairs {
			if pairs[i].Key == e.Key {
				return nil, false
			}
		}
		var ok bool
		if e.Value, ok = p.value(p.start+n+1, indent, depth, true); !ok {
			return nil, false
		}
		pairs = append(pairs, e)
	}
	return pairs, p.done || p.indent < indent
}

// countSiblings estimates the number of entries of the map that begins at the
// current line: the lines up to one with less indentation whose first byte
// stands where its keys do.
func (p *quick) countSiblings(indent int) int {
	n := 1
	for i := p.next; i < len(p.text) && n < fastKeys; {
		stop := strings.IndexByte(p.text[i:], '\n')
		if stop < 0 {
			stop = len(p.text) - i
		}
		line := p.text[i : i+stop]
		i += stop + 1
		if len(line) <= indent {
			continue
		}
		first := 0
		for first <= indent && first < len(line) && line[first] == ' ' {
			first++
		}
		if first < indent {
			break
		}
		if first == indent && line[first] != '-' && line[first] != '#' {
			n++
		}
	}
	return n
}

// key returns the length of the plain key at the current line, or 0.
func (p *quick) key() int {
	line := p.text[p.start:p.end]
	i := 0
	for i < len(line) && isSimpleKey(line[i]) {
		i++
	}
	switch {
	case i == 0 || i > maxKey || line[0] == '-' || line[0] == '.':
	case i < len(line) && line[i] == ':' && (i+1 == len(line) || line[i+1] == ' '):
		return i
	}
	return 0
}

func isSimpleKey(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || isDecimal(b) || b == '_' || b == '-' || b == '.'
}

// value reads the value that begins at i, after the indicator of its parent on
// the current line, and moves to the line after it.
func (p *quick) value(i, indent, depth int, inMap bool) (definition.Value, bool) {
	after := i
	for i < p.end && p.text[i] == ' ' {
		i++
	}
	stop := p.end
	for stop > i && p.text[stop-1] == ' ' {
		stop--
	}
	if i == stop {
		if !inMap {
			return definition.Value{}, false
		}
		return p.nested(after, indent, depth)
	}
	switch p.text[i] {
	case '|', '>':
		return p.block(i, stop, indent)
	case '[':
		v, ok := p.flowList(i, stop)
		return p.last(v, ok, indent)
	}
	v, end, ok := p.scalar(i, stop, false)
	return p.last(v, ok && end == stop, indent)
}

// last moves to the next line and refuses what might go on there.
func (p *quick) last(v definition.Value, ok bool, indent int) (definition.Value, bool) {
	if !ok {
		return v, false
	}
	p.nextLine()
	return v, p.done || p.indent <= indent
}

// nested reads what stands below a key without a value: a list, a map, or
// nothing.
func (p *quick) nested(after, indent, depth int) (definition.Value, bool) {
	p.nextLine()
	switch {
	case !p.done && p.indent >= indent && p.isItem():
		return p.list(p.indent, indent, depth+1)
	case !p.done && p.indent > indent:
		start := p.start
		pairs, ok := p.mapping(p.indent, depth+1)
		if !ok {
			return definition.Value{}, false
		}
		end := pairs[len(pairs)-1].Value.Span.End
		return definition.Value{Kind: definition.Map, Pairs: pairs, Span: diag.Span{Start: p.base + start, End: end}}, p.done || p.indent <= indent
	}
	return definition.Value{Kind: definition.Null, Plain: true, Span: p.span(after, after)}, true
}

// isItem says whether the current line begins with "- ".
func (p *quick) isItem() bool {
	return p.end-p.start > 1 && p.text[p.start] == '-' && p.text[p.start+1] == ' '
}

// list reads a block list of scalars.
func (p *quick) list(indent, parent, depth int) (definition.Value, bool) {
	if depth > fastDepth {
		return definition.Value{}, false
	}
	v := definition.Value{Kind: definition.List, Span: p.span(p.start, p.start)}
	v.Items = make([]definition.Value, 0, p.countItems())
	for !p.done && p.indent == indent && p.isItem() {
		item, ok := p.value(p.start+1, indent, depth, false)
		if !ok {
			return v, false
		}
		v.Items = append(v.Items, item)
		v.Span.End = item.Span.End
	}
	return v, p.done || p.indent < indent || p.indent == parent && !p.isItem()
}

// countItems counts the lines from the current one on that begin with "- ".
func (p *quick) countItems() int {
	n := 1
	for i := p.next; i < len(p.text); n++ {
		for i < len(p.text) && p.text[i] == ' ' {
			i++
		}
		if i >= len(p.text) || p.text[i] != '-' {
			break
		}
		stop := strings.IndexByte(p.text[i:], '\n')
		if stop < 0 {
			return n + 1
		}
		i += stop + 1
	}
	return n
}

func (p *quick) span(start, end int) diag.Span {
	return diag.Span{Start: p.base + start, End: p.base + end}
}
