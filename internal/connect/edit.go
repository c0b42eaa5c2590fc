package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/mcp"
)

// This file edits one entry in the text of a host's file: bytes in, bytes out. Every other
// byte stays. remove undoes add byte for byte without a record of the file from before:
// add writes a new map, a new file and an entry of an empty map in different layouts.
// What comes out is read again, so that a file in an unforeseen form is left alone.

// The reasons for which a file is not edited, besides what is wrong with its text.
var (
	errShape  = errors.New("the servers in the file are not in the usual form")
	errEdited = errors.New("the entry cannot be changed or removed without a change to other text")
)

// placed is what is wrong with a file, as an error.
func placed(d diag.Diagnostic) error {
	return fmt.Errorf("line %d, column %d: %s", d.Line, d.Column, d.Message)
}

// notMap is the error for a value that should be a map.
func notMap(data []byte, v definition.Value, what string) error {
	return placed(diag.At(diag.NewFile("", data), v.Span, diag.MCPInvalid, "%s is not a map", what))
}

// read reads a file as a map. One that does not exist, or is blank, is empty.
func read(data []byte, f *host.ServerFormat) (definition.Value, error) {
	empty := definition.Value{Kind: definition.Map}
	if f.Syntax == definition.TOML {
		doc, diags := frontmatter.ParseTOML(diag.NewFile("", data))
		if !doc.Valid {
			return empty, placed(diags[0])
		}
		empty.Pairs = doc.Entries
		return empty, nil
	}
	plain := jsonc.Plain(data)
	if isSpace(plain) {
		return empty, nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(plain, &raw); err != nil {
		return empty, placed(diag.ForJSON("", data, err))
	}
	v, ok := jsonc.Parse(plain)
	switch {
	case !ok:
		return v, errors.New("it is nested too deeply")
	case v.Kind != definition.Map:
		return v, notMap(data, v, "the file")
	}
	return v, nil
}

// find returns the file, its map of servers, and the entry of a name in it, all with
// their places in the text.
func find(data []byte, f *host.ServerFormat, name string) (top definition.Value, servers, entry definition.Entry, err error) {
	if top, err = read(data, f); err != nil {
		return top, servers, entry, err
	}
	servers, ok := member(top, f.Key)
	if ok && servers.Value.Kind != definition.Map {
		return top, servers, entry, notMap(data, servers.Value, f.Key)
	}
	entry, _ = member(servers.Value, name)
	return top, servers, entry, nil
}

// member is the entry of a key in a map.
func member(v definition.Value, key string) (definition.Entry, bool) {
	i := slices.IndexFunc(v.Pairs, func(p definition.Entry) bool { return p.Key == key })
	if i < 0 {
		return definition.Entry{}, false
	}
	return v.Pairs[i], true
}

// changesOnly reports whether after has the entry e (e.Key "": none of the name) and is
// equal to before in everything else.
func changesOnly(before, after []byte, f *host.ServerFormat, name string, e definition.Entry) bool {
	wasTop, was, _, err := find(before, f, name)
	isTop, is, entry, err2 := find(after, f, name)
	rest := func(v definition.Value, key string) definition.Value {
		without := func(p definition.Entry) bool { return p.Key == key }
		return definition.Value{Kind: definition.Map, Pairs: slices.DeleteFunc(slices.Clone(v.Pairs), without)}
	}
	return err == nil && err2 == nil && entry.Key == e.Key && same(entry.Value, e.Value) &&
		same(rest(was.Value, name), rest(is.Value, name)) && same(rest(wasTop, f.Key), rest(isTop, f.Key))
}

// same reports whether two values are equal. The order of keys does not count.
func same(a, b definition.Value) bool { return holds(a, b) && holds(b, a) }

// holds reports whether a value has all of another one: the keys of a map with their
// values, the items that a list begins with, or the same text.
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

// fresh is a file that has only the entry.
func fresh(f *host.ServerFormat, e definition.Entry, end string) []byte {
	if f.Syntax == definition.TOML {
		return bytes.ReplaceAll(mcp.AppendTOML(nil, f.Key, e.Key, e.Value), []byte("\n"), []byte(end))
	}
	file := mapOf(f.Key, mapOf(e.Key, e.Value))
	return append(jsonc.Style{End: end, Unit: jsonc.Unit}.AppendLines(nil, file, ""), end...)
}

// add puts an entry into a file that has none of its name. data nil is a file that does
// not exist.
func add(data []byte, f *host.ServerFormat, e definition.Entry) ([]byte, error) {
	top, servers, _, err := find(data, f, e.Key)
	if err != nil {
		return nil, err
	}
	end := jsonc.LineEnd(data)
	edit := jsonc.NewEditor(data, top)
	var after []byte
	switch {
	case data == nil:
		after = fresh(f, e, end)
	case f.Syntax == definition.TOML || top.Span.End == 0:
		after = slices.Concat(data, []byte(end), fresh(f, e, end))
	case servers.Key == "":
		after = edit.Insert(top, f.Key, mapOf(e.Key, e.Value))
	default:
		after = edit.Insert(servers.Value, e.Key, e.Value)
	}
	if !changesOnly(data, after, f, e.Key, e) {
		return nil, errShape
	}
	return after, nil
}

// remove takes the entry of a name out. nil is a file that is to be removed, because add
// has made it.
func remove(data []byte, f *host.ServerFormat, name string) ([]byte, error) {
	top, servers, entry, err := find(data, f, name)
	if err != nil || entry.Key == "" {
		return data, err
	}
	var after []byte
	if f.Syntax == definition.TOML {
		after = removeTOML(data, entry)
	} else {
		after = removeJSON(data, top, servers, entry)
	}
	end := []byte(jsonc.LineEnd(data))
	own := fresh(f, entry, string(end))
	if blank, ok := bytes.CutSuffix(data, append(end, own...)); ok {
		after = bytes.Clone(blank)
	} else if bytes.Equal(data, own) {
		after = nil
	}
	if !changesOnly(data, after, f, name, definition.Entry{}) {
		return nil, errEdited
	}
	return after, nil
}

func removeJSON(data []byte, top definition.Value, servers, entry definition.Entry) []byte {
	edit := jsonc.NewEditor(data, top)
	all, one := servers.Value.Span, entry.Value.Span
	inside, behind := data[all.Start+1:entry.KeySpan.Start], data[one.End:all.End-1]
	lines := bytes.IndexByte(data[one.Start:one.End], '\n') >= 0
	isOwn := len(servers.Value.Pairs) == 1 && isSpace(inside) && isSpace(behind) && (lines || string(inside) == " ")
	if !isOwn {
		return edit.Remove(servers.Value, entry)
	}
	return edit.Remove(top, servers)
}

func isSpace(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

func removeTOML(data []byte, entry definition.Entry) []byte {
	from := bytes.LastIndexByte(data[:entry.KeySpan.Start], '\n') + 1
	_, rest, _ := bytes.Cut(data[min(endOf(entry.Value), len(data)):], []byte("\n"))
	end := []byte(jsonc.LineEnd(data))
	isTable := data[from] == '['
	if isTable && bytes.HasSuffix(data[:from], end) && (len(rest) == 0 || bytes.HasPrefix(rest, end)) {
		from -= len(end)
	}
	return slices.Concat(data[:from], rest)
}

// endOf is where the last part of a value ends, which for a table may be in another
// table after it.
func endOf(v definition.Value) int {
	end := v.Span.End
	for _, p := range v.Pairs {
		end = max(end, p.KeySpan.End, endOf(p.Value))
	}
	return end
}

// update gives the entry of a name the value of e: in its place in JSON, at the end of the
// file in TOML.
func update(data []byte, f *host.ServerFormat, e definition.Entry) ([]byte, error) {
	if f.Syntax == definition.TOML {
		rest, err := remove(data, f, e.Key)
		if err != nil {
			return nil, err
		}
		return add(rest, f, e)
	}
	top, _, found, err := find(data, f, e.Key)
	if err != nil {
		return nil, err
	}
	after := jsonc.NewEditor(data, top).Replace(found.Value, e.Value)
	if !changesOnly(data, after, f, e.Key, e) {
		return nil, errEdited
	}
	return after, nil
}
