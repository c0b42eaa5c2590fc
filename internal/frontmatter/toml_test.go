package frontmatter

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

const tomlSample = `# a command
description = "Says hello"
prompt = """
Say "hello" to {{args}}.
"""
retries = 1_000
since = 2026-01-02
loud = true
tools = ["a", 'b', # more
  "c"]
inline = { x = 1, "y z" = [2.5] }
a.b = 'dotted'

[server.main]
port = 1

[[rule]]
name = "one"
[[rule]]
name = "two"
[rule.sub]
deep = "é"
`

func TestParseTOML(t *testing.T) {
	f := diag.NewFile("hello.toml", []byte(tomlSample))
	doc, diags := ParseTOML(f)
	if !doc.Valid || len(diags) > 0 {
		t.Fatal(diags)
	}
	checkSpans(t, f.Data, doc.Entries)
	tests := []struct {
		path, text, source string
		kind               definition.ValueKind
	}{
		{"description", "Says hello", `"Says hello"`, definition.String},
		{"prompt", "Say \"hello\" to {{args}}.\n", "\"\"\"\nSay \"hello\" to {{args}}.\n\"\"\"", definition.String},
		{"retries", "1_000", "1_000", definition.Number},
		{"since", "2026-01-02", "2026-01-02", definition.String},
		{"loud", "true", "true", definition.Bool},
		{"tools", "", "[\"a\", 'b', # more\n  \"c\"]", definition.List},
		{"tools.2", "c", `"c"`, definition.String},
		{"inline", "", `{ x = 1, "y z" = [2.5] }`, definition.Map},
		{"inline.y z.0", "2.5", "2.5", definition.Number},
		{"a.b", "dotted", "'dotted'", definition.String},
		{"server.main.port", "1", "1", definition.Number},
		{"rule.1.name", "two", `"two"`, definition.String},
		{"rule.1.sub.deep", "é", `"é"`, definition.String},
	}
	for _, tt := range tests {
		v, ok := lookUp(definition.Value{Pairs: doc.Entries}, strings.Split(tt.path, "."))
		if !ok || v.Kind != tt.kind || v.Text != tt.text || string(f.Data[v.Span.Start:v.Span.End]) != tt.source {
			t.Errorf("%s: %+v %q", tt.path, v, f.Data[v.Span.Start:v.Span.End])
		}
	}
}

func lookUp(v definition.Value, path []string) (definition.Value, bool) {
	if len(path) == 0 {
		return v, true
	}
	for _, e := range v.Pairs {
		if e.Key == path[0] {
			return lookUp(e.Value, path[1:])
		}
	}
	if i := int(path[0][0] - '0'); i < len(v.Items) {
		return lookUp(v.Items[i], path[1:])
	}
	return v, false
}

func TestInvalidTOML(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	tests := []struct {
		name, data string
		line, col  int
		entries    int
	}{
		{"no value", "a = 1\nb = \n", 2, 5, 1},
		{"bad escape", "a = \"\\q\"\n", 1, 6, 0},
		{"open string", "a = 1\nb = \"x\n", 2, 7, 1},
		{"same key", "a = 1\na = 2\n", 2, 1, 1},
		{"same table", "[a]\nb = 1\n[a]\n", 3, 2, 1},
		{"table over a value", "a = 1\n[a]\n", 2, 2, 1},
		{"table over an array", "[[a]]\n[a]\n", 2, 2, 1},
		{"array over a table", "[a]\n[[a]]\n", 2, 3, 1},
		{"key in an inline table", "a = {b = 1}\na.c = 2\n", 2, 1, 1},
		{"header over dotted keys", "[a]\nb.c = 1\n[a.b]\n", 3, 4, 1},
		{"not UTF-8", "a = \"\xff\"\n", 1, 6, 0},
		{"markdown", "# Title\n\nSome text.\n", 3, 6, 0},
		{"depth", "a = " + deep + "\n", 1, 36, 1},
		{"BOM", bom + "a = \n", 1, 6, 0},
	}
	for _, tt := range tests {
		f := diag.NewFile("a.toml", []byte(tt.data))
		doc, diags := ParseTOML(f)
		if doc.Valid || len(diags) == 0 || diags[0].Code != diag.TOMLInvalid || len(doc.Entries) != tt.entries {
			t.Errorf("%s: valid %v, %v, %d entries", tt.name, doc.Valid, diags, len(doc.Entries))
			continue
		}
		if diags[0].Line != tt.line || diags[0].Column != tt.col {
			t.Errorf("%s: %v, want %d:%d", tt.name, diags[0], tt.line, tt.col)
		}
	}
}

func BenchmarkParseTOML(b *testing.B) {
	f := diag.NewFile("hello.toml", []byte(tomlSample))
	b.ReportAllocs()
	for b.Loop() {
		if doc, _ := ParseTOML(f); !doc.Valid {
			b.Fatal("not valid")
		}
	}
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{
		tomlSample, "", "a = 1\na = 2\n", "[a]\n[a.b]\n[[a.c]]\n", "a = [[1], {b = 2}]", "a.b.c = 1\na.b.d = 2", bom + "a = ''", "a = {b = {c = [\n1]}}", "[[a]]\n[a]", "a=\"\\u00e9\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4<<10 {
			return
		}
		file := diag.NewFile("a.toml", data)
		doc, diags := ParseTOML(file)
		checkSpans(t, data, doc.Entries)
		checkDiags(t, file, diags)
		if doc.Valid != (len(diags) == 0) {
			t.Fatalf("%q: valid %v, %v", data, doc.Valid, diags)
		}
		checkUnique(t, data, doc.Entries)
	})
}

func checkUnique(t *testing.T, data []byte, entries []definition.Entry) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Key] {
			t.Fatalf("%q: key %q twice", data, e.Key)
		}
		seen[e.Key] = true
		checkUnique(t, data, e.Value.Pairs)
	}
}
