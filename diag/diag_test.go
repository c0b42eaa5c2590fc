package diag

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestCodesAreDocumented compares the codes against docs/diagnostics.md.
func TestCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, line := range strings.Split(string(doc), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			documented[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2])
		}
	}
	codes := registered(t)
	for _, c := range codes {
		switch severity, ok := documented[string(c)]; {
		case !ok:
			t.Errorf("docs/diagnostics.md does not document %s", c)
		case severity != c.Severity().String():
			t.Errorf("%s is documented as %s and reported as %s", c, severity, c.Severity())
		}
		delete(documented, string(c))
	}
	for c := range documented {
		t.Errorf("docs/diagnostics.md documents %s, which does not exist", c)
	}
}

func registered(t *testing.T) []Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []Code
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					codes = append(codes, Code(s))
				}
			}
		}
		return true
	})
	if len(codes) < 10 {
		t.Fatalf("only %d codes found: the test is broken", len(codes))
	}
	return codes
}

func TestString(t *testing.T) {
	f := NewFile("a/b.md", []byte("one\ntwo three\n"))
	d := At(f, Span{Start: 8, End: 13}, FieldType, "%s is %s", "x", "wrong")
	if got, want := d.String(), "a/b.md:2:5: warning: x is wrong [FIELD_TYPE]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if d.EndLine != 2 || d.EndColumn != 10 || d.Source != "two three" {
		t.Errorf("end %d:%d, source %q", d.EndLine, d.EndColumn, d.Source)
	}
	if got, want := For("a", YAMLInvalid, "no").String(), "a: error: no [YAML_INVALID]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSort(t *testing.T) {
	list := []Diagnostic{
		{File: "b", Line: 1, Code: "X"}, {File: "a", Line: 2, Code: "X"}, {File: "a", Line: 1, Column: 2, Code: "Y"}, {File: "a", Line: 1, Column: 2, Code: "X"},
	}
	Sort(list)
	for i, want := range []Diagnostic{
		{File: "a", Line: 1, Column: 2, Code: "X"}, {File: "a", Line: 1, Column: 2, Code: "Y"}, {File: "a", Line: 2, Code: "X"}, {File: "b", Line: 1, Code: "X"},
	} {
		if list[i] != want {
			t.Errorf("%d: %v, want %v", i, list[i], want)
		}
	}
}
