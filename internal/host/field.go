package host

import (
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
)

// ValueType is a set of YAML value kinds.
type ValueType uint8

// The kinds of value that a field may accept.
const (
	TakesText ValueType = 1 << iota
	TakesNumber
	TakesBool
	TakesList
	TakesMap
	TakesNull

	// TakesScalar is any plain value, TakesAny any value.
	TakesScalar = TakesText | TakesNumber | TakesBool
	TakesAny    = TakesScalar | TakesList | TakesMap | TakesNull
)

// TakesKind returns the bit of a value kind.
func TakesKind(k definition.ValueKind) ValueType {
	switch k {
	case definition.String:
		return TakesText
	case definition.Bool:
		return TakesBool
	case definition.Number:
		return TakesNumber
	case definition.List:
		return TakesList
	case definition.Map:
		return TakesMap
	}
	return TakesNull
}

// Outcome is what a host does with an invalid value.
type Outcome uint8

// The outcomes.
const (
	// Ignores: the field counts as absent.
	Ignores Outcome = iota
	// Drops: the definition is not loaded.
	Drops
	// Cuts: a value that is too long is truncated.
	Cuts
	// Coerces: the value is converted to a string.
	Coerces
	// Quotes: the literal text in the file is used, whatever YAML type it has.
	Quotes
	// Warns: the value is used, and the host warns about it.
	Warns
)

var outcomeNames = [...]string{"ignored", "dropped", "cut", "coerced", "quoted", "warned of"}

// String returns the name of the outcome.
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText encodes an outcome as its name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// FieldRule is how a host treats one frontmatter field of a kind.
type FieldRule struct {
	// Key is the spelling that the host accepts.
	Key string
	// Field is Vade's field, or 0 if Vade keeps the field but does not use it.
	Field definition.Field
	// Takes are the accepted kinds of value, Type what happens to any other. A null that
	// is not accepted has the wrong type; one that is accepted counts as absent.
	Takes ValueType
	Type  Outcome
	// Items are the accepted kinds of value in a list or map, 0 for all. Type is what
	// happens to others. If ItemKey is set, the rule applies to that key of a map only.
	Items   ValueType
	ItemKey string
	// Disables: true disables the definition.
	Disables bool
	// Required: without the field the definition is not loaded. An empty or blank string
	// counts as absent unless Blank is set. A field with the key Unless can replace it.
	// InTOML: the field is for TOML files only; in Markdown the body replaces it.
	Required, Blank, InTOML bool
	Unless                  string
	// Whole: a number must be a positive integer. Filled: a string that is present must
	// not be empty or blank; Type is what happens otherwise.
	Whole, Filled bool
	// Max is the maximum length in code points, or in UTF-16 units with UTF16; 0 for no
	// limit. Long is what happens to longer values. Mark ends a truncated value and counts
	// toward Max.
	Max   int
	UTF16 bool
	Long  Outcome
	Mark  string
	// Words are the only valid strings. Pattern is a regular expression, valid in both
	// RE2 and ECMA-262, that must match the whole string. Bad is what happens to other
	// values.
	Words   []string
	Pattern string
	Bad     Outcome
	// Inert: the host knows the field but ignores it.
	Inert bool
	// About describes the purpose of the field in a few words.
	About string
	Basis Basis
}

// Length returns the length of a value in the units of Max.
func (r *FieldRule) Length(value string) int {
	if r.UTF16 {
		return chars.UTF16Length(value)
	}
	return utf8.RuneCountInString(value)
}

// Rule returns the rule of a key for a kind.
func (p *Profile) Rule(k definition.Kind, key string) (FieldRule, bool) {
	if p.Fields == nil {
		return FieldRule{}, false
	}
	for _, r := range p.Fields(k) {
		if r.Key == key {
			return r, true
		}
	}
	return FieldRule{}, false
}

// Table returns the fields of a kind for people and editors: the host's, or Vade's if
// the host has no table. It is empty if the host does not have the kind or its files have
// no frontmatter.
func (p *Profile) Table(k definition.Kind) []FieldRule {
	if p.Fields == nil {
		return neutralFields(k)
	}
	return p.Fields(k)
}

// IsClosed reports whether an unknown key prevents the host from loading a definition of
// the kind.
func (p *Profile) IsClosed(k definition.Kind) bool { return p.Closed != nil && p.Closed(k) }
