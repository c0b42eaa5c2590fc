package diag

import (
	"encoding/json"
	"errors"
)

// ForJSON returns the diagnostic of a file that is not the JSON that it should be,
// at the place that the error of encoding/json names.
func ForJSON(path string, data []byte, err error) Diagnostic {
	at := 0
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset) - 1
	case errors.As(err, &typ):
		at = int(typ.Offset) - 1
	}
	at = max(at, 0)
	return At(NewFile(path, data), Span{Start: at, End: at + 1}, JSONInvalid, "the file is not the JSON that it should be: %v", err).
		WithFix("correct the file; until then nothing of it is used")
}
