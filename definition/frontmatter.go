package definition

import (
	"encoding/json"
)

// Frontmatter are the fields of a definition in the order of its file. In JSON
// it is an object with the keys as they are written: fields that are lists are
// lists in whatever form they were written, text stays text (a version of 1.0
// is "1.0"), and what is not known keeps its own type.
type Frontmatter struct {
	Entries []Entry
	// JSON is the object.
	JSON json.RawMessage
}

// Keys returns the keys as they are written.
func (f Frontmatter) Keys() []string {
	var keys []string
	for i := range f.Entries {
		keys = append(keys, f.Entries[i].Key)
	}
	return keys
}

// Text returns the value of a key as text: of a list, its items with commas
// between them.
func (f Frontmatter) Text(key string) string {
	for i := range f.Entries {
		if f.Entries[i].Key == key {
			return Flat(&f.Entries[i].Value)
		}
	}
	return ""
}

// MarshalJSON writes the fields as an object.
func (f Frontmatter) MarshalJSON() ([]byte, error) { return f.JSON, nil }
