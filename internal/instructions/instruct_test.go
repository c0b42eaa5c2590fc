package instructions

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/chars"

	"github.com/vadehq/vade/internal/testenv"
)

func paths(text string) []string {
	var list []string
	for _, i := range Imports(text, len(text)) {
		list = append(list, i.Path)
	}
	return list
}

func TestImports(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		// From case f11.
		{"a line", "@a.md\n", []string{"a.md"}},
		{"in a sentence", "see @a.md there", []string{"a.md"}},
		{"parenthesis", "(@a.md)", nil},
		{"code span", "`@a.md`", nil},
		{"full stop", "@a.md.", []string{"a.md."}},
		{"comma", "@a.md,", []string{"a.md,"}},
		{"quotes", `"@a.md"`, nil},
		{"after a letter", "x@a.md", nil},
		{"brackets", "[@a.md]", nil},
		{"list", "- @a.md", []string{"a.md"}},
		{"quotation", "> @a.md", []string{"a.md"}},
		{"strong", "**@a.md**", []string{"a.md"}},
		{"fragment", "@a.md#L2", []string{"a.md"}},
		{"escape", `\@a.md`, nil},
		{"twice", "@@a.md", nil},
		{"single quotes", "@'a.md'", nil},
		{"angle brackets", "@<a.md>", nil},
		{"blank", "@ a.md", nil},
		{"above", "@../x/a.md", []string{"../x/a.md"}},
		{"closing parenthesis", "@a.md)", []string{"a.md)"}},
		{"link", "[link](@a.md)", nil},
		{"comment", "<!-- @a.md -->\n", nil},
		// From case f06.
		{"fence", "```\n@a.md\n```\n@b.md\n", []string{"b.md"}},
		{"home", "@~/h.md", []string{"~/h.md"}},
		{"address", "mail me@docs/b.md", nil},

		{"absolute", "@/etc/x.md and @/", []string{"/etc/x.md"}},
		{"only a fragment", "@#x", nil},
		{"no letter", "@~x @*x @%x @(x", nil},
		{"twice the same", "@a.md\n@a.md\n", []string{"a.md"}},
		{"escaped blank", `@my\ notes.md x`, []string{"my notes.md"}},
		{"backslash ends", `@a\b.md`, []string{"a"}},
		{"no-break space", "x\u00a0@a.md\u3000y", []string{"a.md"}},
		{"carriage returns", "@a.md\r\n@b.md\r\n", []string{"a.md", "b.md"}},
		{"tilde fence", "~~~md\n@a.md\n```\n@b.md\n~~~\n@c.md", []string{"c.md"}},
		{"open fence", "```\n@a.md\n", nil},
		{"short closer", "````\n@a.md\n```\n@b.md\n````\n@c.md", []string{"c.md"}},
		{"fence in a list", "- x\n  ```\n  @a.md\n  ```\n- @b.md\n", []string{"b.md"}},
		{"fence in a quotation", "> ```\n> @a.md\n> ```\n> @b.md\n", []string{"b.md"}},
		{"fence ends with the quotation", "> ```\n> @a.md\n\n@b.md", []string{"b.md"}},
		{"indented code", "x\n\n    @a.md\n\n@b.md", []string{"b.md"}},
		{"indented text of a paragraph", "x\n    @a.md", []string{"a.md"}},
		{"text of an item", "- x\n\n  @a.md\n", []string{"a.md"}},
		{"code of an item", "- x\n\n      @a.md\n", nil},
		{"numbered", "1. @a.md\n2. `@b.md`\n", []string{"a.md"}},
		{"item in an item", "- - > @a.md", []string{"a.md"}},
		{"heading", "## @a.md\n#no @b.md\n####### @c.md", []string{"a.md", "b.md", "c.md"}},
		{"heading of code", "# `@a.md`", nil},
		{"code span over lines", "`x\n@a.md`", nil},
		{"code span ends with its paragraph", "`x\n\n@a.md`", []string{"a.md`"}},
		{"longer backticks", "``x ` @a.md`` @b.md", []string{"b.md"}},
		{"open backtick", "` @a.md", []string{"a.md"}},
		{"escaped backtick", "\\` @a.md`", []string{"a.md`"}},
		{"behind a code span", "`x`@a.md", []string{"a.md"}},
		{"up to a code span", "@a.md`x`", []string{"a.md"}},
		{"emphasis", "*@a.md* _@b.md_ ***@c.md*** x*@d.md*", []string{"a.md", "b.md", "c.md"}},
		{"open mark", "*@a.md", nil},
		{"underscores of a name", "@my_own_notes.md", []string{"my_own_notes.md"}},
		{"stars of a name", "@a*b*c", []string{"a"}},
		{"text of a link", "[@a.md](x)", []string{"a.md"}},
		{"behind a link", "[x](y)@a.md", []string{"a.md"}},
		{"target with blanks", `[x]( @a.md "@b.md" ) [y](<z @c.md>)`, nil},
		{"title", `[x](y ' @b.md ')`, nil},
		{"image", "![ @a.md ](x @b.md) ![ @c.md ](x)", []string{"a.md", "b.md)"}},
		{"no link", "[x] ( @a.md )", []string{"a.md"}},
		{"definition of a link", "[x]: @a.md\n", nil},
		{"tag", `<a href="x @a.md y">@b.md</a>`, []string{"b.md"}},
		{"no tag", "1 <2 @a.md > 3", []string{"a.md"}},
		{"address in angle brackets", "<x@a.md> <https://x/ @b.md", []string{"b.md"}},
		{"block of HTML", "<div>\n@a.md\n\n@b.md\n</div>", []string{"b.md"}},
		{"raw HTML", "<pre>\n\n@a.md\n</PRE>\n@b.md", []string{"b.md"}},
		{"comment of several lines", "<!-- x\n\n@a.md\n-->\n@b.md", []string{"b.md"}},
		{"behind a comment", "<!-- x --> @a.md\n", []string{"a.md"}},
		{"comment ends a paragraph", "x\n<!-- @a.md -->\n@b.md", []string{"b.md"}},
		{"open comment", "<!-- x\n\n@a.md\n", nil},
		{"short comment", "<!-->\n@a.md", []string{"a.md"}},
		{"comment in a line", "x <!-- @a.md --> @b.md", []string{"b.md"}},
		{"comment in an item", "- <!-- @a.md -->\n- @b.md", []string{"b.md"}},
		{"declaration", "<!DOCTYPE @a.md>\n<? @b.md\n@c.md ?>\n<![CDATA[ @d.md ]]>\n@e.md", []string{"e.md"}},
		{"rule", "***\n@a.md", []string{"a.md"}},
		{"lazy quotation", "> x\n@a.md\n\n@b.md", []string{"a.md", "b.md"}},
		{"lazy item", "- x\n@a.md", []string{"a.md"}},
		{"empty", "", nil},
		{"nothing but marks", "@\n*@*\n[@](@)\n`@`", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := paths(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("Imports(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestImportOffsets(t *testing.T) {
	text := "x @a.md\r\n> - y @b.md\n>   @c.md\n\n## @d.md\n<!-- x --> @e.md\n"
	for _, i := range Imports(text, len(text)) {
		if !strings.HasPrefix(text[i.Offset:], "@"+i.Path) {
			t.Errorf("%s is said to stand at %q", i.Path, text[i.Offset:])
		}
	}
	if n := len(Imports(text, 10)); n != 5 {
		t.Errorf("%d imports, want 5", n)
	}
}

func TestImportLimit(t *testing.T) {
	got := Imports("@a @b\n\n<!-- x --> @c @d\n\n- @e", 3)
	if len(got) != 3 || got[2].Path != "c" {
		t.Errorf("imports %v, want the first three", got)
	}
}

func TestWithoutComments(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a line", "x\n<!-- c -->\ny\n", "x\ny\n"},
		{"between empty lines", "x\n\n<!-- c -->\n\n\ny\n", "x\n\ny\n"},
		{"several lines", "x\n\n<!-- a\n\nb -->\ny", "x\n\ny"},
		{"two on a line", "<!-- a --> <!-- b -->\ny", "y"},
		{"text behind", "<!-- a --> b\ny", " b\ny"},
		{"all of it", "<!-- a -->", ""},
		{"indented", "x\n\n  <!-- a -->\ny", "x\n\ny"},
		{"code", "x\n\n    <!-- a -->\n", "x\n\n    <!-- a -->\n"},
		{"fence", "```\n<!-- a -->\n```\n", "```\n<!-- a -->\n```\n"},
		{"in a line", "x <!-- a --> y\n", "x <!-- a --> y\n"},
		{"in an item", "- <!-- a -->\n", "- <!-- a -->\n"},
		{"in an item, indented", "- x\n\n  <!-- a -->\n", "- x\n\n  <!-- a -->\n"},
		{"in a quotation", "> <!-- a -->\n", "> <!-- a -->\n"},
		{"in HTML", "<div>\n<!-- a -->\n</div>\n", "<div>\n<!-- a -->\n</div>\n"},
		{"open", "x\n\n<!-- a\ny\n", "x\n\n<!-- a\ny\n"},
		{"nothing", "x\ny", "x\ny"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := WithoutComments(tt.text); got != tt.want {
				t.Errorf("WithoutComments(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestTrim(t *testing.T) {
	if got := Trim("\ufeff\u00a0 \r\nx\u200b\n\u2028"); got != "x\u200b" {
		t.Errorf("Trim keeps %q", got)
	}
}

// TestPlainTextProperty checks imports in text without Markdown syntax: an "@" starts an import if
// and only if it is at the start of the text or after whitespace.
func TestPlainTextProperty(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`x{0,2}@?[a-z]{1,3}[.]md`)).Draw(t, "words")
		var want []string
		for _, w := range words {
			if p, ok := strings.CutPrefix(w, "@"); ok && !slices.Contains(want, p) {
				want = append(want, p)
			}
		}
		sep := rapid.SampledFrom([]string{" ", "\n", "\n\n", "\t", "\r\n", "\n> ", "\n- "}).Draw(t, "sep")
		text := "x " + strings.Join(words, sep)
		if got := paths(text); !slices.Equal(got, want) {
			t.Fatalf("Imports(%q) = %q, want %q", text, got, want)
		}
	})
}

func hostileTexts() []string {
	return []string{
		strings.Repeat(">", 5000) + " @a", strings.Repeat("- ", 5000) + "@a", strings.Repeat("> - ", 3000) + "@a",
		"@" + strings.Repeat("[", 5000), strings.Repeat("[a](", 3000) + "@", strings.Repeat("![", 3000) + "@",
		strings.Repeat("*a _", 3000) + "@", strings.Repeat("**", 3000) + "@a" + strings.Repeat("*", 3000), "@" + strings.Repeat("<!--", 3000), "@" + strings.Repeat("<a b=\"", 3000),
		"@" + strings.Repeat("`", 100) + strings.Repeat("``` ", 3000), strings.Repeat("\\", 4999) + "@a",
		strings.Repeat("<!-- x\n", 3000), strings.Repeat("- x\n\n", 2000) + "@", "@\xff\xfe@\x00 @\x80", strings.Repeat("x\n", 3000) + "@",
	}
}

func FuzzImports(f *testing.F) {
	for _, s := range append(hostileTexts()[10:], "@a.md **@b** `@c`", "> - @a\n\n<!-- x --> @b\n", "[@a](b \"c\")\n```\n@d", "\\`@a`*_@b_*") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := map[string]bool{}
		for _, i := range Imports(text, len(text)) {
			if i.Offset < 0 || i.Offset >= len(text) || text[i.Offset] != '@' {
				t.Fatalf("no \"@\" at %d of %q", i.Offset, text)
			}
			if i.Path == "" || last[i.Path] || strings.IndexFunc(strings.ReplaceAll(i.Path, " ", ""), chars.IsSpace) >= 0 {
				t.Fatalf("%q is an import of %q", i.Path, text)
			}
			last[i.Path] = true
		}
		less := WithoutComments(text)
		if len(less) > len(text) || !strings.Contains(text, "<!--") && less != text {
			t.Fatalf("WithoutComments(%q) = %q", text, less)
		}
		guard, _ := EscapeTags(text)
		if again, more := EscapeTags(guard); more != 0 || again != guard {
			t.Fatalf("Guard(%q) leaves a tag in %q", text, guard)
		}
	})
}

// TestHostileTexts checks that parsing terminates and takes linear time. A superlinear parser would
// take hours for the larger inputs.
func TestHostileTexts(t *testing.T) {
	for _, s := range hostileTexts() {
		Imports(strings.Repeat(s, 20), 1000)
		WithoutComments(strings.Repeat(s, 20))
	}
}

func BenchmarkImports(b *testing.B) {
	text := strings.Repeat("# Title\n\nSome *words* with `code` and @docs/a.md, [a link](b.md).\n\n- one\n- two @x.md\n\n```\ncode\n```\n", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Imports(text, 1000)
	}
}
