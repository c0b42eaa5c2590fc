package frontmatter

import "go.yaml.in/yaml/v4"

// Unmarshal decodes one of Vade's own YAML files into a struct with yaml tags.
// For files written by people or hosts, use [ParseYAML], which keeps positions.
func Unmarshal(data []byte, v any) error { return yaml.Unmarshal(data, v) }

// Marshal encodes a struct with yaml tags as YAML.
func Marshal(v any) ([]byte, error) { return yaml.Marshal(v) }
