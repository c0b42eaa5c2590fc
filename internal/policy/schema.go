package policy

import _ "embed"

//go:embed policy.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of a policy file, for editors.
// What it accepts may still have an error that only [ParseFile] sees.
func Schema() []byte { return []byte(schema) }
