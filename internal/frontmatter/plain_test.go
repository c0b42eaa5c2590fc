package frontmatter

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// TestPlainBlocks checks that a block that is not YAML is read line by line.
func TestPlainBlocks(t *testing.T) {
	text := "---\n# note\nglobs: *.ts,*.tsx\ndescription: \"a: b\"\nlist:\n  - \"*.q\"\n- x\nalwaysApply: true\nempty:\nglobs: [a]\n---\nbody\n"
	doc, found := Parse(diag.NewFile("r.mdc", []byte(text)), false, host.Dialect{Plain: true})
	type field struct {
		Key, Text, Span string
		Kind            definition.ValueKind
	}
	var got []field
	for _, e := range doc.Entries {
		got = append(got, field{e.Key, e.Value.Text, text[e.Value.Span.Start:e.Value.Span.End], e.Value.Kind})
	}
	want := []field{
		{"globs", "[a]", "[a]", definition.String},
		{"description", `"a: b"`, `"a: b"`, definition.String},
		{"list", "", "", definition.Null},
		{"alwaysApply", "true", "true", definition.Bool},
		{"empty", "", "", definition.Null},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	var lines []int
	for _, d := range found {
		lines = append(lines, d.Line)
		if d.Fix == "" || d.Code != "FIELD_VALUE" {
			t.Errorf("%+v", d)
		}
	}
	if diff := cmp.Diff([]int{4, 6, 7, 10}, lines); diff != "" || !doc.Valid {
		t.Errorf("valid %v, lines - want, + got:\n%s", doc.Valid, diff)
	}
}

// TestOpenBlocks checks that in an unclosed block the editor reads the fields
// and ignores everything around them.
func TestOpenBlocks(t *testing.T) {
	text := "---\nname: s\ntools:\n- a\n# Head\n- b\ndescription: d\n\n# Head\n\nSome text.\n  more\n- a: [b\n```\n{x\nmodel: m\n"
	d := host.Dialect{Delimiters: host.Delimiters{OpenEnd: true}, Repair: host.RepairValues}
	doc, found := Parse(diag.NewFile("r.md", []byte(text)), false, d)
	var got []string
	for _, e := range doc.Entries {
		got = append(got, e.Key+"="+text[e.Value.Span.Start:e.Value.Span.End])
	}
	if diff := cmp.Diff([]string{"name=s", "tools=- a\n# Head\n- b", "description=d", "model=m"}, got); diff != "" || !doc.Valid {
		t.Errorf("valid %v, - want, + got:\n%s", doc.Valid, diff)
	}
	if len(found) != 2 || found[1].Line != 11 || found[1].Fix == "" {
		t.Errorf("%v", found)
	}
}
