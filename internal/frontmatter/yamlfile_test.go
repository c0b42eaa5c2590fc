package frontmatter

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func TestParseYAML(t *testing.T) {
	tests := []struct {
		name, text string
		keys       string
		valid      bool
	}{
		{"empty", "", "", true},
		{"comment", "# nothing\n", "", true},
		{"map", "a: 1\nb:\n  - x: y\n", "a b", true},
		{"byte order mark", "\ufeffa: 1\n", "a", true},
		{"document marker", "---\na: 1\n", "a", true},
		{"list", "- a\n", "", false},
		{"twice", "a: 1\na: 2\n", "a", false},
		{"twice below", "a:\n  b: 1\n  b: 2\n", "a", false},
		{"anchor", "a: &x 1\nb: 2\n", "b", false},
		{"not repaired", "a: b: c\nd: 1\n", "", false},
		{"bell", "a: 1\ab\n", "a", false},
		{"two documents", "a: 1\n---\nb: 2\n", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := diag.NewFile("p.yaml", []byte(tt.text))
			doc, diags := ParseYAML(f)
			var keys []string
			for _, e := range doc.Entries {
				keys = append(keys, e.Key)
			}
			if doc.Valid != tt.valid || tt.valid && strings.Join(keys, " ") != tt.keys {
				t.Errorf("valid %v, keys %v: %v", doc.Valid, keys, diags)
			}
			if !tt.valid && len(diags) == 0 {
				t.Error("no diagnostics for an invalid document")
			}
			for _, d := range diags {
				if strings.Contains(d.Message, "frontmatter") {
					t.Errorf("%s mentions frontmatter", d)
				}
			}
			checkSpans(t, f.Data, doc.Entries)
		})
	}
}

func TestParseYAMLPlaces(t *testing.T) {
	f := diag.NewFile("p.yaml", []byte("\ufeffa: 1\nb: [x, y]\n"))
	doc, _ := ParseYAML(f)
	v := doc.Entries[1].Value
	if v.Kind != definition.List || string(f.Data[v.Span.Start:v.Span.End]) != "[x, y]" {
		t.Errorf("got %v at %v", v.Kind, v.Span)
	}
	if p := f.Pos(doc.Entries[1].KeySpan.Start); p.Line != 2 || p.Column != 1 {
		t.Errorf("key at %v", p)
	}
}
