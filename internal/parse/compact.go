package parse

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// storage allocates definitions and their texts in blocks: there may be hundreds of
// thousands, which live as long as their catalog, and single allocations would leave most
// of the memory in between unused.
type storage struct {
	definitions []definition.Definition
	texts       strings.Builder
	// header is that of the file that is being read.
	header header
}

// The sizes of the blocks, which a command that reads one definition allocates too.
const (
	definitionBlock = 24
	textBlock       = 8 << 10
)

// definition returns an empty definition.
func (st *storage) definition() *definition.Definition {
	if len(st.definitions) == 0 {
		st.definitions = make([]definition.Definition, definitionBlock)
	}
	d := &st.definitions[0]
	st.definitions = st.definitions[1:]
	return d
}

// clone returns a copy of a text.
func (st *storage) clone(s string) string {
	if len(s) > textBlock/4 {
		return strings.Clone(s)
	}
	if st.texts.Cap()-st.texts.Len() < len(s) {
		st.texts = strings.Builder{}
		st.texts.Grow(textBlock)
	}
	at := st.texts.Len()
	st.texts.WriteString(s)
	return st.texts.String()[at:]
}

// compact makes the texts of a definition its own, and parts of each other where they are
// equal, so that what they were read from, such as the whole frontmatter, is not kept.
func (st *storage) compact(d *definition.Definition) {
	real := st.clone(d.Origin.Real)
	d.Origin.Real = real
	d.Origin.Path = part(real, d.Origin.Path)
	d.Name = st.own(real, d.Name)
	d.Fields.Name = st.own(d.Name, d.Fields.Name)
	if d.Title = part(d.Name, d.Title); d.Title != d.Name {
		d.Title = st.own(d.Fields.Name, d.Title)
	}
	d.Description = st.clone(d.Description)
	d.Fields.Description = st.own(d.Description, d.Fields.Description)
	d.Fields.Compact(st.clone)
}

// part returns a text as a part of another where it is one.
func part(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return s
}

// own returns a text as a part of another, or by itself.
func (st *storage) own(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return st.clone(s)
}
