package host

import (
	"github.com/vadehq/vade/definition"
)

// NameRule describes how a host derives a definition's name. The zero value means that a name
// written in the file is used without changes and that, without such a name, the name comes from
// the file's path.
type NameRule struct {
	// Clean converts a name that is written in a file to the host's form. If Clean is nil, the name
	// is not changed. If Clean returns "", the file is treated as having no name. Clean is a pure
	// function.
	Clean func(string) string
	// Place converts each part of a name derived from the file's path. The parts are either the
	// directory name or the elements of the path without its suffix.
	Place func(string) string
	// If PlaceFits is set, a name derived from the path must satisfy the name field's rules, and
	// Clean is applied to it.
	PlaceFits bool
	// Join separates the path elements in a name; "" means a colon.
	Join string
	// Max is the maximum length of the name including prefixes, in code points; 0 means no limit.
	// MaxPrefixed, if not 0, replaces Max for names with a prefix. Long determines what happens to
	// longer names.
	Max, MaxPrefixed int
	Long             Outcome
	// If SameDir is set, a name in the frontmatter must match the directory name. Other determines
	// what happens if it does not: Drops, Warns or Ignores. If Other is Ignores, the directory name
	// is used.
	SameDir bool
	Other   Outcome
}

// Missing determines what replaces a missing description.
type Missing uint8

const (
	// MissingLine uses the body's first line, as defined by the profile's ProseLine. If there is
	// none, it uses EmptyText.
	MissingLine Missing = iota
	// MissingText uses the body's first three lines that are not headings, or "".
	MissingText
	// MissingNothing leaves the description empty.
	MissingNothing
)

// DescriptionRule describes how a host processes descriptions.
type DescriptionRule struct {
	// Clean converts a description that is written in a file to the host's form. If Clean is nil,
	// whitespace around the description is removed. Clean is a pure function.
	Clean func(string) string
	// CleanInPlugin replaces Clean for plugins' definitions. nil means that Clean applies.
	CleanInPlugin func(string) string
	Missing       Missing
	// LineMax is the maximum length of the lines that replace a description, in UTF-16 units; 0
	// means no limit. With MissingLine, it includes the "..." that ends a truncated line.
	LineMax int
	// Default returns the description to use if the body has no text that could replace a missing
	// one. If Default is nil, [Profile.EmptyText] is used.
	Default func(*definition.Definition) string
}

// AsWritten returns text unchanged.
func AsWritten(s string) string { return s }

// NameRules returns the naming rule for definitions of kind k.
func (p *Profile) NameRules(k definition.Kind) NameRule {
	if p.Naming == nil {
		return NameRule{}
	}
	return p.Naming(k)
}

// DescriptionRules returns the description rule for definitions of kind k.
func (p *Profile) DescriptionRules(k definition.Kind) DescriptionRule {
	if p.Described == nil {
		return DescriptionRule{}
	}
	return p.Described(k)
}
