package connect

import (
	"bytes"
	"math"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/mcp"
)

// style is how a JSON file is written.
type style struct {
	data []byte
	// end ends a line, unit indents one level.
	end, unit string
}

func styleOf(data []byte) style {
	s := style{data: data, end: "\n", unit: unit}
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		s.end = "\r\n"
	}
	return s
}

// unitOf is how far the first member of the object at the top is indented.
func (s style) unitOf(top definition.Value) string {
	if len(top.Pairs) > 0 {
		if indent, alone := s.indent(first(top)); alone && indent != "" {
			return indent
		}
	}
	return unit
}

// first is where the first member of an object begins.
func first(object definition.Value) int {
	at := math.MaxInt
	for _, p := range object.Pairs {
		at = min(at, p.KeySpan.Start)
	}
	return at
}

// indent returns the blanks before what stands at a place, and whether it is the
// first of its line.
func (s style) indent(at int) (string, bool) {
	from := at
	for from > 0 && (s.data[from-1] == ' ' || s.data[from-1] == '\t') {
		from--
	}
	return string(s.data[from:at]), from > 0 && s.data[from-1] == '\n'
}

// lineIndent returns the blanks that begin the line of a place.
func (s style) lineIndent(at int) string {
	from := bytes.LastIndexByte(s.data[:at], '\n') + 1
	to := from
	for to < len(s.data) && (s.data[to] == ' ' || s.data[to] == '\t') {
		to++
	}
	return string(s.data[from:to])
}

// into puts a member into an object.
func (s style) into(object definition.Value, key string, v definition.Value) []byte {
	at := object.Span.Start + 1
	text := s.inner(object.Span.Start, key, v)
	if len(object.Pairs) > 0 {
		at = first(object)
		text = appendKey(nil, key)
		if indent, alone := s.indent(at); alone {
			text = append(append(append(s.lines(text, v, indent), ','), s.end...), indent...)
		} else {
			text = append(line(text, v), ", "...)
		}
	}
	out := append(bytes.Clone(s.data[:at]), text...)
	return append(out, s.data[at:]...)
}

// inner is what is put into an empty object that begins at a place.
func (s style) inner(at int, key string, v definition.Value) []byte {
	indent := s.lineIndent(at)
	text := append([]byte(s.end), indent+s.unit...)
	text = line(appendKey(text, key), v)
	return append(append(text, s.end...), indent...)
}

// afterMember returns where the next member begins behind the value that ends at a
// place.
func (s style) afterMember(at int) int {
	for ; at < len(s.data); at++ {
		switch s.data[at] {
		case ' ', '\t', '\r', '\n', ',':
		default:
			return at
		}
	}
	return at
}

// withoutMember takes a member out of its object, with one of the commas beside it and
// its line where it has one of its own. Comments stay.
func (s style) withoutMember(e definition.Entry) []byte {
	from, to := e.KeySpan.Start, e.Value.Span.End
	plain := discover.PlainJSON(s.data)
	next := skipBlanks(plain, to)
	comma := -1
	switch {
	case next < len(plain) && plain[next] == ',':
		comma = next
	default:
		if next = skipBlanks(s.data, to); next < len(s.data) && s.data[next] == ',' {
			comma = next
			break
		}
		for comma = from - 1; comma >= 0 && plain[comma] != ',' && plain[comma] != '{'; comma-- {
		}
		if comma >= 0 && plain[comma] == '{' {
			comma = -1
		}
	}
	out := bytes.Clone(s.data)
	if comma >= to {
		out = cut(out, comma, comma+1)
	}
	out = cut(out, from, to)
	if comma >= 0 && comma < from {
		out = cut(out, comma, comma+1)
		from--
	}
	return cutEmptyLine(out, from)
}

// cutEmptyLine takes the line of a place away if only blanks are on it.
func cutEmptyLine(data []byte, at int) []byte {
	from := bytes.LastIndexByte(data[:at], '\n')
	to := bytes.IndexByte(data[at:], '\n')
	if from < 0 || to < 0 || len(bytes.TrimSpace(data[from:at+to])) > 0 {
		return data
	}
	return cut(data, from+1, at+to+1)
}

func skipBlanks(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\t' || data[at] == '\r' || data[at] == '\n') {
		at++
	}
	return at
}

// lines appends a value, each member of a map on lines of its own.
func (s style) lines(b []byte, v definition.Value, indent string) []byte {
	if v.Kind != definition.Map || len(v.Pairs) == 0 {
		return line(b, v)
	}
	b = append(b, '{')
	for i, p := range v.Pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, s.end...), indent+s.unit...)
		b = s.lines(appendKey(b, p.Key), p.Value, indent+s.unit)
	}
	return append(append(append(b, s.end...), indent...), '}')
}

// line appends a value on one line.
func line(b []byte, v definition.Value) []byte {
	switch {
	case v.Kind == definition.Map && len(v.Pairs) > 0:
		b = append(b, "{ "...)
		for i, p := range v.Pairs {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = line(appendKey(b, p.Key), p.Value)
		}
		return append(b, " }"...)
	case v.Kind == definition.List && len(v.Items) > 0:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = line(b, item)
		}
		return append(b, ']')
	}
	return mcp.AppendJSON(b, v, "")
}

func appendKey(b []byte, key string) []byte {
	return append(mcp.AppendJSON(b, definition.Value{Kind: definition.String, Text: key}, ""), ": "...)
}
