package body

import "strings"

// markdown follows the parts of Markdown in which an author shows text instead
// of saying it: fenced code blocks, inline code spans, HTML comments. All
// offsets are in the scanned text.
type markdown struct {
	fence fence
	// codeEnd is where the closing backticks of the current or last code span
	// stand, commentEnd the "-->" of the current or last comment.
	codeEnd, commentEnd int
	// noCommentEnd: no "-->" follows.
	noCommentEnd bool
	spans        spans
}

// where says what the offset i stands in.
func (m *markdown) where(i int) (inFence, inCode, inComment bool) {
	return m.fence.length > 0, i < m.codeEnd, i < m.commentEnd
}

// plain reports whether i stands in none of them.
func (m *markdown) plain(i int) bool {
	return m.fence.length == 0 && i >= m.codeEnd && i >= m.commentEnd
}

// limit returns where the code span or comment around i ends, or else the text.
func (m *markdown) limit(text string, i int) int {
	limit := len(text)
	if i < m.codeEnd {
		limit = m.codeEnd
	}
	if i < m.commentEnd {
		limit = min(limit, m.commentEnd)
	}
	return limit
}

// edge takes in the run of n backticks or tildes at i.
func (m *markdown) edge(text string, i, n int) {
	switch {
	case i < m.commentEnd:
	case m.fence.length > 0:
		m.leaveFence(text, i, n)
	case i < m.codeEnd, i == m.codeEnd && text[i] == '`' && i > 0:
	default:
		if f, ok := opensFence(text, i, n); ok {
			m.fence = f
		} else if text[i] == '`' {
			m.codeEnd = max(m.codeEnd, m.spans.closer(text, i, n))
		}
	}
}

// leaveFence ends the fence if the run of n at i closes it.
func (m *markdown) leaveFence(text string, i, n int) {
	if m.fence.length > 0 && i >= m.commentEnd && m.fence.closedBy(text, i, n) {
		m.fence = fence{}
	}
}

// openComment takes in the "<" at i and returns where to go on. A comment that
// is never closed runs to the end of the text if it begins a line, as in
// Markdown, and is text otherwise.
func (m *markdown) openComment(text string, i int) int {
	if !hasAt(text, i, "<!--") || !m.plain(i) {
		return i + 1
	}
	if !m.noCommentEnd {
		// "<!-->" is a whole comment.
		if n := strings.Index(text[i+2:], "-->"); n >= 0 {
			m.commentEnd = i + 2 + n
			return i + 4
		}
		m.noCommentEnd = true
	}
	if p, ok := linePrefix(text, i); ok && !p.list {
		m.commentEnd = len(text)
	}
	return i + 4
}

// fence is an open fenced code block: its mark, how many of them, and how far
// in the closing ones may stand. The zero value is none.
type fence struct {
	mark   byte
	length int
	indent int
}

// opensFence returns the fence that the run of n marks at i opens. Quotation
// and list marks may stand before it. Deeper than three columns Markdown needs
// a list around it to see a fence rather than an indented code block; both are
// code, so no list is asked for.
func opensFence(text string, i, n int) (fence, bool) {
	if n < 3 {
		return fence{}, false
	}
	p, ok := linePrefix(text, i)
	if !ok || text[i] == '`' && strings.IndexByte(lineAt(text, i+n), '`') >= 0 {
		return fence{}, false
	}
	indent := 3
	if p.list || p.indent > 3 {
		indent = p.indent + 3
	}
	return fence{mark: text[i], length: n, indent: indent}, true
}

// closedBy reports whether the run of n marks at i closes the fence.
func (f fence) closedBy(text string, i, n int) bool {
	if text[i] != f.mark || n < f.length {
		return false
	}
	p, ok := linePrefix(text, i)
	return ok && !p.list && p.indent <= f.indent && isBlank(lineAt(text, i+n))
}

// prefix is what stands before a block on its line.
type prefix struct {
	// indent is the number of columns after the last quotation mark.
	indent int
	// list: one or more list marks are among them.
	list bool
}

// maxPrefix is the longest prefix that is looked at, in bytes: the bound that
// keeps the time linear on lines with many runs.
const maxPrefix = 128

// linePrefix reads from the start of its line to i, and reports whether there
// is nothing but blanks, quotation marks and list marks.
func linePrefix(text string, i int) (prefix, bool) {
	var p prefix
	from := max(0, i-maxPrefix)
	start := from + strings.LastIndexByte(text[from:i], '\n') + 1
	if start == from && from > 0 && text[from-1] != '\n' {
		return p, false
	}
	for line := text[start:i]; line != ""; {
		n := 1
		switch line[0] {
		case ' ':
			p.indent++
		case '\t':
			p.indent += 4 - p.indent%4
		case '>':
			p = prefix{}
		default:
			if n = listMark(line); n == 0 || n == len(line) {
				return p, false
			}
			p.indent, p.list = p.indent+n, true
		}
		line = line[n:]
	}
	return p, true
}

// listMark returns the length of the list mark at the start of s, or 0. A
// blank must follow it.
func listMark(s string) int {
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case isDigit(c):
		digits, _ := number(s)
		if digits < len(s) && digits < 10 && (s[digits] == '.' || s[digits] == ')') {
			n = digits + 1
		}
	}
	if n == 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// lineAt returns the rest of the line at i, without its ending.
func lineAt(text string, i int) string {
	line := text[i:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return strings.TrimSuffix(line, "\r")
}

func isBlank(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
