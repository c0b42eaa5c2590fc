// Package frontmatter parses the block of fields at the start of a definition file. It finds the
// block and decodes its YAML into [definition.Entry] values, which hold the source text and byte
// spans. It also decodes definition files that consist entirely of TOML. If the host repairs common
// mistakes, the package does the same.
//
// [Parse], [ParseTOML] and [ParseScript] are the entry points. [Split] finds the block. The
// functions in coerce.go convert a value to its field's type. [Write] and [WriteTOML] format
// entries.
//
// The package never panics and reports everything that it drops. If an entry cannot be parsed, only
// that entry is lost, never the file.
package frontmatter
