package frontmatter

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// scalar reads the scalar at text[i:stop] and returns the offset after it. In a
// flow list it ends before a comma or bracket.
func (p *quick) scalar(i, stop int, flow bool) (definition.Value, int, bool) {
	switch p.text[i] {
	case '"', '\'':
		return p.quoted(i, stop)
	}
	return p.plain(i, stop, flow)
}

// quoted reads a quoted scalar on one line, with the escapes that people write.
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

// unescape resolves doubled single quotes, or the simple escapes between double
// quotes; others are left to the library.
func unescape(s string, quote byte) (string, bool) {
	if quote == '\'' {
		return strings.ReplaceAll(s, "''", "'"), true
	}
	out := make([]byte, 0, len(s))
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
		out = append(out, c)
	}
	return string(out), true
}

// plain reads a plain scalar.
func (p *quick) plain(i, stop int, flow bool) (definition.Value, int, bool) {
	if !beginsPlain(p.text[i]) {
		return definition.Value{}, 0, false
	}
	end := i
	for ; end < stop; end++ {
		switch p.text[end] {
		case ':':
			if end+1 == stop || p.text[end+1] == ' ' || flow {
				return definition.Value{}, 0, false
			}
		case '#':
			if p.text[end-1] == ' ' {
				return definition.Value{}, 0, false
			}
		case '[', '{', '}', '?':
			if flow {
				return definition.Value{}, 0, false
			}
		case ',', ']':
			if flow {
				return p.word(i, end), end, true
			}
		}
	}
	return p.word(i, end), end, true
}

func (p *quick) word(i, end int) definition.Value {
	for p.text[end-1] == ' ' {
		end--
	}
	s := p.text[i:end]
	return definition.Value{Kind: plainKind(s), Text: s, Plain: true, Span: p.span(i, end)}
}

// beginsPlain accepts the first byte of a plain scalar when no other byte needs
// to be looked at.
func beginsPlain(b byte) bool {
	switch b {
	case '/', '.', '$', '(', '+', '~', '_', '<', '^', ';', '\\', '=':
		return true
	}
	return isDecimal(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// flowList reads a flow list of plain and simply quoted words that fills
// text[i:stop].
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

// block reads a block scalar whose header is text[i:stop] and moves to the line
// after it. Lines that are indented more than the first, blank lines that hold
// blanks, and leading or inner blank lines of unusual kinds are left to the
// library.
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

// blockText reads the lines of a block scalar, the current one first, and
// leaves next at the line after them. It returns the text without its last
// line break, and the end of its last character.
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
