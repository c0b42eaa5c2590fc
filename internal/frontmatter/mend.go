package frontmatter

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// mender repairs one chunk of text.
type mender struct {
	text []byte
	end  int    // of the chunk
	key  string // of the value that is being repaired
	out  []mend
}

// mendChunk returns the repairs after which the chunk can be read.
func mendChunk(text []byte, c chunk) ([]mend, bool) {
	if c.key == 0 || hasMarker(text[c.start:c.end]) && !c.joined {
		return nil, false
	}
	m := mender{text: text, end: c.end}
	if c.joined {
		return m.out, m.join(c) && m.works(c.start)
	}
	if m.untab(c.start) && m.works(c.start) {
		return m.out, true
	}
	m.out = nil
	return m.out, m.field(c.start, c.key, 0, c.end, 0) && m.works(c.start)
}

// works says whether the chunk can be read with the repairs made.
func (m *mender) works(start int) bool {
	if len(m.out) == 0 {
		return false
	}
	var edits []edit
	for i := range m.out {
		for _, e := range m.out[i].edits {
			edits = append(edits, edit{span: diag.Span{Start: e.span.Start - start, End: e.span.End - start}, new: e.new})
		}
	}
	return readable(apply(m.text[start:m.end], edits))
}

func (m *mender) add(span diag.Span, text string, b *brokenValue) {
	m.out = append(m.out, mend{
		edits: []edit{{span: span, new: text}}, flaw: flawOf(b.first), code: diag.YAMLRepairedValue,
		text: b.flaw(), read: ": read as text", fix: b.fix(), guess: !b.quotable(),
	})
}

// untab replaces the tabs that indent lines by two spaces each.
func (m *mender) untab(start int) bool {
	var edits []edit
	for i := start; i < m.end; {
		end := lineEnd(m.text[:m.end], i)
		blank := skipBlanks(m.text[:end], i)
		if bytes.IndexByte(m.text[i:blank], '\t') >= 0 && blank < end {
			edits = append(edits, edit{
				span: diag.Span{Start: i, End: blank}, new: strings.ReplaceAll(string(m.text[i:blank]), "\t", "  "),
			})
		}
		i = end + breakLen(m.text[end:m.end])
	}
	if edits != nil {
		m.out = append(m.out, mend{
			edits: edits, flaw: host.FlawTab, code: diag.YAMLRepairedValue,
			text: "lines are indented with tabs", read: ": each is read as two spaces", fix: "indent with spaces",
		})
	}
	return edits != nil
}

// maxMend bounds the nesting in which values are repaired.
const maxMend = 6

// field repairs the value of the key of n bytes at start. indent is the
// column of the key, end the end of the lines that belong to it.
func (m *mender) field(start, n, indent, end, depth int) bool {
	m.key = string(m.text[start : start+n])
	from := skipBlanks(m.text[:end], start+n+1)
	stop := lineEnd(m.text[:end], from)
	if from == stop || m.text[from] == '#' {
		return m.children(stop+breakLen(m.text[stop:end]), end, indent, depth+1)
	}
	return m.value(from, end, indent)
}

// value quotes the value that begins at from and may go on in lines that are
// indented more than indent.
func (m *mender) value(from, end, indent int) bool {
	lines := m.lines(from, end)
	for _, l := range lines[1:] {
		if text := m.text[l.Start:l.End]; len(bytes.TrimSpace(text)) > 0 && skipBlanks(text, 0) <= indent {
			return false
		}
	}
	raw := string(m.text[lines[0].Start:lines[0].End])
	head, block := dropIndicator(raw)
	var value string
	if block && raw[0] == '|' {
		value = head + m.literal(lines[1:])
	} else {
		value = m.fold(head, lines[1:])
	}
	span := diag.Span{Start: from, End: lines[len(lines)-1].End}
	m.add(span, quote(value), &brokenValue{key: m.key, first: raw, whole: string(m.text[span.Start:span.End])})
	return true
}

// lines returns the lines of text[from:end] without trailing blanks, and
// without blank lines at the end.
func (m *mender) lines(from, end int) []diag.Span {
	var list []diag.Span
	last := 1
	for i := from; i < end || len(list) == 0; {
		stop := lineEnd(m.text[:end], i)
		trimmed := stop
		for trimmed > i && isBlank(m.text[trimmed-1]) {
			trimmed--
		}
		list = append(list, diag.Span{Start: i, End: trimmed})
		if trimmed > i {
			last = len(list)
		}
		i = stop + breakLen(m.text[stop:end])
	}
	return list[:last]
}

// fold joins lines as YAML joins those of a plain value.
func (m *mender) fold(head string, lines []diag.Span) string {
	var b strings.Builder
	b.WriteString(head)
	blank := 0
	for _, l := range lines {
		text := strings.TrimLeft(string(m.text[l.Start:l.End]), " \t")
		if text == "" {
			blank++
			continue
		}
		if blank == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("\n", blank))
		b.WriteString(text)
		blank = 0
	}
	return b.String()
}

// literal joins lines as they stand, without the indentation of the first.
func (m *mender) literal(lines []diag.Span) string {
	var b strings.Builder
	depth := -1
	for _, l := range lines {
		text := m.text[l.Start:l.End]
		blanks := skipBlanks(text, 0)
		if depth < 0 && blanks < len(text) {
			depth = blanks
		}
		b.WriteByte('\n')
		b.Write(text[min(blanks, max(depth, 0)):])
	}
	return b.String()
}

