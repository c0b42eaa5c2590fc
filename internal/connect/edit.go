package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
)

// This file edits one entry in a host's file and preserves the other bytes. remove undoes add
// exactly, without a record of the original file. This works because add uses a different layout
// for a new map, for a new file and for the first entry in an empty map. The result is parsed
// again, so a file with an unexpected layout is not changed.

// errShape is returned if a valid file cannot be edited without changing other text.
var errShape = errors.New("the layout of the servers is unusual, so the edit would change unrelated text")

// file is a host's file and the parsed entry with a given name.
type file struct {
	data   []byte
	format *host.ServerFormat
	name   string
	// top is the whole file, servers is the map of servers in it, and entry is the named entry. All
	// have positions in the text. A missing servers or entry has an empty key.
	top            definition.Value
	servers, entry definition.Entry
}

// read parses a file's content. If the file does not exist, data is nil.
func read(data []byte, f *host.ServerFormat, name string) (*file, error) {
	x := &file{data: data, format: f, name: name, top: definition.Value{Kind: definition.Map}}
	if err := x.parse(); err != nil {
		return nil, err
	}
	v, what := x.top, "the file"
	if servers, ok := member(v, f.Key); ok {
		x.servers, v, what = servers, servers.Value, f.Key
	}
	if v.Kind != definition.Map {
		kind := "an object"
		if f.Syntax == definition.TOML {
			kind = "a table"
		}
		return nil, jsonc.Placed(diag.At(diag.NewFile("", data), v.Span, diag.MCPInvalid, "%s must be %s", what, kind))
	}
	x.entry, _ = member(x.servers.Value, name)
	return x, nil
}

// parse parses the file's text. Text that is only whitespace is an object without members.
func (x *file) parse() error {
	if x.format.Syntax == definition.TOML {
		doc, diags := frontmatter.ParseTOML(diag.NewFile("", x.data))
		if !doc.Valid {
			return jsonc.Placed(diags[0])
		}
		x.top.Pairs = doc.Entries
		return nil
	}
	plain := jsonc.Plain(x.data)
	if len(bytes.TrimSpace(plain)) == 0 {
		return nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(plain, &raw); err != nil {
		return jsonc.Placed(diag.ForJSON("", x.data, err))
	}
	var ok bool
	if x.top, ok = jsonc.Parse(plain); !ok {
		return errors.New("nested too deeply")
	}
	return nil
}

// comments counts the comment markers outside the entry's values. The count is approximate, and is
// useful only for comparing two versions of a file.
func (x *file) comments() int {
	n, own := 0, fresh(x.format, x.entry, "\n")
	for _, sign := range []string{"//", "/*", "#"} {
		if (sign == "#") == (x.format.Syntax == definition.TOML) {
			n += bytes.Count(x.data, []byte(sign)) - bytes.Count(own, []byte(sign))
		}
	}
	return n
}

// member returns a map's entry for key.
func member(v definition.Value, key string) (definition.Entry, bool) {
	i := slices.IndexFunc(v.Pairs, func(p definition.Entry) bool { return p.Key == key })
	if i < 0 {
		return definition.Entry{}, false
	}
	return v.Pairs[i], true
}

// changed parses the file's content after a change. It returns an error unless the file contains
// the entry e and is otherwise the same as before. If e.Key is "", the file must not contain the
// entry.
func (x *file) changed(after []byte, e definition.Entry) (*file, error) {
	rest := func(v definition.Value, key string) definition.Value {
		without := func(p definition.Entry) bool { return p.Key == key }
		return definition.Value{Kind: definition.Map, Pairs: slices.DeleteFunc(slices.Clone(v.Pairs), without)}
	}
	y, err := read(after, x.format, x.name)
	if err != nil || y.entry.Key != e.Key || !same(y.entry.Value, e.Value) ||
		!same(rest(x.servers.Value, x.name), rest(y.servers.Value, x.name)) ||
		!same(rest(x.top, x.format.Key), rest(y.top, x.format.Key)) {
		return nil, errShape
	}
	return y, nil
}

// same reports whether two values are equal, ignoring the order of keys.
func same(a, b definition.Value) bool { return holds(a, b) && holds(b, a) }

// holds reports whether v contains everything in part. A map must have all of part's keys and
// values, a list must start with part's items, and a scalar must have the same text.
func holds(v, part definition.Value) bool {
	if v.Kind != part.Kind || v.Text != part.Text || len(v.Items) < len(part.Items) {
		return false
	}
	for _, p := range part.Pairs {
		if inner, ok := member(v, p.Key); !ok || !holds(inner.Value, p.Value) {
			return false
		}
	}
	return slices.EqualFunc(v.Items[:len(part.Items)], part.Items, holds)
}

func mapOf(key string, v definition.Value) definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: key, Value: v}}}
}

