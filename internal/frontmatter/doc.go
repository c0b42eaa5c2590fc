// Package frontmatter parses the block of fields at the start of a definition file. It finds the
// block, decodes its YAML (or a whole TOML file) into [definition.Entry] values with source text
// and byte spans, and repairs common mistakes that the host also repairs.
//
// [Parse] and [ParseTOML] are the entry points. [Split] finds the block. The functions in coerce.go
// convert a value to its field's type.
//
// The package never panics and reports everything that it drops. If an entry cannot be parsed, only
// that entry is lost, never the file.
package frontmatter
