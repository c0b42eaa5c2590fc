package frontmatter

import "go.yaml.in/yaml/v4"

// Unmarshal decodes a YAML file of Vade's own into a struct with yaml tags. Files that people or
// hosts write are read with [ParseYAML], which keeps positions.
func Unmarshal(data []byte, v any) error { return yaml.Unmarshal(data, v) }

// Marshal encodes a struct with yaml tags.
func Marshal(v any) ([]byte, error) { return yaml.Marshal(v) }
