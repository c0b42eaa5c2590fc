package jsonc

import (
	"bytes"
	"encoding/json"

	"github.com/vadehq/vade/definition"
)

// MaxDepth is the maximum nesting depth of values. MCP server entries have only three levels.
const MaxDepth = 64

// Parse parses JSON into a value whose parts have positions in the text. If an object contains a
// key more than once, the last one wins, as in JavaScript. Parse returns false for invalid JSON,
// and for JSON that is nested more than 64 levels deep.
func Parse(data []byte) (definition.Value, bool) {
	r := newReader(data, 0)
	v, ok := r.value(0)
	return v, ok && skipSpace(data, r.offset()) == len(data)
}

// Find returns the value at a key path in valid JSON. found is false if the value does not exist.
// If found is true, ok is false if the value is nested too deeply.
func Find(data []byte, keys ...string) (v definition.Value, found, ok bool) {
	at := 0
	for _, key := range keys {
		r := newReader(data, at)
		at = -1
		if t, err := r.Token(); err != nil || t != json.Delim('{') {
			return v, false, false
		}
		for r.More() {
			name, err := r.Token()
			var raw json.RawMessage
			if err != nil || r.Decode(&raw) != nil {
				return v, false, false
			}
			if name == key {
				at = r.offset() - len(raw)
			}
		}
		if at < 0 {
			return v, false, false
		}
	}
	v, ok = newReader(data, at).value(0)
	return v, true, ok
}

type reader struct {
	*json.Decoder
	data []byte
	base int
}

func newReader(data []byte, at int) reader {
	r := reader{json.NewDecoder(bytes.NewReader(data[at:])), data, at}
	r.UseNumber()
	return r
}

// offset returns the offset of the end of the last token.
func (r reader) offset() int { return r.base + int(r.InputOffset()) }

// next returns the next token and its offset.
func (r reader) next() (t json.Token, start int, err error) {
	start = skipSpace(r.data, r.offset())
	if start < len(r.data) && (r.data[start] == ',' || r.data[start] == ':') {
		start = skipSpace(r.data, start+1)
	}
	t, err = r.Token()
	return t, start, err
}

func (r reader) value(depth int) (v definition.Value, ok bool) {
	t, start, err := r.next()
	if err != nil || depth > MaxDepth {
		return v, false
	}
	v.Plain = true
	switch t := t.(type) {
	case nil:
		v.Kind, v.Text = definition.Null, "null"
	case bool:
		v.Kind, v.Text = definition.Bool, string(r.data[start:r.offset()])
	case json.Number:
		v.Kind, v.Text = definition.Number, t.String()
	case string:
		v.Kind, v.Text, v.Plain = definition.String, t, false
	case json.Delim:
		v.Plain = false
		if t == '{' {
			v.Kind, ok = definition.Map, r.object(&v, depth)
		} else {
			v.Kind, ok = definition.List, r.list(&v, depth)
		}
		if _, err := r.Token(); !ok || err != nil {
			return v, false
		}
	}
	v.Span.Start, v.Span.End = start, r.offset()
	return v, true
}

func (r reader) object(v *definition.Value, depth int) bool {
	index := map[string]int{}
	for r.More() {
		key, start, err := r.next()
		if err != nil {
			return false
		}
		// The decoder has already rejected keys that are not strings.
		e := definition.Entry{Key: key.(string)}
		e.KeySpan.Start, e.KeySpan.End = start, r.offset()
		var ok bool
		if e.Value, ok = r.value(depth + 1); !ok {
			return false
		}
		if i, dup := index[e.Key]; dup {
			v.Pairs[i] = e
		} else {
			index[e.Key] = len(v.Pairs)
			v.Pairs = append(v.Pairs, e)
		}
	}
	return true
}

func (r reader) list(v *definition.Value, depth int) bool {
	for r.More() {
		item, ok := r.value(depth + 1)
		if !ok {
			return false
		}
		v.Items = append(v.Items, item)
	}
	return true
}
