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

// TestCodesAreDocumented checks that each code has either a page in docs/rules
// or a line in docs/codes.txt.
func TestCodesAreDocumented(t *testing.T) {
	lines, err := os.ReadFile("../docs/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(lines)) {
		code, _, _ := strings.Cut(line, " ")
		documented[code] = true
	}
	for _, c := range registered(t) {
		_, err := os.Stat("../docs/rules/" + strings.ToLower(string(c)) + ".md")
		if page := err == nil; page == documented[string(c)] {
			t.Errorf("%s: a page in docs/rules: %t, a line in docs/codes.txt: %t", c, page, documented[string(c)])
		}
		delete(documented, string(c))
	}
	for c := range documented {
		t.Errorf("docs/codes.txt documents %s, which does not exist", c)
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
