package parse

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// TOML parses the entries in a TOML settings file. shown is the file's display path.
func TOML(shown string, data []byte) ([]definition.Entry, []diag.Diagnostic) {
	doc, found := frontmatter.ParseTOML(diag.NewFile(shown, data))
	return doc.Entries, found
}

// FieldsJSON returns frontmatter as a JSON object with its keys as written. Values of known fields
// are converted to the field's type: a list written as a string becomes a list, and the version 1.0
// becomes "1.0". Unknown fields and invalid values keep their own type.
func FieldsJSON(entries []definition.Entry) []byte {
	b := []byte{'{'}
	for i := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, entries[i].Key), ':')
		b = appendField(b, &entries[i])
	}
	return append(b, '}')
}

func appendField(b []byte, e *definition.Entry) []byte {
	f := definition.LookupField(e.Key)
	if f == 0 || e.Value.Kind == definition.Null {
		return appendValue(b, &e.Value)
	}
	switch f.Shape() {
	case definition.Text:
		if s, problem := frontmatter.Text(e.Value); problem == "" {
			return appendString(b, s)
		}
	case definition.Hint:
		if s, _ := frontmatter.Hint(e.Value); e.Value.Kind != definition.Map {
			return appendString(b, s)
		}
	case definition.Flag:
		if v, problem := frontmatter.Bool(e.Value); problem == "" {
			return strconv.AppendBool(b, v)
		}
	case definition.Words:
		if list, problem := frontmatter.Strings(e.Value); problem == "" {
			return appendStrings(b, list)
		}
	case definition.Globs:
		if list, problem := frontmatter.Globs(e.Value); problem == "" {
			return appendStrings(b, list)
		}
	}
	return appendValue(b, &e.Value)
}

// appendValue appends a value with its own type. Numbers that are not valid in JSON become strings.
func appendValue(b []byte, v *definition.Value) []byte {
	switch v.Kind {
	case definition.Null:
		return append(b, "null"...)
	case definition.Bool:
		return strconv.AppendBool(b, strings.EqualFold(v.Text, "true"))
	case definition.Number:
		if json.Valid([]byte(v.Text)) {
			return append(b, v.Text...)
		}
	case definition.List:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, &v.Items[i])
		}
		return append(b, ']')
	case definition.Map:
		b = append(b, '{')
		for i := range v.Pairs {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.Pairs[i].Key), ':')
			b = appendValue(b, &v.Pairs[i].Value)
		}
		return append(b, '}')
	}
	return appendString(b, v.Text)
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

func appendString(b []byte, s string) []byte {
	// Marshaling a string cannot fail, because invalid UTF-8 is replaced.
	text, _ := json.Marshal(s)
	return append(b, text...)
}
