package definition

import (
	"slices"
	"strconv"

	"github.com/vadehq/vade/diag"
)

// ValueKind is a frontmatter value's type.
type ValueKind uint8

// The value types. A scalar keeps its source text: a date stays a string, and 1.0 stays "1.0".
const (
	Null ValueKind = iota
	String
	Bool
	Number
	List
	Map
)

var valueKindNames = [...]string{"null", "string", "boolean", "number", "list", "map"}

// String returns the type's name.
func (k ValueKind) String() string { return valueKindNames[k] }

// Value is a frontmatter value and its position in the file.
type Value struct {
	Kind ValueKind
	// Text is a scalar's text after unquoting and folding.
	Text string
	// Plain reports whether a scalar is written without quotes or a block indicator.
	Plain bool
	Items []Value
	Pairs []Entry
	Span  diag.Span
}

// StringValue returns a string value without a position. The functions below return values of other
// types.
func StringValue(s string) Value { return Value{Kind: String, Text: s} }

// BoolValue returns a boolean.
func BoolValue(on bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(on), Plain: true} }

// ListValue returns a list of strings.
func ListValue(words []string) Value {
	v := Value{Kind: List}
	for _, w := range words {
		v.Items = append(v.Items, StringValue(w))
	}
	return v
}

// Entry is a key-value pair in a map.
type Entry struct {
	Key     string
	KeySpan diag.Span
	Value   Value
}

// Equal reports whether two values are equal, ignoring positions and quotes.
func (v Value) Equal(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && slices.EqualFunc(v.Items, w.Items, Value.Equal) &&
		slices.EqualFunc(v.Pairs, w.Pairs, func(a, b Entry) bool { return a.Key == b.Key && a.Value.Equal(b.Value) })
}

// Pair returns the value for a key in a map, or the zero value if the key is missing.
func (v *Value) Pair(key string) Value {
	for i := range v.Pairs {
		if v.Pairs[i].Key == key {
			return v.Pairs[i].Value
		}
	}
	return Value{}
}