// dropIndicator removes a block indicator before text on the same line, as in
// "| Text" and ">- Text".
func dropIndicator(s string) (string, bool) {
	if s[0] != '|' && s[0] != '>' {
		return s, false
	}
	i := 1
	for i < len(s) && (s[i] == '-' || s[i] == '+' || isDecimal(s[i])) {
		i++
	}
	text := strings.TrimLeft(s[i:], " \t")
	if len(text) == len(s[i:]) && text != "" {
		return s, false
	}
	if strings.HasPrefix(text, "#") {
		text = ""
	}
	return text, true
}

// children repairs the list or map in the lines text[from:end] below a key.
func (m *mender) children(from, end, parent, depth int) bool {
	if depth > maxMend {
		return false
	}
	indent, ok := -1, true
	start := -1
	flush := func(stop int) {
		if start >= 0 && !readable(m.text[start:stop]) {
			ok = m.child(start, stop, indent, depth) && ok
		}
	}
	for i := from; i < end; {
		stop := lineEnd(m.text[:end], i)
		first := skipBlanks(m.text[:stop], i)
		col := first - i
		switch {
		case first == stop || m.text[first] == '#':
		case indent < 0 && (col > parent || col == parent && m.text[first] == '-'):
			indent, start = col, i
		case indent < 0 || col < indent:
			return false
		case col == indent:
			flush(i)
			start = i
		}
		i = stop + breakLen(m.text[stop:end])
	}
	flush(end)
	return ok && start >= 0
}

// child repairs one item of a list or one entry of a map.
func (m *mender) child(start, end, indent, depth int) bool {
	at := start + indent
	item := false
	for at+1 < end && m.text[at] == '-' && isBlank(m.text[at+1]) {
		item, at = true, skipBlanks(m.text[:end], at+1)
	}
	stop := lineEnd(m.text[:end], at)
	if at == stop {
		return false
	}
	if n := keyEnd(m.text[at:stop]); n > 0 {
		kept := len(m.out)
		if m.field(at, n, at-start, end, depth) {
			return true
		}
		m.out = m.out[:kept]
	}
	return item && m.value(at, end, indent)
}

// join makes one text of a value and the lines at the left edge that follow it.
func (m *mender) join(c chunk) bool {
	from := skipBlanks(m.text[:c.end], c.start+c.key+1)
	lines := m.lines(from, c.end)
	raw := string(m.text[lines[0].Start:lines[0].End])
	head, block := raw, false
	if raw != "" {
		head, block = dropIndicator(raw)
	}
	value := m.scalarText(head)
	switch {
	case block:
		value += m.literal(lines[1:])
	case raw == "" && m.structured(lines[1:]):
		return false
	default:
		value += m.asWritten(lines[1:])
	}
	value = strings.Trim(value, "\n")
	span := diag.Span{Start: from, End: lines[len(lines)-1].End}
	key, text := string(m.text[c.start:c.start+c.key]), quoteLines(value)
	m.out = append(m.out, mend{
		edits: []edit{{span: span, new: gap(m.text, from) + text}}, code: diag.YAMLRepairedLines, flaw: host.FlawOther,
		text: "the value goes on in lines that are not indented", read: ": they are read as part of it",
		fix: `write the value of ` + key + ` as a block: "|-" behind the key, and every line of it indented below`, guess: text[0] != '|',
	})
	return true
}

// gap is the space that a value needs right behind a colon.
func gap(text []byte, from int) string {
	if text[from-1] == ':' {
		return " "
	}
	return ""
}

// scalarText returns the text of a value on one line, unquoted where it is a
// whole quoted scalar.
func (m *mender) scalarText(raw string) string {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		return raw
	}
	d := decode([]byte("k: " + raw))
	if d.fatal() == nil && len(d.entries) == 1 && len(d.entries[0].Value.Items) == 0 {
		return d.entries[0].Value.Text
	}
	return raw
}

func (m *mender) asWritten(lines []diag.Span) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteByte('\n')
		b.Write(m.text[l.Start:l.End])
	}
	return b.String()
}

// structured says whether the first of lines begins a list or map.
func (m *mender) structured(lines []diag.Span) bool {
	for _, l := range lines {
		if text := m.text[l.Start:l.End]; len(text) > 0 && text[0] != '#' {
			return isBlank(text[0]) || text[0] == '-'
		}
	}
	return false
}

// withoutJunk returns the lines of a chunk that no repair can place, where the
// rest of it can be read without them: text at the left edge below a list.
func withoutJunk(text []byte, c chunk) ([]diag.Span, bool) {
	var junk []diag.Span
	var edits []edit
	for i := c.start; i < c.end; {
		end := lineEnd(text[:c.end], i)
		next := end + breakLen(text[end:c.end])
		if line := text[i:end]; i > c.start && len(line) > 0 && !isBlank(line[0]) && line[0] != '#' && line[0] != '-' {
			junk = append(junk, diag.Span{Start: i, End: next})
			edits = append(edits, edit{span: diag.Span{Start: i - c.start, End: next - c.start}})
		}
		i = next
	}
	return junk, len(junk) > 0 && readable(apply(text[c.start:c.end], edits))
}
