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
// changes, or, if the object is empty, with its value on one line.
func (e Editor) Insert(object definition.Value, key string, v definition.Value) []byte {
	at, text := object.Span.Start+1, AppendKey(nil, key)
	if len(object.Pairs) == 0 {
		end := e.End + e.lineIndent(object.Span.Start)
		text = append(AppendLine(append([]byte(end+e.Unit), text...), v), end...)
	} else {
		at = first(object)
		if indent, alone := e.indent(at); alone {
			text = append(e.AppendLines(text, v, indent), ","+e.End+indent...)
		} else {
			text = append(AppendLine(text, v), ", "...)
		}
	}
	return slices.Insert(bytes.Clone(e.data), at, text...)
}

// Remove removes a member from its object, with the comma next to it. Comments stay. It
// undoes [Editor.Insert] byte for byte, also if only the value has changed since.
func (e Editor) Remove(object definition.Value, m definition.Entry) []byte {
	from, to := m.KeySpan.Start, m.Value.Span.End
	open, end := object.Span.Start+1, e.End+e.lineIndent(object.Span.Start)
	before := e.data[open:from]
	if bytes.HasPrefix(before, []byte(end)) && skipBlanks(before, 0) == len(before) && bytes.HasPrefix(e.data[to:], []byte(end)) {
		return slices.Delete(bytes.Clone(e.data), open, to+len(end))
	}
	text := blankComments(e.data)
	out := bytes.Clone(e.data)
	if comma := skipBlanks(text, to); comma < len(text) && text[comma] == ',' {
		out = slices.Delete(slices.Delete(out, comma, comma+1), from, to)
		if next := skipBlanks(out, from); next < len(out) && out[next] != '}' {
			return slices.Delete(out, from, next)
		}
	} else {
		out = slices.Delete(out, from, to)
		if comma := len(bytes.TrimRight(text[:from], " \t\r\n")) - 1; comma >= 0 && text[comma] == ',' {
			out = slices.Delete(out, comma, comma+1)
			from--
		}
	}
	// The line goes if nothing else is on it.
	start, stop := bytes.LastIndexByte(out[:from], '\n'), bytes.IndexByte(out[from:], '\n')
	if start < 0 || stop < 0 || len(bytes.TrimSpace(out[start:from+stop])) > 0 {
		return out
	}
	return slices.Delete(out, start+1, from+stop+1)
}
