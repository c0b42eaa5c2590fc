package host

import "github.com/vadehq/vade/definition"

// ValueType is a set of kinds of YAML value.
type ValueType uint8

// The kinds of value that a field may have.
const (
	TakesText ValueType = 1 << iota
	TakesNumber
	TakesBool
	TakesList
	TakesMap
	TakesNull

	// TakesScalar is any of the plain values, TakesAny anything.
	TakesScalar = TakesText | TakesNumber | TakesBool
	TakesAny    = TakesScalar | TakesList | TakesMap | TakesNull
)

// TakesKind is the bit of a value's kind.
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

// Outcome is what a host does with a value that a field can not have.
type Outcome uint8

// The outcomes.
const (
	// Ignores: the field counts as absent.
	Ignores Outcome = iota
	// Drops: the definition is not loaded.
	Drops
	// Cuts: what is too long is cut.
	Cuts
	// Coerces: the value is turned into text.
	Coerces
	// Quotes: the text that stands in the file is taken, whatever YAML makes of it.
	Quotes
	// Warns: the value is taken, and the host says that it should be another.
	Warns
)

var outcomeNames = [...]string{"ignored", "dropped", "cut", "coerced", "quoted", "warned of"}

// String returns the word for the outcome.
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText makes an outcome a word in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// FieldRule is one field of the frontmatter of a kind as a host takes it.
type FieldRule struct {
	// Key is the spelling that the host takes.
	Key string
	// Field is Vade's field, 0 where Vade has no use for it but keeps it.
	Field definition.Field
	// Takes are the kinds of value, Type what becomes of any other. A null that it
	// does not take has another type; one that it takes counts as absent.
	Takes ValueType
	Type  Outcome
	// Items are the kinds of value that a list or map may hold, 0 for all; Type is
	// what becomes of another. With ItemKey only that key of a map is held to it.
	Items   ValueType
	ItemKey string
	// Disables: true switches the definition off.
	Disables bool
	// Required: without the field the definition is not loaded. A text that is
	// empty, or blank, counts as absent unless Blank. A field of the key Unless
	// takes its place. InTOML: it is for TOML files, where Markdown has its body.
	Required, Blank, InTOML bool
	Unless                  string
	// Whole: a number has to be whole and above zero. Filled: a text that is there
	// may not be empty or blank; Type is what becomes of one.
	Whole, Filled bool
	// Max is the greatest length in code points, 0 for none, Long what becomes of
	// what is longer, and Mark the end of what is cut, within Max.
	Max  int
	Long Outcome
	Mark string
	// Words are the only values that a text may have; Pattern is a regular
	// expression (RE2, and ECMA-262 alike) that a text has to match whole. Bad is
	// what becomes of another.
	Words   []string
	Pattern string
	Bad     Outcome
	// Inert: the host knows the field and does nothing with it.
	Inert bool
	// About says in a few words what the field is for.
	About string
	Basis Basis
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

// Table returns the fields of a kind for people and editors: those of the host,
// or, where it has no table, those that Vade knows. It is empty for a kind that
// the host has not got, or that has no frontmatter there.
func (p *Profile) Table(k definition.Kind) []FieldRule {
	if p.Fields == nil {
		return neutralFields(k)
	}
	return p.Fields(k)
}

// IsClosed reports whether a key that the table has not got makes the host not
// load a definition of the kind.
func (p *Profile) IsClosed(k definition.Kind) bool { return p.Closed != nil && p.Closed(k) }
