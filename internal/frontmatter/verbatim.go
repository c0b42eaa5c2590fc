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

// ErrNoBlock is the error of [Verbatim] for a file that does not begin with
// frontmatter.
var ErrNoBlock = errors.New("does not begin with frontmatter")

// Verbatim returns the frontmatter of a file as a JSON object: the keys in their
// order and each value by its own YAML type, as a reader of the core schema takes
// it. A list that is written as one text stays a text, and 1.0 is a number. Nothing
// is mended and nothing is left out: the error says what another reader would not
// read alike.
//
// It is for whoever compares the fields with those that he reads from the file
// himself. A byte order mark, blanks behind the dashes and "\r\n" are taken.
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

// notVerbatim is the first reason for which a block can not be read as it stands.
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
		return nil, errors.New(v.Text + " is no number that JSON has")
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
			// A text is always JSON.
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
