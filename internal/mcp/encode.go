package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// AppendJSON appends a value as JSON of several lines, indented by two blanks more
// than the line that it begins on. Lists of text are on one line where they are
// short.
func AppendJSON(b []byte, v definition.Value, indent string) []byte {
	inner := indent + "  "
	switch v.Kind {
	case definition.Null:
		return append(b, "null"...)
	case definition.Bool, definition.Number:
		if json.Valid([]byte(v.Text)) {
			return append(b, v.Text...)
		}
		return appendText(b, v.Text)
	case definition.List:
		if len(v.Items) == 0 {
			return append(b, "[]"...)
		}
		if line, ok := shortList(v.Items); ok {
			return append(b, line...)
		}
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, '\n'), inner...)
			b = AppendJSON(b, item, inner)
		}
		return append(append(append(b, '\n'), indent...), ']')
	case definition.Map:
		if len(v.Pairs) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		for i, p := range v.Pairs {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, '\n'), inner...)
			b = append(appendText(b, p.Key), ": "...)
			b = AppendJSON(b, p.Value, inner)
		}
		return append(append(append(b, '\n'), indent...), '}')
	}
	return appendText(b, v.Text)
}

// maxLine is the length of a list that stays on one line.
const maxLine = 80

func shortList(items []definition.Value) ([]byte, bool) {
	b := []byte{'['}
	for i, item := range items {
		if item.Kind != definition.String || len(b) > maxLine {
			return nil, false
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendText(b, item.Text)
	}
	return append(b, ']'), len(b) < maxLine
}

// appendText appends a string in the form that JSON and TOML have in common.
func appendText(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	// A string can not fail to be encoded: what is no UTF-8 is replaced.
	_ = e.Encode(s)
	text := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	return append(b, bytes.ReplaceAll(text, []byte{0x7f}, []byte(`\u007f`))...)
}

// appendTOML appends a table for each member of a map, with a blank line between
// them.
func appendTOML(b []byte, key string, all definition.Value) []byte {
	for i, server := range all.Pairs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, "["+tomlKey(key)+"."+tomlKey(server.Key)+"]\n"...)
		for _, p := range server.Value.Pairs {
			if p.Value.Kind == definition.Null {
				continue
			}
			b = append(b, tomlKey(p.Key)+" = "...)
			b = append(tomlValue(b, p.Value), '\n')
		}
	}
	return b
}

func tomlKey(s string) string {
	if isPlainName(s) {
		return s
	}
	return string(appendText(nil, s))
}

func tomlValue(b []byte, v definition.Value) []byte {
	switch v.Kind {
	case definition.Bool:
		return append(b, strings.ToLower(v.Text)...)
	case definition.Number:
		return append(b, v.Text...)
	case definition.List:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = tomlValue(b, item)
		}
		return append(b, ']')
	case definition.Map:
		b = append(b, '{')
		for i, p := range v.Pairs {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, " "+tomlKey(p.Key)+" = "...)
			b = tomlValue(b, p.Value)
		}
		return append(b, " }"...)
	}
	return appendText(b, v.Text)
}
