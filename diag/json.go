package diag

import (
	"encoding/json"
	"errors"
	"strings"
)

// ForJSON returns a diagnostic for invalid JSON. The message and the position come from err, which
// must be an error returned by encoding/json.
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
	return At(NewFile(path, data), Span{Start: at, End: at + 1}, JSONInvalid, "invalid JSON: %s", JSONProblem(err)).
		WithFix("fix the JSON; Vade ignores the file until it is valid")
}

// JSONProblem describes an error from encoding/json without naming Go types.
func JSONProblem(err error) string {
	typ, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err.Error()
	case typ.Field == "":
		return "unexpected " + typ.Value
	}
	return "unexpected " + typ.Value + " in " + strings.ToLower(typ.Field[:1]) + typ.Field[1:]
}
