package frontmatter

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// ParseYAML decodes a file that is one YAML map from its first byte to its
// last. Nothing is repaired: a key that stands twice, an anchor, a tag or a
// control character makes the document invalid. Entries of an invalid document
// are those that can be read on their own; whoever must not act on half a file
// looks at Valid first. Spans are byte offsets in f.
func ParseYAML(f *diag.File) (Document, []diag.Diagnostic) {
	size := len(f.Data)
	text := bytes.TrimPrefix(f.Data, []byte(bom))
	doc := Document{Block: Block{Found: true, Text: diag.Span{Start: size - len(text), End: size}, Body: size}}
	r := reader{f: f, base: doc.Text.Start, d: host.Dialect{}, valid: true}
	doc.Entries = r.read(text)
	doc.Valid = r.valid
	words := strings.NewReplacer("in frontmatter", "in this file", "this frontmatter", "this file", "in the frontmatter", "in the file", "the frontmatter", "the file")
	for i := range r.diags {
		r.diags[i].Message = words.Replace(r.diags[i].Message)
	}
	return doc, r.diags
}
