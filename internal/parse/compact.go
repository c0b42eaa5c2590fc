package parse

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// compact makes the texts of a definition its own, and parts of each other where they
// are the same. What they were read from, such as the whole frontmatter, is then not
// kept for the sake of a few words of it.
func compact(d *definition.Definition) {
	real := d.Origin.Real
	d.Origin.Path = part(real, d.Origin.Path)
	d.Name = own(real, d.Name)
	d.Fields.Name = own(d.Name, d.Fields.Name)
	if d.Title = part(d.Name, d.Title); d.Title != d.Name {
		d.Title = own(d.Fields.Name, d.Title)
	}
	d.Description = strings.Clone(d.Description)
	d.Fields.Description = own(d.Description, d.Fields.Description)
	d.Fields.Compact()
}

// part returns a text as a part of another where it is one.
func part(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return s
}

// own returns a text as a part of another, or by itself.
func own(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return strings.Clone(s)
}
