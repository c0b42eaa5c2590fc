package frontmatter

import (
	"bytes"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// plain reads a block by its lines, without YAML: see [host.Dialect.Plain]. The
// last of two equal keys counts. Of what means something else in YAML it is said
// that it does not here.
func (r *reader) plain(text []byte) []definition.Entry {
	var entries []definition.Entry
	text = r.clean(text)
	eachLine(text, func(start, end int) {
		line := string(text[start:end])
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			return
		}
		key, rest, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(key) == "" || strings.ContainsAny(key[:1], " \t-") {
			at := diag.Span{Start: start, End: end}
			r.report(at, diag.FieldValue, "the line begins no field and is not read: values have one line, and lists commas").
				Fix = "write the value on the line of its key, with commas between its parts"
			return
		}
		value := strings.TrimSpace(rest)
		from := start + len(key) + 1 + strings.Index(rest, value)
		e := definition.Entry{
			Key: strings.TrimSpace(key), KeySpan: diag.Span{Start: start, End: start + len(strings.TrimRight(key, " \t"))},
			Value: definition.Value{Kind: lineKind(value), Text: value, Span: diag.Span{Start: from, End: from + len(value)}},
		}
		if value != "" && strings.ContainsAny(value[:1], "\"'[|>") {
			out := r.report(e.Value.Span, diag.FieldValue, "%s: quotes, brackets and signs of a block are part of the value here", e.Key)
			out.Fix = "write the value as it is meant, on one line"
		}
		for i := range entries {
			if entries[i].Key == e.Key {
				entries[i] = e
				return
			}
		}
		if len(entries) < maxPlain {
			entries = append(entries, e)
		}
	})
	relocate(entries, r.inFile)
	return entries
}

// maxPlain is the number of fields of a plain block that are read.
const maxPlain = 200

func lineKind(value string) definition.ValueKind {
	switch value {
	case "":
		return definition.Null
	case "true", "false":
		return definition.Bool
	}
	return definition.String
}

// onlyFields blanks out what begins no field in a block without an end, and what is
// indented below it: a parser that goes on after errors reads the fields
// around it (VS Code, source: yaml.ts).
func (r *reader) onlyFields(text []byte) []byte {
	out, lost, list, first := []byte(nil), false, false, diag.Span{}
	eachLine(text, func(start, end int) {
		line := bytes.TrimRight(text[start:end], " \t")
		switch n := keyEnd(line); {
		case len(line) == 0:
			return
		case isBlank(line[0]), line[0] == '#':
		case line[0] == '-':
			lost = lost || !list
		default:
			lost, list = n <= 0, n > 0 && n+1 == len(line)
		}
		if !lost {
			return
		}
		if out == nil {
			out, first = bytes.Clone(text), diag.Span{Start: start, End: end}
		}
		for i := start; i < end; i++ {
			out[i] = ' '
		}
	})
	if out == nil {
		return text
	}
	r.report(first, diag.YAMLRepairedLines, "the line begins no field; it and those like it below are not read").
		Fix = "put \"---\" on a line of its own after the last field"
	return out
}
