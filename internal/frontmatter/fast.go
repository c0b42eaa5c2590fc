package frontmatter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// fast parses the simple frontmatter that nearly all files have: block-style maps and lists,
// single-line scalars, flow lists of plain words, and simple block scalars. If it returns true, the
// result is exactly what load would return, without any problems. For any other text, invalid or
// merely unusual, it returns false, and the caller uses the YAML library. Without fast, listing ten
// thousand skills takes twenty times as long.
//
// base is the offset of text in its file. The result is appended to entries.
func fast(entries []definition.Entry, text []byte, base int) ([]definition.Entry, bool) {
	if !isSimpleText(text) {
		return nil, false
	}
	p := quick{text: string(text), base: base}
	p.nextLine()
	if p.done {
		return entries, true
	}
	if p.indent != 0 {
		return nil, false
	}
	entries, ok := p.mapping(entries, 0, 0)
	return entries, ok && p.done
}

// isSimpleText reports whether text is valid UTF-8 without tabs, control characters, byte order
// marks, or line endings other than LF and CRLF. YAML parsers interpret such text in the same way.
func isSimpleText(text []byte) bool {
	ascii := true
	for i, b := range text {
		switch {
		case b >= ' ' && b < 0x7f, b == '\n':
		case b >= 0x80:
			ascii = false
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

// quick is the state of the line-based parser behind [fast]. The current line is text[start:end],
// without its indentation. done is set after the last line.
type quick struct {
	text       string
	base       int
	next       int // start of the line after the current one
	start, end int // current line without indentation and line ending
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

// rawLine sets start and end to the line at next, and advances next to the line after it.
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

// fastDepth is the maximum nesting depth of maps and lists that the fast parser handles.
const fastDepth = 6

// fastKeys is the maximum number of entries in a map that the fast parser handles. It searches for
// duplicate keys linearly, which would be slow in larger maps.
const fastKeys = 48

// mapping appends the entries of the map that starts on the current line.
func (p *quick) mapping(entries []definition.Entry, indent, depth int) ([]definition.Entry, bool) {
	if depth > fastDepth {
		return nil, false
	}
	// Collect the entries in a temporary slice, so a nested map does not retain unused capacity.
	pairs := make([]definition.Entry, 0, 8)
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
	return append(entries, pairs...), p.done || p.indent < indent
}

// key returns the length of the plain key that starts the current line, or 0.
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

// value parses the value that starts at i on the current line, after a key's colon or an item's
// dash, and moves to the line after it.
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

// last moves to the next line. It fails if that line might continue the value.
func (p *quick) last(v definition.Value, ok bool, indent int) (definition.Value, bool) {
	if !ok {
		return v, false
	}
	p.nextLine()
	return v, p.done || p.indent <= indent
}

// nested parses the value below a key, which is a list, a map, or empty.
func (p *quick) nested(after, indent, depth int) (definition.Value, bool) {
	p.nextLine()
	switch {
	case !p.done && p.indent >= indent && p.isItem():
		return p.list(p.indent, indent, depth+1)
	case !p.done && p.indent > indent:
		start := p.start
		pairs, ok := p.mapping(nil, p.indent, depth+1)
		if !ok {
			return definition.Value{}, false
		}
		end := pairs[len(pairs)-1].Value.Span.End
		return definition.Value{Kind: definition.Map, Pairs: pairs,
			Span: diag.Span{Start: p.base + start, End: end}}, p.done || p.indent <= indent
	}
	return definition.Value{Kind: definition.Null, Plain: true, Span: p.span(after, after)}, true
}

// isItem reports whether the current line begins with "- ".
func (p *quick) isItem() bool {
	return p.end-p.start > 1 && p.text[p.start] == '-' && p.text[p.start+1] == ' '
}

// list parses a block list of scalars and flow lists.
func (p *quick) list(indent, parent, depth int) (definition.Value, bool) {
	if depth > fastDepth {
		return definition.Value{}, false
	}
	v := definition.Value{Kind: definition.List, Span: p.span(p.start, p.start)}
	items := make([]definition.Value, 0, 8)
	for !p.done && p.indent == indent && p.isItem() {
		item, ok := p.value(p.start+1, indent, depth, false)
		if !ok {
			return v, false
		}
		items = append(items, item)
		v.Span.End = item.Span.End
	}
	v.Items = slices.Clone(items)
	return v, p.done || p.indent < indent || p.indent == parent && !p.isItem()
}

func (p *quick) span(start, end int) diag.Span {
	return diag.Span{Start: p.base + start, End: p.base + end}
}

// scalar parses the scalar at text[i:stop] and returns the offset after it. In
// a flow list, the scalar ends before a comma or bracket.
func (p *quick) scalar(i, stop int, flow bool) (definition.Value, int, bool) {
	switch p.text[i] {
	case '"', '\'':
		return p.quoted(i, stop)
	}
	return p.plain(i, stop, flow)
}

// quoted parses a single-line quoted scalar with common escapes.
func (p *quick) quoted(i, stop int) (definition.Value, int, bool) {
	quote, escaped := p.text[i], false
	end := i + 1
	for {
		n := strings.IndexByte(p.text[end:stop], quote)
		if n < 0 {
			return definition.Value{}, 0, false
		}
		if quote == '"' {
			if m := strings.IndexByte(p.text[end:end+n], '\\'); m >= 0 {
				if end += m + 2; end > stop {
					return definition.Value{}, 0, false
				}
				escaped = true
				continue
			}
		} else if end += n; end+1 < stop && p.text[end+1] == quote {
			end, escaped = end+2, true
			continue
		} else {
			n = 0
		}
		end += n + 1
		break
	}
	inner := p.text[i+1 : end-1]
	if escaped {
		var ok bool
		if inner, ok = unescape(inner, quote); !ok {
			return definition.Value{}, 0, false
		}
	}
	return definition.Value{Kind: definition.String, Text: inner, Span: p.span(i, end)}, end, true
}

// unescape replaces doubled single quotes or, in a double-quoted scalar, simple escapes. It fails
// for other escapes, which the library handles.
func unescape(s string, quote byte) (string, bool) {
	if quote == '\'' {
		return strings.ReplaceAll(s, "''", "'"), true
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			switch s[i] {
			case '"', '\\', '/':
				c = s[i]
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			default:
				return "", false
			}
		}
		out.WriteByte(c)
	}
	return out.String(), true
}

// plain parses a plain scalar.
func (p *quick) plain(i, stop int, flow bool) (definition.Value, int, bool) {
	s := p.text[i:stop]
	if flow {
		// Let the library parse words that contain a bracket or brace.
		if n := strings.IndexAny(s, ",]:[{}?"); n >= 0 {
			if s[n] != ',' && s[n] != ']' {
				return definition.Value{}, 0, false
			}
			s = s[:n]
		}
	}
	if s == "" || !beginsPlain(s[0]) || strings.Contains(s, " #") || strings.Contains(s, ": ") || s[len(s)-1] == ':' {
		return definition.Value{}, 0, false
	}
	end := i + len(s)
	return p.word(i, end), end, true
}

func (p *quick) word(i, end int) definition.Value {
	for p.text[end-1] == ' ' {
		end--
	}
	s := p.text[i:end]
	return definition.Value{Kind: plainKind(s), Text: s, Plain: true, Span: p.span(i, end)}
}

// beginsPlain reports whether a plain scalar may start with b regardless of the next byte.
func beginsPlain(b byte) bool {
	switch b {
	case '/', '.', '$', '(', '+', '~', '_', '<', '^', ';', '\\', '=':
		return true
	}
	return isDecimal(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// flowList parses a flow list of plain and simply quoted words that fills text[i:stop].
func (p *quick) flowList(i, stop int) (definition.Value, bool) {
	v := definition.Value{Kind: definition.List, Span: p.span(i, stop)}
	if p.text[stop-1] != ']' {
		return v, false
	}
	at := p.blanks(i+1, stop)
	if p.text[at] == ']' {
		return v, at+1 == stop
	}
	v.Items = make([]definition.Value, 0, 1+strings.Count(p.text[at:stop], ","))
	for at < stop {
		item, end, ok := p.scalar(at, stop, true)
		if !ok {
			return v, false
		}
		v.Items = append(v.Items, item)
		end = p.blanks(end, stop)
		switch {
		case end >= stop:
			return v, false
		case p.text[end] == ']':
			return v, end+1 == stop
		case p.text[end] != ',':
			return v, false
		}
		at = p.blanks(end+1, stop)
	}
	return v, false
}

func (p *quick) blanks(i, stop int) int {
	for i < stop && p.text[i] == ' ' {
		i++
	}
	return i
}

// block parses a block scalar with the header text[i:stop] and moves to the line after it. It
// rejects unusual cases, which the library parses: a leading blank line, trailing spaces, and lines
// in a folded scalar that are indented more than the first.
func (p *quick) block(i, stop, indent int) (definition.Value, bool) {
	folded, strip := p.text[i] == '>', false
	switch p.text[i+1 : stop] {
	case "":
	case "-":
		strip = true
	default:
		return definition.Value{}, false
	}
	first := p.next
	p.rawLine()
	depth := p.start - first
	if p.start == p.end || depth <= indent || p.text[first:p.next] == "" {
		return definition.Value{}, false
	}
	text, end, ok := p.blockText(depth, folded)
	if !ok {
		return definition.Value{}, false
	}
	if !strip {
		text += "\n"
	}
	v := definition.Value{Kind: definition.String, Text: text, Span: p.span(i, end)}
	p.nextLine()
	return v, p.done || p.indent <= indent
}

// blockText parses a block scalar's lines, starting with the current one, and
// sets next to the line after them. It returns the text without its last line
// break, and the offset after its last character.
func (p *quick) blockText(depth int, folded bool) (string, int, bool) {
	var b []byte
	var end, after int
	first, from := p.start, p.start
	for {
		if p.text[p.end-1] == ' ' || p.next == p.end {
			return "", 0, false
		}
		b, end, after = append(b, p.text[from:p.end]...), p.end, p.next
		blank := 0
		for {
			if p.next >= len(p.text) {
				return p.blockDone(b, first, end, after)
			}
			line := p.next
			p.rawLine()
			from = line + depth
			if p.start != p.end {
				if p.start-line < depth {
					return p.blockDone(b, first, end, after)
				}
				break
			}
			if p.end != line {
				return "", 0, false
			}
			blank++
		}
		if folded && p.start != from {
			return "", 0, false
		}
		switch {
		case !folded:
			blank++
		case blank == 0:
			b = append(b, ' ')
		}
		for range blank {
			b = append(b, '\n')
		}
	}
}

func (p *quick) blockDone(b []byte, first, end, after int) (string, int, bool) {
	p.next = after
	if end-first == len(b) {
		return p.text[first:end], end, true
	}
	return string(b), end, true
}
