package frontmatter

import (
	"encoding/json"
	"errors"
	"strconv"
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
	b, err := appendPairs(nil, doc.Entries)
	return b, err
}

// notVerbatim is the first reason for which a block can not be read as it stands.
func notVerbatim(diags []diag.Diagnostic) error {
	for _, d := range diags {
		if d.Severity == diag.Error {
			return errors.New("line " + strconv.Itoa(d.Line) + ": " + d.Message)
		}
	}
	for _, d := range diags {
		return errors.New("line " + strconv.Itoa(d.Line) + ": " + d.Message)
	}
	return errors.New("the frontmatter is not valid YAML")
}

func appendPairs(b []byte, pairs []definition.Entry) ([]byte, error) {
	b = append(b, '{')
	for i := range pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONText(b, pairs[i].Key), ':')
		var err error
		if b, err = appendVerbatim(b, &pairs[i].Value); err != nil {
			return nil, errors.New(pairs[i].Key + ": " + err.Error())
		}
	}
	return append(b, '}'), nil
}

func appendVerbatim(b []byte, v *definition.Value) ([]byte, error) {
	switch v.Kind {
	case definition.Null:
		return append(b, "null"...), nil
	case definition.Bool:
		return strconv.AppendBool(b, strings.EqualFold(v.Text, "true")), nil
	case definition.Number:
		text := v.Text
		if !json.Valid([]byte(text)) {
			text = ScriptNumber(text)
		}
		if !json.Valid([]byte(text)) {
			return nil, errors.New(v.Text + " is no number that JSON has")
		}
		return append(b, text...), nil
	case definition.List:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = appendVerbatim(b, &v.Items[i]); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case definition.Map:
		return appendPairs(b, v.Pairs)
	}
	return appendJSONText(b, v.Text), nil
}

func appendJSONText(b []byte, s string) []byte {
	// A text is always JSON.
	text, _ := json.Marshal(s)
	return append(b, text...)
}
