package render

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"

	"github.com/vadehq/vade/internal/testenv"
)

// tree is a FileReader that is backed by a map and counts requests.
type tree struct {
	files map[string]string
	asked []string
}

func (t *tree) ReadReference(_ context.Context, ref string) (File, error) {
	t.asked = append(t.asked, ref)
	data, ok := t.files[ref]
	if !ok {
		return File{}, &RefError{Code: diag.FileNotFound, Message: "no such file"}
	}
	return File{Path: ref, Data: []byte(data), Markdown: strings.HasSuffix(ref, ".md")}, nil
}

func render(in Input, files map[string]string) Output {
	return Render(context.Background(), in, &tree{files: files}, nil)
}

// TestRepeatedArgumentsAreLimited checks that text that repeats its arguments is cut off at a
// limit, and that the body itself does not count toward the limit.
func TestRepeatedArgumentsAreLimited(t *testing.T) {
	long := ParseArguments(strings.Repeat("a", 64<<10))
	for text, full := range map[string]bool{
		strings.Repeat("$ARGUMENTS ", 100):              false,
		strings.Repeat("$ARGUMENTS ", 200):              true,
		strings.Repeat("$0 ", 1000000):                  true,
		strings.Repeat("x", MaxRendered-1):              true,
		strings.Repeat("x", MaxRendered-1) + "\\$0":     true,
		strings.Repeat("x", 3*MaxRendered) + " $5 tail": true,
	} {
		out := render(Input{Text: text, Arguments: long}, nil)
		if out.TooLong != full || out.TooLong && len(out.Content) > max(MaxRendered, len(text))+100 {
			t.Errorf("%.20s of %d: full %v, %d bytes", text, len(text), out.TooLong, len(out.Content))
		}
	}
	if out := render(Input{Text: strings.Repeat("x", 3*MaxRendered)}, nil); out.TooLong || len(out.Content) != 3*MaxRendered {
		t.Errorf("without arguments: full %v, %d bytes", out.TooLong, len(out.Content))
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		text, args string
		names      []string
		want       string
	}{
		{"A=[$ARGUMENTS] $0 $1 $2 $ARGUMENTS[1] $ARGUMENTS[9]", `a "b c"`, nil, `A=[a "b c"] a b c $2 b c $ARGUMENTS[9]`},
		{"A=[$ARGUMENTS] $0 $ARGUMENTS[0]", "", nil, "A=[] $0 $ARGUMENTS[0]"},
		{"$file-$mode-$other", "x", []string{"file", "mode"}, "x--$other"},
		{"$file", "", []string{"file"}, ""},
		{"no place\n", "a b", nil, "no place\n\n\nARGUMENTS: a b"},
		{"no place", "a b", nil, "no place\n\nARGUMENTS: a b"},
		{"no place", "  ", nil, "no place"},
		{"", "a", nil, "\n\nARGUMENTS: a"},
		{"only $5", "a", nil, "only $5"},
		{`\$1 and \$ARGUMENTS`, "a b", nil, "$1 and $ARGUMENTS\n\nARGUMENTS: a b"},
		{`\$1 and $0`, "a b", nil, "$1 and a"},
		{`\$1`, "", nil, "$1"},
		{"$0 $1", "'$1 ${V} @f !`x`' b", nil, "$1 ${V} @f !`x` b"},
		{"!`echo $0`", "a", nil, "!`echo $0`\n\nARGUMENTS: a"},
	}
	for _, tt := range tests {
		out := render(Input{Text: tt.text, Arguments: ParseArguments(tt.args), Names: tt.names,
			Variables: map[string]string{"V": "value"}}, map[string]string{"f": "FILE"})
		if out.Content != tt.want {
			t.Errorf("Render(%q, %q) = %q, want %q", tt.text, tt.args, out.Content, tt.want)
		}
		if len(out.Files) > 0 {
			t.Errorf("Render(%q, %q) read %v", tt.text, tt.args, out.Files)
		}
	}
}

func TestNewArguments(t *testing.T) {
	a := NewArguments([]string{"a b", "c"})
	b := ParseArguments(a.Raw)
	if diff := cmp.Diff(b.Words, a.Words); diff != "" || a.Raw != b.Raw {
		t.Errorf("%q, and %q: %s", a.Raw, b.Raw, diff)
	}
	// Inside a command, the value is already a single word.
	if a.plain != "a b c" || b.plain != "'a b' c" {
		t.Errorf("plain %q, %q", a.plain, b.plain)
	}
}

