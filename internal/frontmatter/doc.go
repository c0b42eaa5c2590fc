// Package frontmatter parses the block of fields at the start of a definition file. It
// finds the block, decodes its YAML (or a whole TOML file) into [definition.Entry] values
// with source text and byte spans, and repairs common mistakes if the host does so too.
//
// [Parse] and [ParseTOML] are the entry points. [Split] finds the block. The functions in
// coerce.go convert one value to the type of its field.
//
// The package never panics and reports everything that it drops. An entry that cannot be
// parsed costs only that entry, never the file.
package frontmatter
