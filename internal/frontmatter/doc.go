// Package frontmatter reads the block of fields at the head of a definition
// file: it finds the block, decodes its YAML (or a whole TOML file) into
// [definition.Entry] values that keep their source text and byte spans, and
// repairs what people write by hand where the host does so too.
//
// [Parse] and [ParseTOML] are the entry points, [Split] is the part that finds
// the block. The functions in coerce.go read one value as the type that a field
// needs.
//
// Nothing here panics, and nothing is dropped without a diagnostic. An entry
// that cannot be read costs that entry, never the file.
package frontmatter
