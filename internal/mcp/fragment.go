package mcp

import "github.com/vadehq/vade/internal/definition"

// AppendTOML appends one entry as a table below the table of a key, as [Write] does.
func AppendTOML(b []byte, key, name string, entry definition.Value) []byte {
	return appendTOML(b, key, definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: name, Value: entry}}})
}
