package frontmatter

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// pairLines reads what [host.SecondPair] means. Spans are offsets in text.
func pairLines(text []byte) []definition.Entry {
	var lines []diag.Span
	eachLine(text, func(start, end int) { lines = append(lines, diag.Span{Start: start, End: end}) })
	var name, description definition.Entry
	for i := 0; i < len(lines); i++ {
		if e, ok := lineOf(text, lines[i], "name"); ok {
			name = e
			continue
		}
		e, ok := lineOf(text, lines[i], "description")
		if !ok {
			continue
		}
		parts := []string{e.Value.Text}
		for i+1 < len(lines) && isContinued(text[lines[i+1].Start:lines[i+1].End]) {
			i++
			line := string(text[lines[i].Start:lines[i].End])
			parts = append(parts, strings.TrimSpace(line))
			e.Value.Span.End = lines[i].Start + len(strings.TrimRight(line, " \t\r"))
		}
		if parts[0] == "" {
			parts = parts[1:]
		}
		e.Value.Text = strings.Join(parts, " ")
		description = e
	}
	var entries []definition.Entry
	for _, e := range []definition.Entry{name, description} {
		if e.Key != "" {
			entries = append(entries, e)
		}
	}
	return entries
}

// lineOf reads the value behind a key on its line, which may be indented.
func lineOf(text []byte, at diag.Span, key string) (definition.Entry, bool) {
	line := string(text[at.Start:at.End])
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	rest, ok := strings.CutPrefix(line[from:], key+":")
	if !ok {
		return definition.Entry{}, false
	}
	return textEntry(at, line, from, from+len(key), rest), true
}

// textEntry is an entry whose key stands at line[from:to] and whose value, rest, ends
// the line.
func textEntry(at diag.Span, line string, from, to int, rest string) definition.Entry {
	value := strings.TrimSpace(rest)
	start := at.Start + len(line) - len(strings.TrimLeft(rest, " \t"))
	if value == "" {
		start = at.Start + to + 1
	}
	return definition.Entry{
		Key: line[from:to], KeySpan: diag.Span{Start: at.Start + from, End: at.Start + to},
		Value: definition.Value{Kind: definition.String, Text: value, Span: diag.Span{Start: start, End: start + len(value)}},
	}
}

// isContinued reports whether a line is indented and not blank.
func isContinued(line []byte) bool {
	n := skipBlanks(line, 0)
	return n > 0 && n < len(line)
}

// flatReader reads what [host.SecondLines] means.
type flatReader struct {
	entries flatMap
	// key is the one whose list or map is being read.
	key     definition.Entry
	inList  bool
	inMap   bool
	pending []definition.Value
	pairs   flatMap
}

func flatLines(text []byte) []definition.Entry {
	var lines []diag.Span
	eachLine(text, func(start, end int) {
		if line := strings.TrimSpace(string(text[start:end])); line != "" && line[0] != '#' {
			lines = append(lines, diag.Span{Start: start, End: end})
		}
	})
	var f flatReader
	for i, at := range lines {
		next := ""
		if i+1 < len(lines) {
			next = string(text[lines[i+1].Start:lines[i+1].End])
		}
		f.line(at, string(text[at.Start:at.End]), next)
	}
	f.close("")
	return f.entries.list
}

func (f *flatReader) line(at diag.Span, line, next string) {
	if item, ok := strings.CutPrefix(line, "  - "); ok {
		f.inList = true
		e := textEntry(at, line, 0, 0, item)
		f.pending = append(f.pending, flatValue(e.Value))
		return
	}
	f.close(line)
	key, rest, ok := strings.Cut(line, ":")
	if !ok && !f.inMap {
		return
	}
	name := strings.TrimSpace(key)
	from := len(key) - len(strings.TrimLeft(key, " \t"))
	e := textEntry(at, line, from, from+len(name), rest)
	if !ok {
		e.Value.Span = diag.Span{Start: e.KeySpan.End, End: e.KeySpan.End}
	}
	switch {
	case f.inMap:
		e.Value = flatValue(e.Value)
		f.pairs.set(e)
	case e.Value.Text != "":
		e.Value = flatValue(e.Value)
		f.entries.set(e)
	case strings.HasPrefix(next, "  - "):
		f.key = e
	case strings.HasPrefix(next, "  "):
		f.key, f.inMap = e, true
	}
}

// close ends the list or map that the line does not go on with.
func (f *flatReader) close(line string) {
	if f.inList {
		f.key.Value.Kind, f.key.Value.Items = definition.List, f.pending
		f.key.Value.Span.End = max(f.key.Value.Span.End, f.pending[len(f.pending)-1].Span.End)
		f.entries.set(f.key)
		f.inList, f.pending, f.key = false, nil, definition.Entry{}
	}
	if f.inMap && !strings.HasPrefix(line, "  ") {
		f.key.Value.Kind, f.key.Value.Pairs = definition.Map, f.pairs.list
		for _, e := range f.pairs.list {
			f.key.Value.Span.End = max(f.key.Value.Span.End, e.Value.Span.End)
		}
		f.entries.set(f.key)
		f.inMap, f.pairs, f.key = false, flatMap{}, definition.Entry{}
	}
}

// flatMap is a map in the order of its first keys.
type flatMap struct {
	list []definition.Entry
	at   map[string]int
}

// set takes the last of two entries with one key.
func (m *flatMap) set(e definition.Entry) {
	if e.Key == "" {
		return
	}
	if i, ok := m.at[e.Key]; ok {
		m.list[i] = e
		return
	}
	if m.at == nil {
		m.at = map[string]int{}
	}
	m.at[e.Key] = len(m.list)
	m.list = append(m.list, e)
}

// flatValue says what a value that stands on one line is.
func flatValue(v definition.Value) definition.Value {
	s := v.Text
	switch {
	case s == "true", s == "false":
		v.Kind, v.Plain = definition.Bool, true
	case s == "null":
		v.Kind, v.Plain = definition.Null, true
	case len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"':
		v.Text = strings.ReplaceAll(strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`), `\\`, `\`)
	case s != "" && plainKind(s) == definition.Number && s[0] != '.':
		v.Kind, v.Plain = definition.Number, true
	}
	return v
}
