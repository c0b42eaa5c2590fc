package policy

import _ "embed"

//go:embed policy.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) for policy files, for use in editors. A file that
// matches the schema may still contain errors that only [ParseFile] detects.
func Schema() []byte { return []byte(schema) }
