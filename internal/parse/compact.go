package parse

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// storage allocates definitions and their strings in blocks. A catalog may hold hundreds of
// thousands of definitions for its entire lifetime. With individual allocations, fragmentation
// would waste most of the memory.
type storage struct {
	definitions []definition.Definition
	texts       strings.Builder
	header      header
}

// Block sizes. They are small because a command that reads a single definition
// also allocates a block.
const (
	definitionBlock = 24
	textBlock       = 8 << 10
)

func (st *storage) definition() *definition.Definition {
	if len(st.definitions) == 0 {
		st.definitions = make([]definition.Definition, definitionBlock)
	}
	d := &st.definitions[0]
	st.definitions = st.definitions[1:]
	return d
}

// clone copies a string into a block.
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

// compact copies a definition's strings and makes equal strings share memory. The text that they
// were parsed from, such as the whole frontmatter, can then be freed.
func (st *storage) compact(d *definition.Definition) {
	real := st.clone(d.Origin.Real)
	d.Origin.Real = real
	d.Origin.Path = part(real, d.Origin.Path)
	d.Name = st.share(real, d.Name)
	d.Fields.Name = st.share(d.Name, d.Fields.Name)
	if d.Title = part(d.Name, d.Title); d.Title != d.Name {
		d.Title = st.share(d.Fields.Name, d.Title)
	}
	d.Description = st.clone(d.Description)
	d.Fields.Description = st.share(d.Description, d.Fields.Description)
	d.Fields.Compact(st.clone)
}

// part returns the last substring of another string that is equal to s, so that s can share the
// other string's memory. If there is no such substring, part returns s itself.
func part(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return s
}

// share returns the last substring of another string that is equal to s, so that s can share the
// other string's memory. If there is no such substring, share returns a copy of s.
func (st *storage) share(of, s string) string {
	if at := strings.LastIndex(of, s); at >= 0 {
		return of[at : at+len(s)]
	}
	return st.clone(s)
}
