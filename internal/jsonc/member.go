package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Placed returns an error that contains a diagnostic's position and message.
func Placed(d diag.Diagnostic) error {
	return fmt.Errorf("line %d, column %d: %s", d.Line, d.Column, d.Message)
}

// File is a settings file that is edited at one key path. Edits leave all other bytes unchanged,
// and removing what was added restores the file.
type File struct {
	data []byte
	top  definition.Value
	// chain holds the existing objects and lists along the path, starting with the top-level value.
	chain []definition.Entry
	path  []string
}

// Open parses a file's text; nil represents a missing file. path is the key path of the object or
// list to edit. If strict is set, comments and trailing commas are errors. Errors in the text
// include the position.
func Open(data []byte, strict bool, path ...string) (*File, error) {
	f := &File{data: data, path: path, top: definition.Value{Kind: definition.Map}}
	plain := data
	if !strict {
		plain = Plain(data)
	}
	if len(bytes.TrimSpace(plain)) > 0 {
		var raw json.RawMessage
		if err := json.Unmarshal(plain, &raw); err != nil {
			return nil, Placed(diag.ForJSON("", data, err))
		}
		var ok bool
		if f.top, ok = Parse(plain); !ok {
			return nil, errors.New("nested too deeply")
		}
	}
	at := definition.Entry{Value: f.top}
	for i := 0; ; i++ {
		f.chain = append(f.chain, at)
		if i < len(path) && at.Value.Kind != definition.Map {
			return nil, Placed(diag.At(diag.NewFile("", data), at.Value.Span, diag.FieldType, "%s is not an object", describe(path[:i])))
		}
		next := slices.IndexFunc(at.Value.Pairs, func(p definition.Entry) bool { return i < len(path) && p.Key == path[i] })
		if next < 0 {
			return f, nil
		}
		at = at.Value.Pairs[next]
	}
}

func describe(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return path[len(path)-1]
}

// Find returns the first object member or list item at the path that match accepts. It returns
// false if there is none.
func (f *File) Find(match func(definition.Entry) bool) (definition.Entry, bool) {
	if len(f.chain) <= len(f.path) {
		return definition.Entry{}, false
	}
	list := members(f.chain[len(f.path)].Value)
	if i := slices.IndexFunc(list, match); i >= 0 {
		return list[i], true
	}
	return definition.Entry{}, false
}

// Add returns the file's text with a new object member or, if key is "", a new list item. It
// creates the objects and lists along the path that do not exist.
func (f *File) Add(key string, v definition.Value) ([]byte, error) {
	kind, missing := definition.Map, f.path[len(f.chain)-1:]
	if key == "" {
		kind = definition.List
	}
	last := f.chain[len(f.chain)-1].Value
	if len(missing) == 0 && last.Kind != kind {
		form := map[definition.ValueKind]string{definition.Map: "an object", definition.List: "a list"}[kind]
		return nil, Placed(diag.At(diag.NewFile("", f.data), last.Span, diag.FieldType, "%s is not %s", describe(f.path), form))
	}
	if f.top.Span.End == 0 {
		if text := f.fresh(key, v); f.data == nil {
			return text, nil
		} else {
			return slices.Concat(f.data, []byte(LineEnd(f.data)), text), nil
		}
	}
	for i := range slices.Backward(missing) {
		v, key = wrap(key, v), missing[i]
	}
	return NewEditor(f.data, f.top).Append(last, key, v), nil
}

// fresh returns a new file that contains only one member or item. Each object and list on the path
// spans several lines. This distinguishes the file from one that contained an empty object before
// [File.Add].
func (f *File) fresh(key string, v definition.Value) []byte {
	end, text := LineEnd(f.data), appendLine(nil, v)
	first, last := "[", "]"
	if key != "" {
		first, last, text = "{", "}", append(appendKey(nil, key), text...)
	}
	for i := len(f.path); i >= 0; i-- {
		indent := end + strings.Repeat(Unit, i)
		text = slices.Concat([]byte(first+indent+Unit), text, []byte(indent+last))
		if first, last = "{", "}"; i > 0 {
			text = append(appendKey(nil, f.path[i-1]), text...)
		}
	}
	return append(text, end...)
}

// wrap returns an object with one member, or a list with one item.
func wrap(key string, v definition.Value) definition.Value {
	if key == "" {
		return definition.Value{Kind: definition.List, Items: []definition.Value{v}}
	}
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: key, Value: v}}}
}

// Remove returns the file's text without a member or item that Find returned. It also removes the
// objects and lists that Add created to hold it. If Add created the file, Remove returns nil.
func (f *File) Remove(m definition.Entry) []byte {
	fresh := f.fresh(m.Key, m.Value)
	if bytes.Equal(f.data, fresh) {
		return nil
	}
	if before, ok := bytes.CutSuffix(f.data, slices.Concat([]byte(LineEnd(f.data)), fresh)); ok {
		return append([]byte{}, before...)
	}
	at := len(f.path)
	for ; at > 0; at-- {
		in := f.chain[at].Value
		text := f.data[in.Span.Start+1 : in.Span.End-1]
		member := f.data[m.KeySpan.Start:m.Value.Span.End]
		if in.Kind == definition.Map {
			member = slices.Concat([]byte(" "), member, []byte(" "))
		}
		if !bytes.Equal(text, member) {
			break
		}
		m = f.chain[at]
	}
	return NewEditor(f.data, f.top).Remove(f.chain[at].Value, m)
}

// Replace returns the text with a new value for a member that Find returned.
func (f *File) Replace(m definition.Entry, v definition.Value) []byte {
	return NewEditor(f.data, f.top).Replace(m.Value, v)
}
