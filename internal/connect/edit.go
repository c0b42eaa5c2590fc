package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

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

// The reasons for which a file is not edited.
var (
	errSyntax = errors.New("the file is not valid")
	errShape  = errors.New("the servers in the file are not in the usual form")
	errEdited = errors.New("the entry cannot be changed or removed without a change to other text")
)

// placeError is a reason for which a file is not edited, with its place.
type placeError struct {
	// line and column begin at 1; the column counts runes. They are 0 if unknown.
	line, column int
	message      string
	kind         error
}

func (e *placeError) Error() string { return e.message }
func (e *placeError) Unwrap() error { return e.kind }

func placed(data []byte, offset int, kind error, message string) error {
	pos := diag.NewFile("", data).Pos(min(offset, len(data)))
	return &placeError{pos.Line, pos.Column, message, kind}
}

func kindName(k definition.ValueKind) string {
	if k == definition.String {
		return "a string"
	}
	return "a " + k.String()
}

// read reads a file as a map. One that does not exist, or is blank, is empty.
func read(data []byte, f *host.ServerFormat) (definition.Value, error) {
	empty := definition.Value{Kind: definition.Map}
	if f.Syntax == definition.TOML {
		doc, diags := frontmatter.ParseTOML(diag.NewFile(f.Path, data))
		if !doc.Valid {
			e := &placeError{message: "this is not valid TOML", kind: errSyntax}
			if len(diags) > 0 {
				e.line, e.column = diags[0].Line, diags[0].Column
			}
			return empty, e
		}
		empty.Pairs = doc.Entries
		return empty, nil
	}
	plain := jsonc.Plain(data)
	if isSpace(plain) {
		return empty, nil
	}
	v, ok := jsonc.Parse(plain)
	if ok && v.Kind != definition.Map {
		return v, placed(data, v.Span.Start, errShape, "the file is "+kindName(v.Kind)+", and should be an object")
	}
	if ok {
		return v, nil
	}
	var raw json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(plain, &raw))
	switch end := len(bytes.TrimRight(plain, " \t\r\n")); {
	case !ok:
		return v, placed(data, 0, errSyntax, "it is not valid JSON, or is nested too deeply")
	case int(syntax.Offset) >= end && strings.Contains(syntax.Error(), "end of JSON"):
		return v, placed(data, end, errSyntax, "the text ends before its last bracket is closed")
	default:
		return v, placed(data, max(int(syntax.Offset)-1, 0), errSyntax, "this is not valid JSON")
	}
}

// find returns the file, its map of servers, and the entry of a name in it, all with
// their places in the text.
func find(data []byte, f *host.ServerFormat, name string) (top definition.Value, servers, entry definition.Entry, err error) {
	if top, err = read(data, f); err != nil {
		return top, servers, entry, err
	}
	servers, ok := entryOf(top, f.Key)
	if ok && servers.Value.Kind != definition.Map {
		message := f.Key + " is " + kindName(servers.Value.Kind) + ", and should be a map of servers"
		return top, servers, entry, placed(data, servers.Value.Span.Start, errShape, message)
	}
	entry, _ = entryOf(servers.Value, name)
	return top, servers, entry, nil
}

func entryOf(object definition.Value, key string) (definition.Entry, bool) {
	i := slices.IndexFunc(object.Pairs, func(p definition.Entry) bool { return p.Key == key })
	if i < 0 {
		return definition.Entry{}, false
	}
	return object.Pairs[i], true
}

func member(v definition.Value, key string) (definition.Value, bool) {
	p, ok := entryOf(v, key)
	return p.Value, ok
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
func same(a, b definition.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Pairs) != len(b.Pairs) || !slices.EqualFunc(a.Items, b.Items, same) {
		return false
	}
	for _, p := range a.Pairs {
		if v, ok := member(b, p.Key); !ok || !same(p.Value, v) {
			return false
		}
	}
	return true
}

func mapOf(key string, v definition.Value) definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: key, Value: v}}}
}

