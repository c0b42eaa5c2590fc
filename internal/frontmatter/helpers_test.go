package frontmatter

import (
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// neutral returns a dialect that accepts everything whose meaning is clear.
func neutral() host.Dialect {
	return host.Dialect{
		Delimiters: host.Delimiters{
			BOM: true, LeadingBlank: true, LeadingComment: true, Indented: true, TrailingSpace: true, CRLF: true,
		},
		Repair: host.RepairLines, DuplicateKeys: true,
	}
}

// claude returns a dialect that parses like Claude Code 2.1.329.
func claude() host.Dialect {
	return host.Dialect{
		Delimiters:    host.Delimiters{BOM: true, TrailingSpace: true, CRLF: true, CloserAnywhere: true},
		Repair:        host.RepairValues,
		Unrepaired:    host.FlawQuote,
		DuplicateKeys: true,
	}
}

// strict returns a dialect that does not repair anything.
func strict() host.Dialect {
	return host.Dialect{Delimiters: host.Delimiters{TrailingSpace: true, CRLF: true}}
}

// field returns a top-level key's value.
func field(doc Document, key string) (definition.Value, bool) {
	for _, e := range doc.Entries {
		if e.Key == key {
			return e.Value, true
		}
	}
	return definition.Value{}, false
}

// codes returns the diagnostics' codes in order.
func codes(diags []diag.Diagnostic) []diag.Code {
	var list []diag.Code
	for _, d := range diags {
		list = append(list, d.Code)
	}
	return list
}

// checkSpans checks that every entry's spans are inside the file.
func checkSpans(t *testing.T, data []byte, entries []definition.Entry) {
	t.Helper()
	for _, e := range entries {
		checkSpan(t, data, e.KeySpan)
		checkValue(t, data, e.Value)
	}
}

func checkValue(t *testing.T, data []byte, v definition.Value) {
	t.Helper()
	checkSpan(t, data, v.Span)
	for _, item := range v.Items {
		checkValue(t, data, item)
	}
	checkSpans(t, data, v.Pairs)
}

func checkSpan(t *testing.T, data []byte, s diag.Span) {
	t.Helper()
	if s.Start < 0 || s.Start > s.End || s.End > len(data) {
		t.Fatalf("span %v outside of %d bytes %q", s, len(data), data)
	}
}

func checkDiags(t *testing.T, f *diag.File, diags []diag.Diagnostic) {
	t.Helper()
	for _, d := range diags {
		if d.Line < 1 || d.Column < 1 || d.Message == "" {
			t.Fatalf("%q: diagnostic without position or message: %v", f.Data, d)
		}
		if d.Edit != nil {
			checkSpan(t, f.Data, d.Edit.Span)
		}
	}
}

func sourceOf(data string) *diag.File { return diag.NewFile("SKILL.md", []byte(data)) }
