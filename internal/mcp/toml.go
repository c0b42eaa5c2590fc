package mcp

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/frontmatter"
)

// AppendTOML appends an entry as a table under key's table, as [Write] does.
func AppendTOML(b []byte, key, name string, entry definition.Value) []byte {
	return appendTOML(b, key, definition.Value{Kind: definition.Map, Pairs: []definition.Entry{{Key: name, Value: entry}}})
}

// appendTOML appends a table for each member of a map. Blank lines separate the tables.
func appendTOML(b []byte, key string, all definition.Value) []byte {
	for i, server := range all.Pairs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, "["+frontmatter.TOMLKey(key)+"."+frontmatter.TOMLKey(server.Key)+"]\n"...)
		for _, p := range server.Value.Pairs {
			if p.Value.Kind == definition.Null {
				continue
			}
			b = append(b, frontmatter.TOMLKey(p.Key)+" = "+frontmatter.TOMLValue(p.Value)+"\n"...)
		}
	}
	return b
}
