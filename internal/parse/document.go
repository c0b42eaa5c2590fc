package parse

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// Document is the result of parsing a complete definition file.
type Document struct {
	// File is the file's content and display path.
	File *diag.File
	// Entries are the frontmatter entries in file order.
	Entries []definition.Entry
	// Frontmatter is the frontmatter's text without its delimiters. For a TOML definition, it is
	// the whole file.
	Frontmatter string
	// Body is the text after the frontmatter. BodyAt is its offset in the file, or -1 if the body
	// is the value of a field.
	Body   string
	BodyAt int
	// Diagnostics holds the problems in the frontmatter.
	Diagnostics []diag.Diagnostic
}

// File parses a definition's complete file, including the body.
func File(d *definition.Definition, data []byte, p *host.Profile) Document {
	doc := Document{File: diag.NewFile(d.Origin.Path, data)}
	switch d.Format {
	case definition.TOML:
		parsed, found := frontmatter.ParseTOML(doc.File)
		doc.Entries, doc.Diagnostics = parsed.Entries, found
		doc.Frontmatter, doc.Body, doc.BodyAt = string(data), Prompt(parsed.Entries), -1
	case definition.Script:
		parsed, found := frontmatter.ParseScript(doc.File)
		doc.Entries, doc.Diagnostics = parsed.Entries, found
		doc.Body = string(data)
	case definition.Package:
		doc.Body, doc.BodyAt = d.Fields.Inline(), -1
	default:
		parsed, found := frontmatter.Parse(doc.File, false, p.Dialect.For(d.Kind))
		doc.Diagnostics = found
		if parsed.Valid || p.PartOfBroken {
			doc.Entries = parsed.Entries
		}
		if parsed.Found {
			doc.Frontmatter = string(data[parsed.Text.Start:parsed.Text.End])
		}
		doc.BodyAt = parsed.Body
		rest := data[parsed.Body:]
		if parsed.Body == 0 {
			rest = bytes.TrimPrefix(rest, []byte("\ufeff"))
			doc.BodyAt = len(data) - len(rest)
		}
		doc.Body = strings.ToValidUTF8(string(rest), "\ufffd")
	}
	return doc
}