func TestVariables(t *testing.T) {
	out := render(Input{Text: "${A} \\${A} ${B} $A", Variables: map[string]string{"A": "${B}$0@f"}}, nil)
	if want := "${B}$0@f \\${B}$0@f ${B} $A"; out.Content != want {
		t.Errorf("got %q, want %q", out.Content, want)
	}
}

func TestReferences(t *testing.T) {
	files := map[string]string{
		".claude/docs/security/owasp.md": "# OWASP Top 10\n\n1. Injection\n2. Broken Authentication\n",
		"plain.txt":                      "\n\n  one\ntwo $0 !`x` ${V} @plain.txt\nthree\n\n",
		"deep/late.md":                   "intro\n\nLate\n----\n\n\nrest\n",
		"deep/none.md":                   "no heading",
		"only.md":                        "# Only\n",
		"empty.txt":                      "",
		"bom.md":                         "\ufeff# Bom\r\n\r\ntext\r\n",
		"bad.txt":                        "a\xffb",
	}
	tests := []struct{ name, text, want string }{
		{"as in the contract", "Review these patterns:\n@.claude/docs/security/owasp.md\n",
			"Review these patterns:\n\n## OWASP Top 10 (from .claude/docs/security/owasp.md)\n\n1. Injection\n2. Broken Authentication\n"},
		{"at the start", "@deep/none.md", "## none.md (from deep/none.md)\n\nno heading"},
		{"after blank lines", "\n\n@deep/none.md\n\n\nend", "\n\n## none.md (from deep/none.md)\n\nno heading\n\n\nend"},
		{"followed by text", "@deep/none.md\nend", "## none.md (from deep/none.md)\n\nno heading\n\nend"},
		{"followed by code", "@deep/none.md\n    end", "## none.md (from deep/none.md)\n\nno heading\n\n    end"},
		{"in a line", "see \t@deep/none.md, then", "see\n\n## none.md (from deep/none.md)\n\nno heading\n\n, then"},
		{"in a line with a blank", "see @deep/none.md  then\n", "see\n\n## none.md (from deep/none.md)\n\nno heading\n\nthen\n"},
		{"two in a line", "@deep/none.md @only.md end",
			"## none.md (from deep/none.md)\n\nno heading\n\n## Only (from only.md)\n\nend"},
		{"two lines", "@only.md\n@only.md\n", "## Only (from only.md)\n\n## Only (from only.md)\n"},
		{"then an empty value and a value", "@only.md $file $ARGUMENTS", "## Only (from only.md)\n\nARGS"},
		{"no Markdown", "@plain.txt", "## plain.txt (from plain.txt)\n\n  one\ntwo $0 !`x` ${V} @plain.txt\nthree"},
		{"heading not first", "@deep/late.md", "## Late (from deep/late.md)\n\nintro\n\nrest"},
		{"lines", "@plain.txt#L4-9", "## plain.txt (from plain.txt)\n\ntwo $0 !`x` ${V} @plain.txt\nthree"},
		{"one line, no title", "@.claude/docs/security/owasp.md#L3", "## owasp.md (from .claude/docs/security/owasp.md)\n\n1. Injection"},
		{"empty", "a @empty.txt b", "a\n\n## empty.txt (from empty.txt)\n\nb"},
		{"byte order mark", "@bom.md", "## Bom (from bom.md)\n\ntext"},
		{"invalid bytes", "@bad.txt", "## bad.txt (from bad.txt)\n\na\ufffdb"},
		{"crlf", "a\r\n\r\nb @only.md\r\nc\r\n", "a\r\n\r\nb\r\n\r\n## Only (from only.md)\r\n\r\nc\r\n"},
		{"missing", "a @nope.md b", "a @nope.md b"},
		{"past the end", "@only.md#L7", "@only.md#L7"},
		{"quoted", "`a @only.md` <!-- @only.md -->\n```\n@only.md\n```\n", "`a @only.md` <!-- @only.md -->\n```\n@only.md\n```\n"},
		{"an address", "me@only.md (@only.md)", "me@only.md (@only.md)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Text: tt.text, Names: []string{"x", "y", "file"}, Variables: map[string]string{"V": "bad"}}
			if strings.Contains(tt.text, "$ARG") {
				in.Arguments = Arguments{Raw: "ARGS"}
			}
			if diff := cmp.Diff(tt.want, render(in, files).Content); diff != "" {
				t.Errorf("Render(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestReferencesAreReported(t *testing.T) {
	reader := &tree{files: map[string]string{"a.md": "# A\n\ntext\n"}}
	out := Render(context.Background(), Input{
		Text: "x\n  @a.md é @nope, @a.md#L3\n", File: "dir/x.md", Start: diag.Pos{Line: 5, Column: 1},
	}, reader, nil)
	missing := &RefError{Code: diag.FileNotFound, Message: "no such file"}
	want := []FileExpansion{
		{Reference: "@a.md", Path: "a.md", Resolved: true, Content: "# A\n\ntext", Line: 6, Column: 3},
		{Reference: "@nope", Error: missing, Line: 6, Column: 11},
		{Reference: "@a.md#L3", Path: "a.md", Resolved: true, Content: "text", Line: 6, Column: 18},
	}
	if diff := cmp.Diff(want, out.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	wantDiags := []diag.Diagnostic{{
		Code: diag.FileNotFound, Severity: diag.Error, Message: "@nope was left unchanged: no such file",
		File: "dir/x.md", Line: 6, Column: 11, EndLine: 6, EndColumn: 16, Source: "  @a.md é @nope, @a.md#L3",
	}}
	if diff := cmp.Diff(wantDiags, out.Diagnostics); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a.md", "nope"}, reader.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestShellIsLeft(t *testing.T) {
	text := "Status: !`git  status $0` end\n```!\n echo $ARGUMENTS ${V} @a.md\n```\n<!-- !`x` --> ~\n"
	out := render(Input{Text: text, File: "x.md", Arguments: ParseArguments("arg"), Variables: map[string]string{"V": "v"}},
		map[string]string{"a.md": "FILE"})
	if want := text + "\n\nARGUMENTS: arg"; out.Content != want {
		t.Errorf("content %q, want %q", out.Content, want)
	}
	denied := &RefError{Code: diag.BashNotAllowed, Message: "running commands is disabled"}
	left := ShellResult{Keep: true, Error: denied}
	want := []ShellExpansion{
		{Command: "git  status $0", ShellResult: left, Line: 1, Column: 9},
		{Command: "echo $ARGUMENTS ${V} @a.md", ShellResult: left, Line: 2, Column: 1},
		{Command: "x", ShellResult: left, InComment: true, Line: 5, Column: 6},
	}
	if diff := cmp.Diff(want, out.Shell); diff != "" {
		t.Errorf("shell (-want +got):\n%s", diff)
	}
	if len(out.Diagnostics) != 3 || out.Diagnostics[1].EndLine != 4 || out.Diagnostics[1].Code != diag.BashNotAllowed {
		t.Errorf("diagnostics %v", out.Diagnostics)
	}
}

func TestFileLimit(t *testing.T) {
	out := render(Input{Text: strings.Repeat("@a\n", MaxFiles+2)}, map[string]string{"a": "x"})
	for i, f := range out.Files {
		if f.Resolved != (i < MaxFiles) || !f.Resolved && f.Error.Code != diag.FileLimit {
			t.Errorf("reference %d: %+v", i, f)
		}
	}
	if n := strings.Count(out.Content, "@a\n"); n != 2 || len(out.Files) != MaxFiles+2 {
		t.Errorf("%d references left in place of %d", n, len(out.Files))
	}
}

func TestByteLimit(t *testing.T) {
	files := map[string]string{"big": strings.Repeat("x", MaxFileBytes-1), "one": "1", "two": "22"}
	out := render(Input{Text: "@big\n@two\n@one\n@two\n"}, files)
	var got []string
	for _, f := range out.Files {
		got = append(got, fmt.Sprint(f.Reference, f.Resolved))
		if !f.Resolved && f.Error.Code != diag.FileTooLarge {
			t.Errorf("%s: %v", f.Reference, f.Error)
		}
	}
	if diff := cmp.Diff([]string{"@bigtrue", "@twofalse", "@onetrue", "@twofalse"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLookupLimit(t *testing.T) {
	var text strings.Builder
	for i := range MaxLookups + 5 {
		fmt.Fprintf(&text, "@f%d\n", i)
	}
	reader := &tree{}
	out := Render(context.Background(), Input{Text: text.String()}, reader, nil)
	if len(reader.asked) != MaxLookups || out.Content != text.String() {
		t.Errorf("asked for %d paths", len(reader.asked))
	}
	if last := out.Files[len(out.Files)-1]; last.Error.Code != diag.FileLimit {
		t.Errorf("last: %+v", last)
	}
}

type failing struct{ err error }

func (f failing) ReadReference(context.Context, string) (File, error) { return File{}, f.err }

func TestReaderFailures(t *testing.T) {
	in := Input{Text: "@a"}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	wrapped := fmt.Errorf("outside: %w", &RefError{Code: diag.FileOutsideRoot, Message: "no"})
	for _, tt := range []struct {
		ctx  context.Context
		read FileReader
		code diag.Code
	}{
		{context.Background(), nil, diag.FileUnreadable},
		{context.Background(), failing{errors.New("broken")}, diag.FileUnreadable},
		{context.Background(), failing{wrapped}, diag.FileOutsideRoot},
		{stopped, &tree{files: map[string]string{"a": "x"}}, diag.FileUnreadable},
	} {
		out := Render(tt.ctx, in, tt.read, nil)
		if out.Content != "@a" || out.Files[0].Error == nil || out.Files[0].Error.Code != tt.code {
			t.Errorf("got %q, %v, want code %s", out.Content, out.Files[0].Error, tt.code)
		}
	}
}

func TestPathOfSeveralLines(t *testing.T) {
	out := Render(context.Background(), Input{Text: "@a"}, path2{}, nil)
	if want := "## a b (from a b)\n\nx"; out.Content != want {
		t.Errorf("got %q, want %q", out.Content, want)
	}
}

type path2 struct{}

func (path2) ReadReference(context.Context, string) (File, error) {
	return File{Path: "a\nb", Data: []byte("x")}, nil
}

func TestPlainTextIsKept(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("abc é\n\r\t#*-_>[](){}\"'0123.~`"))).Draw(t, "text")
		if got := render(Input{Text: text}, nil).Content; got != text {
			t.Fatalf("Render(%q) = %q", text, got)
		}
	})
}

func TestCursorAgreesWithSource(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé\n\r"))).Draw(t, "text")
		steps := rapid.SliceOf(rapid.IntRange(0, len(text))).Draw(t, "steps")
		file := diag.NewFile("", []byte(text))
		c := newCursor(text, diag.Pos{})
		at := 0
		for _, step := range steps {
			for at = max(at, step); at < len(text) && !utf8.RuneStart(text[at]); at++ {
			}
			if got, want := c.to(at), file.Pos(at); got != want {
				t.Fatalf("%q: offset %d is at %v, want %v", text, at, got, want)
			}
			if got, want := c.line(), file.Line(at); got != want {
				t.Fatalf("%q: line at %d is %q, want %q", text, at, got, want)
			}
		}
	})
}

func FuzzRender(f *testing.F) {
	f.Add("# T\n$ARGUMENTS $0 $file\n@a.md !`x $0`\n", "a 'b c'", "# H\n\ntext $0 @b !`y`")
	f.Add("@a.md#L2-3 then\r\n```!\ncmd\n```\n`@b` ${V}", "@secret !`id`", "1\n2\n3\n")
	f.Add("<!-- @a --> \\$1 @\"a b\"", "", "")
	f.Fuzz(func(t *testing.T, text, args, file string) {
		const mark = "\u2603from a file\u2603"
		if strings.Contains(text+args, "\u2603") {
			return
		}
		reader := &all{data: file + mark}
		out := Render(context.Background(), Input{
			Text: text, Arguments: ParseArguments(args), Names: []string{"file"}, Variables: map[string]string{"V": "@v"},
		}, reader, nil)
		at, refs := 0, 0
		for seg := range body.Scan(text, body.Options{Names: []string{"file"}}) {
			switch {
			case seg.Kind == body.Shell:
				n := strings.Index(out.Content[at:], seg.Source(text))
				if n < 0 {
					t.Fatalf("Render(%q) = %q lost %q", text, out.Content, seg.Source(text))
				}
				at += n + len(seg.Source(text))
			case seg.Kind == body.FileRef && !seg.Quoted():
				refs++
				if reader.asked[seg.Name]--; len(out.Files) < refs || out.Files[refs-1].Reference != seg.Source(text) {
					t.Fatalf("Render(%q) does not report %q", text, seg.Source(text))
				}
			}
		}
		for ref, n := range reader.asked {
			if n > 0 {
				t.Fatalf("Render(%q, %q) asked for %q", text, args, ref)
			}
		}
		if refs == 0 && strings.Contains(out.Content, mark) {
			t.Fatalf("Render(%q, %q) = %q without a reference", text, args, out.Content)
		}
	})
}

// all is a FileReader that returns the same file for every path.
type all struct {
	data  string
	asked map[string]int
}

func (a *all) ReadReference(_ context.Context, ref string) (File, error) {
	if a.asked == nil {
		a.asked = map[string]int{}
	}
	a.asked[ref]++
	return File{Path: ref, Data: []byte(a.data), Markdown: len(ref)%2 == 0}, nil
}

func BenchmarkRender(b *testing.B) {
	part := "Plain prose with nothing special in it, as most lines of a body are, goes here.\n"
	text := strings.Repeat(strings.Repeat(part, 7)+"The request is $ARGUMENTS, the first word `$0`.\n\n", 10)
	in := Input{Text: text, Arguments: ParseArguments("alpha beta")}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Render(context.Background(), in, nil, nil)
	}
}
