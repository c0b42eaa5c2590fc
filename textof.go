package vade

import (
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/source"
)

// textOf reads a text as the neutral view does.
func textOf(name string, data []byte) check.Text {
	doc, _ := frontmatter.Parse(source.New(name, data), false, host.NeutralDialect())
	return check.Text{Entries: doc.Entries, Body: string(data[min(doc.Body, len(data)):]), Valid: doc.Valid}
}
