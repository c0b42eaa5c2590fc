package jsonc

import (
	"bytes"
	"slices"

	"github.com/vadehq/vade/definition"
)

// Unit is the default indentation per level, for files whose own indentation cannot be determined.
const Unit = "  "

// Style describes the layout of a file. End is the line ending, and Unit is the indentation for
// each nesting level.
type Style struct{ End, Unit string }

// LineEnd returns the line ending of a file's first line, or "\n" if the file has no line breaks.
func LineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Editor inserts, replaces and removes object members and list items in a file, following the
// file's layout. All other bytes are unchanged. Its methods return the new file.
type Editor struct {
	Style
	data []byte
}

// NewEditor returns an editor for a file. top is the file's top-level value. The editor uses the
// indentation of top's first member.
func NewEditor(data []byte, top definition.Value) Editor {
	e := Editor{Style{LineEnd(data), Unit}, data}
	if len(top.Pairs) > 0 {
		if indent, onOwnLine := e.indent(first(top)); onOwnLine && indent != "" {
			e.Unit = indent
		}
	}
	return e
}

// Append appends a member to an object, or an item to a list if key is "". The value is written on
// one line. In an existing empty object or list, the new member is on a separate line. An object
// that [File.Add] creates to hold the member is written on one line instead, so that [File.Remove]
// can tell it from an object that already existed.
func (e Editor) Append(in definition.Value, key string, v definition.Value) []byte {
	text := appendLine(nil, v)
	if key != "" {
		text = append(appendKey(nil, key), text...)
	}
	members := members(in)
	if len(members) == 0 {
		end := e.end(in.Span.Start)
		text = slices.Concat([]byte(end+e.Unit), text, []byte(end))
		return slices.Insert(bytes.Clone(e.data), in.Span.Start+1, text...)
	}
	last := slices.MaxFunc(members, func(a, b definition.Entry) int { return a.KeySpan.Start - b.KeySpan.Start })
	plain := blankComments(e.data)
	comma, at, sep := []byte(","), last.Value.Span.End, " "
	from := at
	if next := skipSpace(plain, at); plain[next] == ',' {
		comma, from, at, text = nil, next+1, next+1, append(text, ',')
	}
	if indent, onOwnLine := e.indent(last.KeySpan.Start); onOwnLine {
		sep = e.End + indent
		// Insert after comments at the end of the line, because they belong to the last member.
		for n := at; ; n++ {
			more := bytes.IndexByte(plain[n:], '\n')
			if more < 0 || len(bytes.TrimSpace(plain[at:n+more])) > 0 {
				break
			}
			n += more
			if text := e.data[at:n]; bytes.Count(text, []byte("/*")) <= bytes.Count(text, []byte("*/")) {
				at += len(bytes.TrimSuffix(text, []byte("\r")))
				break
			}
		}
	}
	return slices.Concat(e.data[:from], comma, e.data[from:at], []byte(sep), text, e.data[at:])
}

// members returns the members of an object or the items of a list.
func members(v definition.Value) []definition.Entry {
	list := slices.Clone(v.Pairs)
	for _, item := range v.Items {
		list = append(list, definition.Entry{KeySpan: item.Span, Value: item})
	}
	return list
}

// first returns the offset of an object's first member.
func first(object definition.Value) int {
	before := func(a, b definition.Entry) int { return a.KeySpan.Start - b.KeySpan.Start }
	return slices.MinFunc(object.Pairs, before).KeySpan.Start
}

// indent returns the whitespace at the start of the line that contains the offset at. The boolean
// result is true if there is only whitespace before at on that line. For the file's first line, it
// is false, because that line does not show how lines are indented.
func (e Editor) indent(at int) (string, bool) {
	from := bytes.LastIndexByte(e.data[:at], '\n') + 1
	before := e.data[from:at]
	indent := before[:len(before)-len(bytes.TrimLeft(before, " \t"))]
	return string(indent), from > 0 && len(indent) == len(before)
}

// end returns a line break followed by the indentation of the line that contains offset at.
func (e Editor) end(at int) string {
	indent, _ := e.indent(at)
	return e.End + indent
}

// Insert inserts a member at the start of an object. If the object is empty or its first member is
// not on a separate line, the value is written on one line.
func (e Editor) Insert(object definition.Value, key string, v definition.Value) []byte {
	at, text := object.Span.Start+1, appendKey(nil, key)
	if len(object.Pairs) == 0 {
		end := e.end(object.Span.Start)
		text = append(appendLine(append([]byte(end+e.Unit), text...), v), end...)
	} else {
		at = first(object)
		if indent, onOwnLine := e.indent(at); onOwnLine {
			text = append(e.AppendLines(text, v, indent), ","+e.End+indent...)
		} else {
			text = append(appendLine(text, v), ", "...)
		}
	}
	return slices.Insert(bytes.Clone(e.data), at, text...)
}

// Replace replaces a member's value. If the old value is on one line, the new value is too.
func (e Editor) Replace(old, v definition.Value) []byte {
	at := old.Span
	text := appendLine(nil, v)
	if bytes.IndexByte(e.data[at.Start:at.End], '\n') >= 0 {
		indent, _ := e.indent(at.Start)
		text = e.AppendLines(nil, v, indent)
	}
	return slices.Concat(e.data[:at.Start], text, e.data[at.End:])
}

// Remove removes a member from its object, or an item from its list, along with the adjacent comma.
// It keeps comments around the member. Remove undoes [Editor.Insert] and [Editor.Append] byte for
// byte, even if the value has changed since.
func (e Editor) Remove(object definition.Value, m definition.Entry) []byte {
	from, to := m.KeySpan.Start, m.Value.Span.End
	open, end := object.Span.Start+1, e.end(object.Span.Start)
	before := e.data[open:from]
	onOwnLine := skipSpace(before, 0) == len(before)
	if onOwnLine && bytes.HasPrefix(before, []byte(end)) && bytes.HasPrefix(e.data[to:], []byte(end)) {
		return slices.Delete(bytes.Clone(e.data), open, to+len(end))
	}
	text := blankComments(e.data)
	out := bytes.Clone(e.data)
	if comma := skipSpace(text, to); comma < len(text) && text[comma] == ',' {
		out = slices.Delete(slices.Delete(out, comma, comma+1), from, to)
		if next := skipSpace(out, from); next < len(out) && out[next] != '}' && out[next] != ']' {
			return slices.Delete(out, from, next)
		}
	} else {
		comma := len(bytes.TrimRight(text[:from], whitespace)) - 1
		if comma >= 0 && text[comma] == ',' && len(bytes.TrimLeft(e.data[comma+1:from], whitespace)) == 0 {
			return slices.Delete(out, comma, to)
		}
		out = slices.Delete(out, from, to)
		if comma >= 0 && text[comma] == ',' {
			out = slices.Delete(out, comma, comma+1)
			from--
		}
	}
	// Remove the line if nothing else is on it.
	start, stop := bytes.LastIndexByte(out[:from], '\n'), bytes.IndexByte(out[from:], '\n')
	if start < 0 || stop < 0 || len(bytes.TrimSpace(out[start:from+stop])) > 0 {
		return out
	}
	return slices.Delete(out, start+1, from+stop+1)
}
