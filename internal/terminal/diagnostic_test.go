package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/diag"
)

// at returns a diagnostic for the part of text between « and ».
func at(text string) diag.Diagnostic {
	before, rest, _ := strings.Cut(text, "«")
	marked, after, _ := strings.Cut(rest, "»")
	f := diag.NewFile("a/SKILL.md", []byte(before+marked+after))
	return diag.At(f, diag.Span{Start: len(before), End: len(before) + len(marked)}, diag.FieldValue, "odd value")
}

func printed(d diag.Diagnostic, opts Options) string {
	var buf bytes.Buffer
	PrintDiagnostics(New(&buf, opts), d)
	return buf.String()
}

func TestPrintDiagnostics(t *testing.T) {
	for _, tc := range []struct {
		name string
		d    diag.Diagnostic
		opts Options
		want []string
	}{
		{"a value", at("---\neffort: «huge»\n").WithFix("use low or high"), Options{}, []string{
			"a/SKILL.md:2:9: warning: odd value [FIELD_VALUE]",
			"  effort: huge",
			"          ^~~~",
			"  fix: use low or high",
		}},
		{"wide characters", at("名前: «日本»語"), Options{}, []string{
			"a/SKILL.md:1:5: warning: odd value [FIELD_VALUE]",
			"  名前: 日本語",
			"        ^~~~",
		}},
		{"tabs", at("a\tb\t«c»"), Options{}, []string{
			"a/SKILL.md:1:5: warning: odd value [FIELD_VALUE]",
			"  a   b   c",
			"          ^",
		}},
		{"escapes", at("\x1bx: «\u202e\xff»y"), Options{}, []string{
			"a/SKILL.md:1:5: warning: odd value [FIELD_VALUE]",
			`  \x1bx: \u202e\xffy`,
			`         ^~~~~~~~~~`,
		}},
		{"combining marks", at("e\u0301e\u0301 «x»"), Options{}, []string{
			"a/SKILL.md:1:6: warning: odd value [FIELD_VALUE]",
			"  e\u0301e\u0301 x",
			"     ^",
		}},
		{"an empty span at the end", at("name:«»"), Options{}, []string{
			"a/SKILL.md:1:6: warning: odd value [FIELD_VALUE]",
			"  name:",
			"       ^",
		}},
		{"more than one line", at("a: «b\nc»"), Options{}, []string{
			"a/SKILL.md:1:4: warning: odd value [FIELD_VALUE]",
			"  a: b",
			"     ^",
		}},
		{"an empty line", at("a\n«»\nb"), Options{}, []string{
			"a/SKILL.md:2:1: warning: odd value [FIELD_VALUE]",
		}},
		{"a long line, near its beginning", at("0123456789«ab»" + strings.Repeat("x", 200)), Options{Width: 42}, []string{
			"a/SKILL.md:1:11: warning: odd value", "    [FIELD_VALUE]",
			"  0123456789abxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
			"            ^~",
		}},
		{"a long line, in its middle", at(strings.Repeat("x", 200) + "«ab»" + strings.Repeat("y", 200)), Options{Width: 42}, []string{
			"a/SKILL.md:1:201: warning: odd value", "    [FIELD_VALUE]",
			"  …xxxxxxxxxxxxxxxxxxxxxxxxxxxabyyyyyyyyy…",
			"                              ^~",
		}},
		{"a long line, at its end", at(strings.Repeat("x", 200) + "«ab»"), Options{Width: 42}, []string{
			"a/SKILL.md:1:201: warning: odd value", "    [FIELD_VALUE]",
			"  …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxab",
			"                                        ^~",
		}},
		{"a long line, all of it", at("«" + strings.Repeat("x", 200) + "»"), Options{Width: 22}, []string{
			"a/SKILL.md:1:1: warning: odd", "    value", "    [FIELD_VALUE]",
			"  xxxxxxxxxxxxxxxxxxx…",
			"  ^~~~~~~~~~~~~~~~~~~~",
		}},
		{"past the end of a line that just fits", at(strings.Repeat("x", 40) + "«»"), Options{Width: 42}, []string{
			"a/SKILL.md:1:41: warning: odd value", "    [FIELD_VALUE]",
			"  …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
			"                                         ^",
		}},
		{"a whole file", diag.For("a\n\x1b/b", diag.FileUnreadable, "no\npermission").WithFix("chmod\x07"), Options{}, []string{
			`a \x1b/b: error: no permission [FILE_UNREADABLE]`,
			`  fix: chmod\x07`,
		}},
		{"no file", diag.For("", diag.SameFile, "twice"), Options{}, []string{
			"info: twice [SAME_FILE]",
		}},
		{"a column that is not there", diag.Diagnostic{Code: "X", Message: "m", File: "f", Line: 1, Column: 99, EndLine: 1, EndColumn: 3, Source: "abc"}, Options{}, []string{
			"f:1:99: info: m [X]",
			"  abc",
			"     ^",
		}},
		{"colours", at("a: «b»").WithFix("c"), Options{Env: env("FORCE_COLOR=1")}, []string{
			"\x1b[1ma/SKILL.md:1:4\x1b[0m: \x1b[33mwarning\x1b[0m: odd value \x1b[2m[FIELD_VALUE]\x1b[0m",
			"  a: b",
			"     \x1b[33m^\x1b[0m",
			"  \x1b[32mfix:\x1b[0m c",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := strings.Join(tc.want, "\n") + "\n"
			if diff := cmp.Diff(want, printed(tc.d, tc.opts)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func FuzzPrintDiagnostics(f *testing.F) {
	f.Add("a: b\tc", 3, 5, 0, "m")
	f.Add(strings.Repeat("日\u202e", 300), 250, 252, 40, "\x1b")
	f.Add("\xff\u200d👩\u200d👧", 2, 9, 21, "\n")
	f.Fuzz(func(t *testing.T, line string, column, end, width int, message string) {
		if strings.ContainsAny(line, "\r\n") {
			return // the source is a single line
		}
		d := diag.Diagnostic{Code: "X", Message: message, File: "f", Line: 1, Column: column, EndLine: 1, EndColumn: end, Source: line}
		lines := strings.Split(strings.TrimSuffix(printed(d, Options{Width: width}), "\n"), "\n")
		// The message is a single line unless it is wrapped.
		if line == "" {
			if len(lines) != 1 && width <= 0 {
				t.Errorf("%q for no source line", lines)
			}
			return
		}
		if len(lines) < 3 || len(lines) > 3 && width <= 0 {
			t.Fatalf("%q: want three lines", lines)
		}
		lines = lines[len(lines)-3:]
		limit := width
		if limit <= 0 {
			limit = sourceWidth
		}
		limit = max(limit, 20+2)
		for _, l := range lines[1:] {
			if Width(l) > limit {
				t.Errorf("%q is %d wide, limit %d", l, Width(l), limit)
			}
		}
		if Escape(lines[1]) != lines[1] {
			t.Errorf("%q is not clean", lines[1])
		}
		if marks := strings.TrimLeft(lines[2], " "); !strings.HasPrefix(marks, "^") || strings.Trim(marks[1:], "~") != "" {
			t.Errorf("%q is no mark", lines[2])
		}
	})
}

// BenchmarkPrintDiagnosticLongLine shows that, apart from finding the column, the time does not
// depend on the length of the line.
func BenchmarkPrintDiagnosticLongLine(b *testing.B) {
	d := at(strings.Repeat("x", 1<<20) + "«ab»" + strings.Repeat("y", 1<<20))
	b.ReportAllocs()
	for b.Loop() {
		PrintDiagnostics(New(&bytes.Buffer{}, Options{}), d)
	}
}
