package rules

import (
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// TextOf reads a text as the neutral view does.
func TextOf(name string, data []byte) Text {
	doc, _ := frontmatter.Parse(diag.NewFile(name, data), false, host.NeutralDialect())
	return Text{Entries: doc.Entries, Body: string(data[min(doc.Body, len(data)):]), Valid: doc.Valid}
}
