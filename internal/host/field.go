package host

import (
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/chars"
)

// ValueType is a set of YAML value kinds.
type ValueType uint8

// Kinds of values that a field may accept.
const (
	TakesText ValueType = 1 << iota
	TakesNumber
	TakesBool
	TakesList
	TakesMap
	TakesNull

	// TakesScalar accepts any scalar except null, and TakesAny accepts any value.
	TakesScalar = TakesText | TakesNumber | TakesBool
	TakesAny    = TakesScalar | TakesList | TakesMap | TakesNull
)

// TakesKind returns the bit for a value kind.
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

// Outcome determines how a host handles an invalid value.
type Outcome uint8

const (
	// Ignores means that the field is treated as absent.
	Ignores Outcome = iota
	// Drops means that the definition is not loaded.
	Drops
	// Cuts means that an overlong value is truncated.
	Cuts
	// Coerces means that the value is converted to a string.
	Coerces
	// Quotes means that the host uses the literal text in the file, regardless of its YAML type.
	Quotes
	// Warns means that the host uses the value but warns about it.
	Warns
)

var outcomeNames = [...]string{"ignored", "dropped", "cut", "coerced", "quoted", "warned of"}

// String returns the outcome's name.
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText encodes an outcome as its name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// FieldRule describes how a host treats a frontmatter field in files of one kind.
type FieldRule struct {
	// Key is the field name that the host accepts.
	Key string
	// Field is the corresponding Vade field, or 0 if Vade keeps the field but does not use it.
	Field definition.Field
	// Takes is the set of accepted kinds of values, and Type determines what happens to values of
	// other kinds. If Takes includes null, a null value is treated as absent.
	Takes ValueType
	Type  Outcome
	// Items is the set of accepted kinds of values in a list or map; 0 means all. Type determines
	// what happens to values of other kinds. If ItemKey is set, Items applies only to the value of
	// that key in a map.
	Items   ValueType
	ItemKey string
	// Members returns the rules for the members of a map value. Type determines what happens if a
	// member is missing or has the wrong type. If Members is nil, there are no such rules.
	Members func(value *definition.Value) []FieldRule
	// Disables is set if the value true disables the definition.
	Disables bool
	// If Required is set, a definition without the field is dropped. An empty or whitespace-only
	// string is treated as absent unless Blank is set. Unless is the key of another field that
	// satisfies the requirement. If InTOML is set, the field is required only in TOML files, since
	// the body of a Markdown file replaces it.
	Required, Blank, InTOML bool
	Unless                  string
	// If Whole is set, a number must be a positive integer. If Filled is set, a string must contain
	// a non-whitespace character. Type determines what happens to other values.
	Whole, Filled bool
	// Max is the maximum length, in UTF-16 units if UTF16 is set and in code points otherwise; 0
	// means no limit. Long determines what happens to longer values. Mark is appended to a
	// truncated value and counts toward Max.
	Max   int
	UTF16 bool
	Long  Outcome
	Mark  string
	// Words lists the valid strings; if it is empty, all strings are valid. Pattern is a regular
	// expression, valid in both RE2 and ECMA-262, that must match the whole string, or each item in
	// a list. Bad determines what happens to other values.
	Words   []string
	Pattern string
	Bad     Outcome
	// Inert is set if the host accepts the field but ignores it.
	Inert bool
	// About describes the field's purpose in a few words.
	About string
	Basis Basis
}

// Length returns a value's length in the units of Max.
func (r *FieldRule) Length(value string) int {
	if r.UTF16 {
		return chars.UTF16Length(value)
	}
	return utf8.RuneCountInString(value)
}

// TooLong reports whether a value is longer than Max.
func (r *FieldRule) TooLong(value string) bool { return r.Max > 0 && r.Length(value) > r.Max }

// Shorten truncates a value that is longer than Max and appends mark. The result, including mark,
// is at most Max long.
func (r *FieldRule) Shorten(value, mark string) string {
	if r.UTF16 {
		return chars.ShortenUTF16(value, r.Max, mark, "")
	}
	return chars.Shorten(value, r.Max, mark)
}

// Rule returns the rule for a key in files of kind k, and whether there is one.
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

// Table returns the rules for the fields that files of kind k may have. They are displayed to users
// and provided to editors. If the host has no rules, Table returns Vade's own. The result is empty
// if the host does not support the kind or if files of that kind have no frontmatter.
func (p *Profile) Table(k definition.Kind) []FieldRule {
	if p.Fields == nil {
		return neutralFields(k)
	}
	return p.Fields(k)
}

// IsClosed reports whether the host refuses to load a definition of kind k that has an unknown key.
func (p *Profile) IsClosed(k definition.Kind) bool { return p.Closed != nil && p.Closed(k) }
