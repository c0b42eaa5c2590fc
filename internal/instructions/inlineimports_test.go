package instructions

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/diag"
)

func TestEmbeddedImports(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"@a.md", []string{"a.md"}},
		{"see @./a/b.md and @/abs.md\n@c", []string{"./a/b.md", "/abs.md", "c"}},
		{"\t@a.\r\n@b,", []string{"a.", "b,"}},
		{"x@a.md (@b.md) @@c @1 @~/d @_e @-f @", nil},
		{"**@a.md** - @b.md", []string{"b.md"}},
		{"`@a.md` @b.md", []string{"b.md"}},
		{"` @a.md ` @b.md", []string{"b.md"}},
		{"```\n@a.md\n```\n@b.md", []string{"b.md"}},
		{"~~~\n@a.md\n~~~\n    @b.md", []string{"a.md", "b.md"}},
		{"` @a.md", []string{"a.md"}},
		{"`` @a.md ` @b.md ``", nil},
		{"``` @a.md `` @b.md", []string{"b.md"}},
		{"<!-- @a.md -->", []string{"a.md"}},
		{"@a@b", []string{"a@b"}},
		{"@a \u00a0@b", []string{"a"}},
	} {
		var got []string
		for _, e := range InlineImports(tc.text, 100) {
			got = append(got, e.Path)
			if tc.text[e.Start:e.End] != "@"+e.Path {
				t.Errorf("%q: %d to %d is not @%s", tc.text, e.Start, e.End, e.Path)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: - want, + got:\n%s", tc.text, diff)
		}
	}
	if n := len(InlineImports(strings.Repeat("@a ", 100), 7)); n != 7 {
		t.Errorf("%d of the first 7", n)
	}
}

// slowSpans returns the matches of the regular expression (`+)[^]*?\1. It follows the definition
// literally: the first match wins, and the longest run is tried first.
func slowSpans(text string) []diag.Span {
	var spans []diag.Span
	for i := 0; i < len(text); {
		n := 0
		for i+n < len(text) && text[i+n] == '`' {
			n++
		}
		end := -1
		for k := n; k > 0 && end < 0; k-- {
			if at := strings.Index(text[i+k:], strings.Repeat("`", k)); at >= 0 {
				end = i + k + at + k
			}
		}
		if end < 0 {
			i++
			continue
		}
		spans = append(spans, diag.Span{Start: i, End: end})
		i = end
	}
	return spans
}

func FuzzEmbeddedImports(f *testing.F) {
	for _, s := range []string{"@a", "`@a` ``` @b ``` `` ` @c", "``a`b```c``", "`````", "@a@b `", "```\n@x\n``` @y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		if got, want := codeSpans(text), slowSpans(text); !slices.Equal(got, want) {
			t.Fatalf("%q: code at %v, not %v", text, got, want)
		}
		last := 0
		for _, e := range InlineImports(text, 50) {
			if e.Start < last || text[e.Start:e.End] != "@"+e.Path || strings.ContainsAny(e.Path, " \t\r\n") {
				t.Fatalf("%q: %+v", text, e)
			}
			last = e.End
		}
	})
}
