package mcp

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/jsonc"
)

// AppendTOML appends one entry as a table below the table of a key, as [Write] does.
func AppendTOML(b []byte, key, name string, entry definition.Value) []byte {
	return appendTOML(b, key, definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: name, Value: entry}}})
}

// appendTOML appends a table for each member of a map, separated by blank lines.
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
	return string(jsonc.AppendString(nil, s))
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
	return jsonc.AppendString(b, v.Text)
}
