package schema

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tidy improves the schema generated from a result's Go type. It allows additional object members,
// because newer versions may add some. It allows null only for required members that are objects:
// lists are never null, and other members are omitted instead.
func Tidy(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for name, p := range s.Properties {
		if p.Ref != "" && slices.Contains(p.Types, "null") && slices.Contains(s.Required, name) {
			s.Properties[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}}
		}
		Tidy(p)
	}
	for _, t := range s.Types {
		if t != "null" && s.Ref == "" {
			s.Type = t
		}
	}
	s.Types = nil
	Tidy(s.Items)
	Tidy(s.AdditionalProperties)
}
