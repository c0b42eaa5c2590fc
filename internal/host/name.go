package host

import (
	"github.com/vadehq/vade/definition"
)

// NameRule says how a host comes to the name of a definition. The zero value
// takes every name as it is written, and the place of the file where there is
// none.
type NameRule struct {
	// Clean makes the host's name of the one that is written; nil leaves it. It is
	// a pure function, and "" counts as no name.
	Clean func(string) string
	// Place does the same with each part of the name that the place of the file
	// gives: the directory, or the parts of a path without its ending.
	Place func(string) string
	// PlaceFits: such a name is held to what the field of the name has to be, and
	// Clean goes over it too.
	PlaceFits bool
	// Join stands between the parts of a path in a name; "" is the colon.
	Join string
	// Max is the greatest length of the name with all that stands before it, in
	// code points, 0 for none, and Long what becomes of a longer one.
	Max  int
	Long Outcome
	// SameDir: a name in the frontmatter has to be that of the directory. Other is
	// what becomes of one that is not: Drops, Warns, or Ignores, which takes the
	// directory's name.
	SameDir bool
	Other   Outcome
}

// Missing says what stands in for a description that is not written.
type Missing uint8

// The ways.
const (
	// MissingLine: the first line of the body, as the profile's ProseLine says,
	// or its EmptyText.
	MissingLine Missing = iota
	// MissingText: the first line of the body that is no heading, or "".
	MissingText
	// MissingNothing: "".
	MissingNothing
)

// DescriptionRule says what a host makes of descriptions.
type DescriptionRule struct {
	// Clean makes the host's text of the one that is written; nil takes the blanks
	// from both ends. It is a pure function.
	Clean   func(string) string
	Missing Missing
	// Default is the text where nothing stands in, made of the name of the file;
	// nil is the profile's EmptyText.
	Default func(file string) string
}

// AsWritten leaves a text as it is.
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
