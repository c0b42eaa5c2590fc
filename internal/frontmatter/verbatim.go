package frontmatter

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// ErrNoBlock is returned by [Verbatim] for a file without frontmatter.
var ErrNoBlock = errors.New("no frontmatter at the start of the file")

// Verbatim returns a file's frontmatter as a JSON object. It keeps the order of the keys, and each
// value has its YAML core schema type: a list inside a string stays a string, and 1.0 is a number.
// Nothing is repaired or dropped. If another parser could read the block differently, Verbatim
// returns an error.
//
// Programs that have their own frontmatter parser can compare its results with those of Verbatim.
// Verbatim accepts a byte order mark, spaces after the dashes, and "\r\n".
func Verbatim(data []byte) (json.RawMessage, error) {
	f := diag.NewFile("", data)
	doc, diags := Parse(f, false, host.Dialect{Delimiters: host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true}})
	switch {
	case !doc.Found:
		return nil, ErrNoBlock
	case !doc.Valid || doc.Repaired:
		return nil, notVerbatim(diags)
	}
	return jsonOf(&definition.Value{Kind: definition.Map, Pairs: doc.Entries})
}

// notVerbatim returns the first reason why a block cannot be read verbatim.
func notVerbatim(diags []diag.Diagnostic) error {
	if len(diags) == 0 {
		return errors.New("the frontmatter is not valid YAML")
	}
	i := max(0, slices.IndexFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }))
	return fmt.Errorf("line %d: %s", diags[i].Line, diags[i].Message)
}

func jsonOf(v *definition.Value) (json.RawMessage, error) {
	switch v.Kind {
	case definition.Null:
		return json.RawMessage("null"), nil
	case definition.Bool:
		return json.Marshal(strings.EqualFold(v.Text, "true"))
	case definition.Number:
		for _, text := range [...]string{v.Text, ScriptNumber(v.Text)} {
			if json.Valid([]byte(text)) {
				return json.RawMessage(text), nil
			}
		}
		return nil, errors.New(v.Text + " is not a valid JSON number")
	case definition.List:
		items := make([]json.RawMessage, len(v.Items))
		for i := range items {
			var err error
			if items[i], err = jsonOf(&v.Items[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(items)
	case definition.Map:
		b := []byte{'{'}
		for i := range v.Pairs {
			if i > 0 {
				b = append(b, ',')
			}
			// Marshaling a string cannot fail.
			key, _ := json.Marshal(v.Pairs[i].Key)
			value, err := jsonOf(&v.Pairs[i].Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.Pairs[i].Key, err)
			}
			b = append(append(append(b, key...), ':'), value...)
		}
		return append(b, '}'), nil
	}
	return json.Marshal(v.Text)
}