// fresh is a file that has only the entry, without the end of its last line in JSON.
func fresh(f *host.ServerFormat, e definition.Entry, end string) []byte {
	if f.Syntax == definition.TOML {
		return bytes.ReplaceAll(mcp.AppendTOML(nil, f.Key, e.Key, e.Value), []byte("\n"), []byte(end))
	}
	return jsonc.Style{End: end, Unit: jsonc.Unit}.AppendLines(nil, mapOf(f.Key, mapOf(e.Key, e.Value)), "")
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
	case data == nil && f.Syntax == definition.TOML:
		after = fresh(f, e, end)
	case data == nil:
		after = append(fresh(f, e, end), '\n')
	case f.Syntax == definition.TOML || top.Span.End == 0 && !bytes.HasSuffix(data, []byte("\r")):
		after = slices.Concat(data, []byte(end), fresh(f, e, end))
	case top.Span.End == 0:
		return nil, errShape // The line feed would join the last byte, and remove could not tell.
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
	} else if string(data) == string(own) || string(data) == string(own)+"\n" {
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
	from, to := lineStart(data, entry.KeySpan.Start), lineEnd(data, endOf(entry.Value))
	end := []byte(jsonc.LineEnd(data))
	isTable := data[from] == '['
	if isTable && bytes.HasSuffix(data[:from], end) && (to == len(data) || bytes.HasPrefix(data[to:], end)) {
		from -= len(end)
	}
	return append(append([]byte{}, data[:from]...), data[to:]...)
}

func lineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

// lineEnd is the offset after the line feed of the line of an offset.
func lineEnd(data []byte, at int) int {
	at = min(at, len(data))
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
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

// maxChanges bounds how many keys of an entry update changes one by one.
const maxChanges = 64

// update gives the entry of a name the value of e. Only the keys change whose values
// differ; an entry in a form that this does not work for is written anew.
func update(data []byte, f *host.ServerFormat, e definition.Entry) ([]byte, error) {
	after := data
	for range maxChanges {
		top, _, found, err := find(after, f, e.Key)
		if err != nil || found.Value.Kind != definition.Map || same(found.Value, e.Value) {
			break
		}
		if f.Syntax == definition.TOML {
			after = updateTOML(after, found, e.Value)
		} else {
			after = updateJSON(after, jsonc.NewEditor(after, top), found.Value, e.Value)
		}
	}
	if changesOnly(data, after, f, e.Key, e) {
		return after, nil
	}
	rest, err := remove(data, f, e.Key)
	if err != nil {
		return nil, err
	}
	return add(rest, f, e)
}

// updateJSON changes the first key whose value differs.
func updateJSON(data []byte, edit jsonc.Editor, found, want definition.Value) []byte {
	for _, p := range found.Pairs {
		v, ok := member(want, p.Key)
		if !ok {
			return edit.Remove(found, p)
		}
		if !same(v, p.Value) {
			return slices.Concat(data[:p.Value.Span.Start], jsonc.AppendLine(nil, v), data[p.Value.Span.End:])
		}
	}
	for _, p := range slices.Backward(want.Pairs) {
		if _, has := member(found, p.Key); !has {
			return edit.Insert(found, p.Key, p.Value)
		}
	}
	return data
}

// updateTOML is updateJSON for a table, where each key is a line.
func updateTOML(data []byte, found definition.Entry, want definition.Value) []byte {
	line := func(key string, v definition.Value) []byte {
		_, text, _ := bytes.Cut(mcp.AppendTOML(nil, "a", "b", mapOf(key, v)), []byte("\n"))
		return text
	}
	for _, p := range found.Value.Pairs {
		v, ok := member(want, p.Key)
		if !ok {
			return slices.Concat(data[:lineStart(data, p.KeySpan.Start)], data[lineEnd(data, endOf(p.Value)):])
		}
		if !same(v, p.Value) {
			_, text, _ := bytes.Cut(bytes.TrimSuffix(line(p.Key, v), []byte("\n")), []byte(" = "))
			return slices.Concat(data[:p.Value.Span.Start], text, data[min(p.Value.Span.End, len(data)):])
		}
	}
	for _, p := range slices.Backward(want.Pairs) {
		if _, has := member(found.Value, p.Key); !has {
			at := lineEnd(data, found.KeySpan.End)
			text := bytes.ReplaceAll(line(p.Key, p.Value), []byte("\n"), []byte(jsonc.LineEnd(data)))
			return slices.Concat(data[:at], text, data[at:])
		}
	}
	return data
}
