package definition

import (
	"encoding/json"
)

// Frontmatter holds the fields of a definition in file order. In JSON it is an object with the
// keys as written. List fields are arrays regardless of how they were written, string fields stay
// strings (version 1.0 is "1.0"), and unknown fields keep their own type.
type Frontmatter struct {
	Entries []Entry
	// JSON is the encoded object.
	JSON json.RawMessage
}

// Keys returns the keys as written.
func (f Frontmatter) Keys() []string {
	var keys []string
	for i := range f.Entries {
		keys = append(keys, f.Entries[i].Key)
	}
	return keys
}

// Text returns the value of a key as a string. List items are joined with commas.
func (f Frontmatter) Text(key string) string {
	for i := range f.Entries {
		if f.Entries[i].Key == key {
			return Flat(&f.Entries[i].Value)
		}
	}
	return ""
}

// MarshalJSON encodes the fields as an object.
func (f Frontmatter) MarshalJSON() ([]byte, error) { return f.JSON, nil }
