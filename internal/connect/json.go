package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// readJSON reads the object that a file is. Comments and trailing commas are passed
// over.
func readJSON(data []byte) (definition.Value, error) {
	plain := jsonc.Plain(data)
	v, ok := jsonc.Parse(plain)
	switch {
	case !ok:
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

// insertJSON is [Add] without the proof. By the line feed at the end [Remove] knows that
// the file was made.
func insertJSON(data []byte, f *host.ServerFormat, e Entry) ([]byte, error) {
	if data == nil {
		return append(fresh(f, e, "\n"), '\n'), nil
	}
	if isBlank(data, f) {
		if bytes.HasSuffix(data, []byte("\r")) {
			// The line feed would make a line end of it, so that it could not be told again.
			return nil, ErrShape
		}
		end := jsonc.LineEnd(data)
		return slices.Concat(data, []byte(end), fresh(f, e, end)), nil
	}
	top, err := readJSON(data)
	if err != nil {
		return nil, err
	}
	edit := jsonc.NewEditor(data, top)
	servers, ok := member(top, f.Key)
	if !ok {
		return edit.Insert(top, f.Key, wrap(e)), nil
	}
	if servers.Kind != definition.Map {
		return nil, placed(data, servers.Span.Start, ErrShape, f.Key+" is "+kindName(servers.Kind)+", and should be a map of servers")
	}
	return edit.Insert(servers, e.Name, e.Value), nil
}

// wrap is the map of servers with one entry.
func wrap(e Entry) definition.Value {
	return definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: e.Name, Value: e.Value}}}
}

// fresh is a file that has the entry alone.
func fresh(f *host.ServerFormat, e Entry, end string) []byte {
	all := definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: f.Key, Value: wrap(e)}}}
	return jsonc.Style{End: end, Unit: jsonc.Unit}.AppendLines(nil, all, "")
}

// beforeJSON returns the texts that a file may have been made of: those of which
// [insertJSON] makes the same bytes if they are right, and those which are it without
// the entry whatever it was made of.
func beforeJSON(data []byte, f *host.ServerFormat, e Entry) (exact, rough [][]byte) {
	exact = append(exact, nil)
	end := jsonc.LineEnd(data)
	if rest, ok := bytes.CutSuffix(data, append([]byte(end), fresh(f, e, end)...)); ok {
		// The empty file is not nil, which is none.
		exact = append(exact, append([]byte{}, rest...))
	}
	top, err := readJSON(data)
	if err != nil {
		return exact, nil
	}
	servers, _ := entryOf(top, f.Key)
	server, ok := entryOf(servers.Value, e.Name)
	if !ok {
		return exact, nil
	}
	edit := jsonc.NewEditor(data, top)
	exact = append(exact, edit.Before(servers.Value, server, e.Value)...)
	if len(servers.Value.Pairs) == 1 {
		exact = append(exact, edit.Before(top, servers, wrap(e))...)
	}
	return exact, [][]byte{edit.Remove(server)}
}

func entryOf(object definition.Value, key string) (definition.Entry, bool) {
	for _, p := range object.Pairs {
		if p.Key == key {
			return p, true
		}
	}
	return definition.Entry{}, false
}

// isBlank reports whether a file has nothing but blanks and comments.
func isBlank(data []byte, f *host.ServerFormat) bool {
	if f.Syntax == definition.TOML {
		return false
	}
	return len(bytes.TrimSpace(jsonc.Plain(data))) == 0
}
