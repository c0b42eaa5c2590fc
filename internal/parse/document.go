package parse

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// Document is a definition file as a whole.
type Document struct {
	// File is the content under the path that is shown.
	File *diag.File
	// Entries are the frontmatter's keys in the file's order.
	Entries []definition.Entry
	// Frontmatter is the text of the block without its delimiters.
	Frontmatter string
	// Body is the text behind the frontmatter; BodyAt is where it begins in
	// the file, -1 where it is a value in it.
	Body   string
	BodyAt int
	// Diagnostics are those of reading the frontmatter.
	Diagnostics []diag.Diagnostic
}

// File reads a whole file that the head of was parsed before.
func File(d *definition.Definition, data []byte, p *host.Profile) Document {
	doc := Document{File: diag.NewFile(d.Origin.Path, data)}
	switch d.Format {
	case definition.TOML:
		parsed, found := frontmatter.ParseTOML(doc.File)
		doc.Entries, doc.Diagnostics = parsed.Entries, found
		doc.Frontmatter, doc.Body, doc.BodyAt = string(data), Prompt(parsed.Entries), -1
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
