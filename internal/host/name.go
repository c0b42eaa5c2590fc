package host

import (
	"github.com/vadehq/vade/definition"
)

// NameRule describes how a host derives a definition's name. The zero value accepts every
// written name and otherwise uses the name from the file's path.
type NameRule struct {
	// Clean converts a written name to the host's form. nil leaves the name unchanged. Clean is a
	// pure function. The result "" means that there is no name.
	Clean func(string) string
	// Place converts each part of a name that comes from the file's path: the directory, or the
	// parts of the path without its suffix.
	Place func(string) string
	// PlaceFits means that a name from the path must satisfy the rules of the name field, and
	// that Clean applies to it too.
	PlaceFits bool
	// Join separates the parts of a path in a name. "" means a colon.
	Join string
	// Max is the maximum length of the name including prefixes, in code points; 0 means no limit.
	// If MaxPrefixed is not 0, it replaces Max for names with a prefix. Long is the outcome for
	// longer names.
	Max, MaxPrefixed int
	Long             Outcome
	// SameDir means that a name in the frontmatter must equal the directory name. Other is the
	// outcome if it does not: Drops, Warns, or Ignores, which uses the directory name.
	SameDir bool
	Other   Outcome
}

// Missing is the substitute for a missing description.
type Missing uint8

// The substitutes.
const (
	// MissingLine uses the first line of the body, as the profile's ProseLine defines it, or
	// EmptyText.
	MissingLine Missing = iota
	// MissingText uses the first three lines of the body that are not headings, or "".
	MissingText
	// MissingNothing uses an empty description.
	MissingNothing
)

// DescriptionRule describes how a host processes descriptions.
type DescriptionRule struct {
	// Clean converts a written description to the host's text. nil trims whitespace. Clean is a
	// pure function.
	Clean func(string) string
	// CleanInPlugin replaces Clean for the definitions of plugins. nil means that Clean applies.
	CleanInPlugin func(string) string
	Missing       Missing
	// LineMax is the maximum length of the lines that replace a description, in UTF-16 units; 0
	// means no limit. With MissingLine, it includes the "..." that ends a truncated line.
	LineMax int
	// Default returns the text to use if there is no substitute. nil means the profile's
	// EmptyText.
	Default func(*definition.Definition) string
}

// AsWritten returns text unchanged.
func AsWritten(s string) string { return s }

// NameRules returns the rule for the names of a kind.
func (p *Profile) NameRules(k definition.Kind) NameRule {
	if p.Naming == nil {
		return NameRule{}
	}
	return p.Naming(k)
}

// DescriptionRules returns the rule for the descriptions of a kind.
func (p *Profile) DescriptionRules(k definition.Kind) DescriptionRule {
	if p.Described == nil {
		return DescriptionRule{}
	}
	return p.Described(k)
}
