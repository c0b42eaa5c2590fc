package definition

import (
	"encoding/json"
)

// Frontmatter holds a definition's fields in file order. In JSON it is an object whose keys are
// spelled as in the file. List fields are always arrays, string fields stay strings (version 1.0 is
// "1.0"), and unknown fields keep their own type.
type Frontmatter struct {
	Entries []Entry
	// JSON is the encoded object, or nil if there are no fields.
	JSON json.RawMessage
}

// Keys returns the keys, spelled as in the file.
func (f Frontmatter) Keys() []string {
	var keys []string
	for i := range f.Entries {
		keys = append(keys, f.Entries[i].Key)
	}
	return keys
}

// Text returns the value for a key, formatted by [Flat], or "" if the key is missing.
func (f Frontmatter) Text(key string) string {
	for i := range f.Entries {
		if f.Entries[i].Key == key {
			return Flat(&f.Entries[i].Value)
		}
	}
	return ""
}

// MarshalJSON encodes the fields as an object.
func (f Frontmatter) MarshalJSON() ([]byte, error) {
	if f.JSON == nil {
		return []byte("{}"), nil
	}
	return f.JSON, nil
}
