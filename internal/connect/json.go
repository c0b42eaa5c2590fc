package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/mcp"
)

// unit is how far a level is indented where the file says nothing.
const unit = "  "

// readJSON reads the object that a file is. Comments and trailing commas are passed
// over.
func readJSON(data []byte) (definition.Value, error) {
	plain := discover.PlainJSON(data)
	v, ok := mcp.ParseJSON(plain)
	switch {
	case !ok || !json.Valid(bytes.TrimSpace(plain)):
		return v, syntaxOf(data, plain)
	case v.Kind != definition.Map:
		return v, placed(data, v.Span.Start, ErrShape, "the file is "+kindName(v.Kind)+", and should be an object")
	}
	return v, nil
}

// syntaxOf says where a text is no JSON.
func syntaxOf(data, plain []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(plain, &raw)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	switch end := len(bytes.TrimRight(plain, " \t\r\n")); {
	case !ok:
		return placed(data, 0, ErrSyntax, "it is no JSON that can be read, or is nested too deeply")
	case int(syntax.Offset) >= end && strings.Contains(syntax.Error(), "end of JSON"):
		return placed(data, end, ErrSyntax, "the text ends before its last bracket is closed")
	default:
		return placed(data, max(int(syntax.Offset)-1, 0), ErrSyntax, "this is no JSON")
	}
}

// insertJSON is [Add] without the proof. What is put into an object that has members
// stands before the first of them, so that no other line changes; what is put into an
// empty one has its values on one line. By that and by the line feed at the end
// [Remove] knows what was there.
func insertJSON(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	if data == nil {
		return append(fresh(f, e, "\n"), '\n'), nil
	}
	s := styleOf(data)
	if isBlank(data, f) {
		if bytes.HasSuffix(data, []byte("\r")) {
			// The line feed would make a line end of it, so that it could not be told again.
			return nil, ErrShape
		}
		return append(append(bytes.Clone(data), s.end...), fresh(f, e, s.end)...), nil
	}
	top, err := readJSON(data)
	if err != nil {
		return nil, err
	}
	s.unit = s.unitOf(top)
	servers, ok := member(top, f.Key)
	if !ok {
		return s.into(top, f.Key, wrap(e)), nil
	}
	if servers.Kind != definition.Map {
		return nil, placed(data, servers.Span.Start, ErrShape, f.Key+" is "+kindName(servers.Kind)+", and should be a map of servers")
	}
	return s.into(servers, e.Name, e.Value), nil
}

// wrap is the map of servers with one entry.
func wrap(e Entry) definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: e.Name, Value: e.Value}}}
}

// fresh is a file that has the entry alone.
func fresh(f *host.ServerFormat, e Entry, end string) []byte {
	s := style{end: end, unit: unit}
	return s.lines(nil, definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: f.Key, Value: wrap(e)}}}, "")
}

// beforeJSON returns the texts that a file may have been made of: those of which
// [insertJSON] makes the same bytes if they are right, and those which are it without
// the entry whatever it was made of.
func beforeJSON(data []byte, f *host.ServerFormat, e Entry) (exact, rough [][]byte) {
	s := styleOf(data)
	exact = append(exact, nil)
	if rest, ok := bytes.CutSuffix(data, append([]byte(s.end), fresh(f, e, s.end)...)); ok {
		// The empty file is not nil, which is none.
		exact = append(exact, append([]byte{}, rest...))
	}
	top, err := readJSON(data)
	if err != nil {
		return exact, nil
	}
	servers, _ := member(top, f.Key)
	s.unit = s.unitOf(top)
	for _, in := range []struct {
		object definition.Value
		key    string
		value  definition.Value
	}{{servers, e.Name, e.Value}, {top, f.Key, wrap(e)}} {
		found, ok := entryOf(in.object, in.key)
		if !ok || in.key == f.Key && len(servers.Pairs) != 1 {
			continue
		}
		if len(in.object.Pairs) > 1 {
			exact = append(exact, cut(data, found.KeySpan.Start, s.afterMember(found.Value.Span.End)))
		} else {
			// How an empty object was indented does not hang on what is in it now.
			for _, u := range []string{s.unit, unit} {
				s := s
				s.unit = u
				text := s.inner(in.object.Span.Start, in.key, in.value)
				if from := in.object.Span.Start + 1; bytes.HasPrefix(data[from:], text) {
					exact = append(exact, cut(data, from, from+len(text)))
				}
			}
		}
	}
	if at, ok := entryOf(servers, e.Name); ok {
		rough = append(rough, s.withoutMember(at))
	}
	return exact, rough
}

func entryOf(object definition.Value, key string) (definition.Entry, bool) {
	for _, p := range object.Pairs {
		if p.Key == key {
			return p, true
		}
	}
	return definition.Entry{}, false
}

func cut(data []byte, from, to int) []byte {
	return append(bytes.Clone(data[:from]), data[to:]...)
}

// isBlank reports whether a file has nothing but blanks and comments.
func isBlank(data []byte, f *host.ServerFormat) bool {
	if f.Syntax == definition.TOML {
		return false
	}
	return len(bytes.TrimSpace(discover.PlainJSON(data))) == 0
}
