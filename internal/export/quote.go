package export

import (
	"bytes"
	"encoding/json"
)

// quote writes a text as a string of JSON, with "<" and "&" as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string can always be written.
	_ = e.Encode(s)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
