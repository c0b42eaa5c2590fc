package parse

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/discover"
	"github.com/vadehq/vade/internal/host"
)

// Entries returns a parser for definitions that are entries in one of a host's settings files.
// version is Vade's version.
func Entries(p *host.Profile, version string) discover.EntryParser {
	tables := newTables(p)
	return func(row *host.EntryRow, name string, o definition.Origin, data []byte, members definition.Value) *definition.Definition {
		d := &definition.Definition{
			Kind: row.Kind, Format: definition.Package, Name: name, Origin: o,
			Size: int64(members.Span.End - members.Span.Start),
		}
		h := &header{
			found: &discover.Found{Place: &discover.Place{}}, profile: p, table: tables[row.Kind], version: version, d: d,
		}
		fd := decoder{header: h, file: diag.NewFile(o.Path, data)}
		fd.decode(members.Pairs)
		for _, e := range members.Pairs {
			if e.Key == row.Body && e.Value.Kind == definition.String {
				d.Fields.SetInline(e.Value.Text)
			}
		}
		d.Fields.Name, d.Title = name, name
		h.describe(nil)
		h.refuse()
		for i := range d.Diagnostics {
			// Clear the positions, because they are relative to the value and not to the file.
			x := &d.Diagnostics[i]
			x.Line, x.Column, x.EndLine, x.EndColumn, x.Edit, x.Source = 0, 0, 0, 0, nil, ""
		}
		return d
	}
}