// fresh returns a new file that contains only the entry.
func fresh(f *host.ServerFormat, e definition.Entry, end string) []byte {
	if f.Syntax == definition.TOML {
		return bytes.ReplaceAll(mcp.AppendTOML(nil, f.Key, e.Key, e.Value), []byte("\n"), []byte(end))
	}
	file := mapOf(f.Key, mapOf(e.Key, e.Value))
	return append(jsonc.Style{End: end, Unit: jsonc.Unit}.AppendLines(nil, file, ""), end...)
}

// add inserts the entry into a file that has no entry with that name.
func (x *file) add(v definition.Value) (*file, error) {
	end, edit := jsonc.LineEnd(x.data), jsonc.NewEditor(x.data, x.top)
	e := definition.Entry{Key: x.name, Value: v}
	var after []byte
	switch {
	case x.data == nil:
		after = fresh(x.format, e, end)
	case x.format.Syntax == definition.TOML || x.top.Span.End == 0:
		after = slices.Concat(x.data, []byte(end), fresh(x.format, e, end))
	case x.servers.Key == "":
		after = edit.Insert(x.top, x.format.Key, mapOf(e.Key, v))
	default:
		after = edit.Insert(x.servers.Value, e.Key, v)
	}
	return x.changed(after, e)
}

// remove removes the existing entry. If add created the file, the result's data is nil.
func (x *file) remove() (*file, error) {
	var after []byte
	end := []byte(jsonc.LineEnd(x.data))
	own := fresh(x.format, x.entry, string(end))
	if blank, ok := bytes.CutSuffix(x.data, append(end, own...)); ok {
		after = bytes.Clone(blank)
	} else if bytes.Equal(x.data, own) {
		after = nil
	} else if x.format.Syntax == definition.TOML {
		after = x.removeTOML()
	} else {
		after = x.removeJSON()
	}
	return x.changed(after, definition.Entry{})
}

func (x *file) removeJSON() []byte {
	edit := jsonc.NewEditor(x.data, x.top)
	all, one := x.servers.Value.Span, x.entry.Value.Span
	inside, behind := x.data[all.Start+1:x.entry.KeySpan.Start], x.data[one.End:all.End-1]
	lines := bytes.IndexByte(x.data[one.Start:one.End], '\n') >= 0
	isAlone := len(x.servers.Value.Pairs) == 1 && len(bytes.TrimSpace(inside))+len(bytes.TrimSpace(behind)) == 0
	if isAlone && (lines || string(inside) == " ") {
		return edit.Remove(x.top, x.servers)
	}
	return edit.Remove(x.servers.Value, x.entry)
}

func (x *file) removeTOML() []byte {
	from := bytes.LastIndexByte(x.data[:x.entry.KeySpan.Start], '\n') + 1
	_, rest, _ := bytes.Cut(x.data[min(endOf(x.entry.Value), len(x.data)):], []byte("\n"))
	end := []byte(jsonc.LineEnd(x.data))
	isApart := bytes.HasSuffix(x.data[:from], end) && (len(rest) == 0 || bytes.HasPrefix(rest, end))
	if x.data[from] == '[' && isApart {
		from -= len(end)
	}
	return slices.Concat(x.data[:from], rest)
}

// update replaces the entry's value: in place in JSON, at the end of the file in TOML.
func (x *file) update(v definition.Value) (*file, error) {
	if x.format.Syntax != definition.TOML {
		after := jsonc.NewEditor(x.data, x.top).Replace(x.entry.Value, v)
		return x.changed(after, definition.Entry{Key: x.name, Value: v})
	}
	y, err := x.remove()
	if err != nil {
		return nil, err
	}
	return y.add(v)
}

// endOf returns the position where the last part of a value ends. If the value is a table, that
// part may be in a later table.
func endOf(v definition.Value) int {
	end := v.Span.End
	for _, p := range v.Pairs {
		end = max(end, p.KeySpan.End, endOf(p.Value))
	}
	return end
}
