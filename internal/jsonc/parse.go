package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// MaxDepth is how deep values may be inside one another; entries of servers have three
// levels.
const MaxDepth = 64

// Parse reads a JSON text as a value whose parts have their places in it. Of a
// key that stands twice in one object the last counts, as in JavaScript. It is
// false for what is no JSON, and for what is nested more than 64 levels deep.
func Parse(data []byte) (definition.Value, bool) {
	r := reader{data: data}
	v, ok := r.value(0)
	return v, ok && skipBlanks(data, r.at) == len(data)
}

// Find reads the value under some keys, each in the object of the one before, and
// passes over all others without keeping them. It is false where there is none.
// The text has to be JSON: of what is passed over nothing is checked.
func Find(data []byte, keys ...string) (definition.Value, bool) {
	r := reader{data: data}
	if !r.follow(keys) {
		return definition.Value{}, false
	}
	return r.value(0)
}

// Has reports whether there is a value under some keys, whether or not [Find] can read
// it.
func Has(data []byte, keys ...string) bool {
	r := reader{data: data}
	return r.follow(keys)
}

type reader struct {
	data []byte
	at   int
}

func (r *reader) blank() { r.at = skipBlanks(r.data, r.at) }

// take moves behind a byte if it comes next.
func (r *reader) take(c byte) bool {
	r.blank()
	if r.at < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	return false
}

// follow moves to the value under some keys.
func (r *reader) follow(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !r.enter(key) })
}

// enter moves to the value of a key of the object that comes next: the last of
// them, as encoding/json takes it.
func (r *reader) enter(key string) bool {
	found := -1
	if !r.take('{') {
		return false
	}
	for !r.take('}') {
		r.blank()
		name, ok := r.text()
		if !ok || !r.take(':') {
			return false
		}
		if r.blank(); name == key {
			found = r.at
		}
		if !r.skip() {
			return false
		}
		if !r.take(',') {
			break
		}
	}
	if found < 0 {
		return false
	}
	r.at = found
	return true
}

// skip moves behind the value that comes next.
func (r *reader) skip() bool {
	depth := 0
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case '"':
			if !r.skipText() {
				return false
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			if depth--; depth == 0 {
				r.at++
				return true
			}
		case ',':
			if depth == 0 {
				return true
			}
		}
		r.at++
	}
	return depth == 0
}

func (r *reader) skipText() bool {
	r.at = stringEnd(r.data, r.at) + 1
	return r.at <= len(r.data)
}

func (r *reader) value(depth int) (v definition.Value, ok bool) {
	r.blank()
	if r.at >= len(r.data) || depth > MaxDepth {
		return v, false
	}
	v.Span.Start = r.at
	switch r.data[r.at] {
	case '{':
		v.Kind = definition.Map
		v.Pairs, ok = r.object(depth)
	case '[':
		v.Kind = definition.List
		v.Items, ok = r.list(depth)
	case '"':
		v.Kind = definition.String
		v.Text, ok = r.text()
	default:
		v.Plain = true
		v.Kind, v.Text, ok = r.word()
	}
	v.Span.End = r.at
	return v, ok
}

func (r *reader) object(depth int) ([]definition.Entry, bool) {
	r.at++
	if r.take('}') {
		return nil, true
	}
	var pairs []definition.Entry
	index := map[string]int{}
	for {
		r.blank()
		e := definition.Entry{KeySpan: diag.Span{Start: r.at}}
		var ok bool
		if e.Key, ok = r.text(); !ok {
			return nil, false
		}
		e.KeySpan.End = r.at
		if !r.take(':') {
			return nil, false
		}
		if e.Value, ok = r.value(depth + 1); !ok {
			return nil, false
		}
		if i, twice := index[e.Key]; twice {
			pairs[i] = e
		} else {
			index[e.Key] = len(pairs)
			pairs = append(pairs, e)
		}
		if r.take('}') {
			return pairs, true
		}
		if !r.take(',') {
			return nil, false
		}
	}
}

func (r *reader) list(depth int) ([]definition.Value, bool) {
	r.at++
	if r.take(']') {
		return nil, true
	}
	var items []definition.Value
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		items = append(items, v)
		if r.take(']') {
			return items, true
		}
		if !r.take(',') {
			return nil, false
		}
	}
}

// text reads a string.
func (r *reader) text() (string, bool) {
	start := r.at
	if start >= len(r.data) || r.data[start] != '"' || !r.skipText() {
		return "", false
	}
	raw := r.data[start:r.at]
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			var s string
			err := json.Unmarshal(raw, &s)
			return s, err == nil
		}
	}
	return string(raw[1 : len(raw)-1]), true
}

// word reads a number, true, false or null.
func (r *reader) word() (definition.ValueKind, string, bool) {
	raw := r.data[r.at:]
	if n := bytes.IndexAny(raw, " \t\n\r,:\"{}[]"); n >= 0 {
		raw = raw[:n]
	}
	r.at += len(raw)
	switch string(raw) {
	case "null":
		return definition.Null, "null", true
	case "true", "false":
		return definition.Bool, string(raw), true
	}
	return definition.Number, string(raw), len(raw) > 0 && json.Valid(raw)
}
