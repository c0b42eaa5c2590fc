package jsonc

import (
	"bytes"
	"math"
	"slices"

	"github.com/vadehq/vade/definition"
)

// Unit indents one level where a file does not show its own indentation.
const Unit = "  "

// Style is the layout of a file: End ends a line, Unit indents one level.
type Style struct{ End, Unit string }

// LineEnd returns the line ending of a file.
func LineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Editor inserts members into the objects of a file and removes them, in the layout of
// the file. Every other byte stays. Its methods return the new file.
type Editor struct {
	Style
	data []byte
}

// NewEditor returns an editor of a file. top is the file's value; its first member shows
// the indentation.
func NewEditor(data []byte, top definition.Value) Editor {
	e := Editor{Style{LineEnd(data), Unit}, data}
	if len(top.Pairs) > 0 {
		if indent, alone := e.indent(first(top)); alone && indent != "" {
			e.Unit = indent
		}
	}
	return e
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
func (e Editor) indent(at int) (string, bool) {
	from := at
	for from > 0 && (e.data[from-1] == ' ' || e.data[from-1] == '\t') {
		from--
	}
	return string(e.data[from:at]), from > 0 && e.data[from-1] == '\n'
}

// lineIndent returns the blanks that begin the line of a place.
func (e Editor) lineIndent(at int) string {
	line := e.data[bytes.LastIndexByte(e.data[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// Insert inserts a member into an object: before the first member, so that no other line
// changes, or, if the object is empty, with its value on one line. [Editor.Before] relies
// on that.
func (e Editor) Insert(object definition.Value, key string, v definition.Value) []byte {
	at := object.Span.Start + 1
	text := e.inner(object, key, v)
	if len(object.Pairs) > 0 {
		at = first(object)
		text = AppendKey(nil, key)
		if indent, alone := e.indent(at); alone {
			text = append(e.AppendLines(text, v, indent), ","+e.End+indent...)
		} else {
			text = append(AppendLine(text, v), ", "...)
		}
	}
	return slices.Insert(bytes.Clone(e.data), at, text...)
}

// inner returns the text that Insert puts into an empty object.
func (e Editor) inner(object definition.Value, key string, v definition.Value) []byte {
	indent := e.lineIndent(object.Span.Start)
	text := AppendLine(AppendKey([]byte(e.End+indent+e.Unit), key), v)
	return append(text, e.End+indent...)
}

// Before returns the files from which [Editor.Insert] may have made this one by inserting
// m, with the value v, into an object.
func (e Editor) Before(object definition.Value, m definition.Entry, v definition.Value) [][]byte {
	if len(object.Pairs) > 1 {
		to := m.Value.Span.End
		for to < len(e.data) && (isBlank(e.data[to]) || e.data[to] == ',') {
			to++
		}
		return [][]byte{slices.Delete(bytes.Clone(e.data), m.KeySpan.Start, to)}
	}
	var texts [][]byte
	// The indentation of an empty object does not depend on what is in it now.
	for _, e.Unit = range []string{e.Unit, Unit} {
		from, text := object.Span.Start+1, e.inner(object, m.Key, v)
		if bytes.HasPrefix(e.data[from:], text) {
			texts = append(texts, slices.Delete(bytes.Clone(e.data), from, from+len(text)))
		}
	}
	return texts
}

// Remove removes a member from its object, with one of the commas next to it, and its
// line if nothing else is on it. Comments stay.
func (e Editor) Remove(m definition.Entry) []byte {
	from, to := m.KeySpan.Start, m.Value.Span.End
	plain := Plain(e.data)
	comma := skipBlanks(plain, to)
	if comma == len(plain) || plain[comma] != ',' {
		// Plain has replaced a trailing comma.
		comma = skipBlanks(e.data, to)
	}
	if comma == len(plain) || e.data[comma] != ',' {
		for comma = from - 1; comma >= 0 && plain[comma] != ',' && plain[comma] != '{'; comma-- {
		}
		if comma >= 0 && plain[comma] == '{' {
			comma = -1
		}
	}
	out := bytes.Clone(e.data)
	if comma >= to {
		out = slices.Delete(out, comma, comma+1)
	}
	out = slices.Delete(out, from, to)
	if comma >= 0 && comma < from {
		out = slices.Delete(out, comma, comma+1)
		from--
	}
	return cutEmptyLine(out, from)
}

// cutEmptyLine removes the line of an offset if it has only whitespace.
func cutEmptyLine(data []byte, at int) []byte {
	from := bytes.LastIndexByte(data[:at], '\n')
	to := bytes.IndexByte(data[at:], '\n')
	if from < 0 || to < 0 || len(bytes.TrimSpace(data[from:at+to])) > 0 {
		return data
	}
	return slices.Delete(data, from+1, at+to+1)
}
