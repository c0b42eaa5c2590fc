package policy

import _ "embed"

//go:embed policy.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of a policy file, for editors. A file that
// matches the schema may still contain errors that only [ParseFile] detects.
func Schema() []byte { return []byte(schema) }
