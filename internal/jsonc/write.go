package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/vadehq/vade/definition"
)

// Append appends a value as multi-line JSON. indent is the indentation of the line on which the
// value begins; the value's own lines are indented by two more spaces.
func Append(b []byte, v definition.Value, indent string) []byte {
	return Style{"\n", Unit}.AppendLines(b, v, indent)
}

// isShort reports whether a list contains only strings and its one-line form has at most 80 bytes.
func isShort(items []definition.Value) bool {
	return !slices.ContainsFunc(items, func(v definition.Value) bool { return v.Kind != definition.String }) &&
		len(appendLine(nil, definition.Value{Kind: definition.List, Items: items})) <= 80
}

// AppendLines appends a value. indent is the indentation of the line on which the value begins.
// Each map member starts on its own line, and so does each item in a list that is not short.
// Everything else is on one line.
func (s Style) AppendLines(b []byte, v definition.Value, indent string) []byte {
	end, inner := s.End+indent, indent+s.Unit
	switch {
	case v.Kind == definition.List && len(v.Items) > 0 && !isShort(v.Items):
		return join(b, "["+s.End+inner, ","+s.End+inner, end+"]", len(v.Items), func(b []byte, i int) []byte {
			return s.AppendLines(b, v.Items[i], inner)
		})
	case v.Kind == definition.Map && len(v.Pairs) > 0:
		return join(b, "{"+s.End+inner, ","+s.End+inner, end+"}", len(v.Pairs), func(b []byte, i int) []byte {
			return s.AppendLines(appendKey(b, v.Pairs[i].Key), v.Pairs[i].Value, inner)
		})
	}
	return appendLine(b, v)
}

func appendLine(b []byte, v definition.Value) []byte {
	switch v.Kind {
	case definition.Null:
		return append(b, "null"...)
	case definition.Bool, definition.Number:
		if json.Valid([]byte(v.Text)) {
			return append(b, v.Text...)
		}
	case definition.List:
		return join(b, "[", ", ", "]", len(v.Items), func(b []byte, i int) []byte { return appendLine(b, v.Items[i]) })
	case definition.Map:
		if len(v.Pairs) == 0 {
			return append(b, "{}"...)
		}
		return join(b, "{ ", ", ", " }", len(v.Pairs), func(b []byte, i int) []byte {
			return appendLine(appendKey(b, v.Pairs[i].Key), v.Pairs[i].Value)
		})
	}
	return AppendString(b, v.Text)
}

// join appends open, then the n parts with the text between after each but the last, and then end.
func join(b []byte, open, between, end string, n int, part func(b []byte, i int) []byte) []byte {
	b = append(b, open...)
	for i := range n {
		if i > 0 {
			b = append(b, between...)
		}
		b = part(b, i)
	}
	return append(b, end...)
}

func appendKey(b []byte, key string) []byte { return append(AppendString(b, key), ": "...) }

// AppendString appends a string in a form that is valid in both JSON and TOML.
func AppendString(b []byte, s string) []byte {
	// Encoding a string cannot fail: invalid UTF-8 is replaced.
	text, _ := Marshal(s, "")
	return append(b, bytes.ReplaceAll(text, []byte{0x7f}, []byte(`\u007f`))...)
}

// Marshal is like [json.Marshal] but does not escape HTML characters. If indent is set, the JSON is
// indented and ends with a newline.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if indent == "" {
		return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
	}
	return b.Bytes(), nil
}
