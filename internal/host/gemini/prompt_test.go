package gemini

import (
	"testing"

	"github.com/vadehq/vade/internal/host"
)

// TestQuoteArgument compares QuoteArgument against shell-quote 1.8.3.
func TestQuoteArgument(t *testing.T) {
	for _, tc := range [][2]string{
		{"", ""}, {"a", "a"}, {"a b", "'a b'"}, {"a;b", `a\;b`}, {"$(id)", `\$\(id\)`}, {"it's", `"it's"`},
		{"it's \"x\" $HOME `id` \\ !", "\"it's \\\"x\\\" \\$HOME \\`id\\` \\\\ \\!\""},
		{`C:\x y`, `'C:\x y'`}, {`C:\x`, `'C:\x'`}, {"a:b", `a\:b`}, {"*?[x]{y}", `\*\?\[x\]\{y\}`}, {"~x", "~x"}, {"a\nb", "'a\nb'"},
		{`"q"`, `'"q"'`}, {"'q'", `"'q'"`}, {"'a b'", `"'a b'"`}, {`a\b`, `'a\b'`}, {"#x", `\#x`}, {"é&ü", `é\&ü`}, {"x=1,2", `x\=1\,2`},
		{"!!", `\!\!`}, {"a\tb", "'a\tb'"}, {"C:;d", `C:\;d`},
	} {
		if got := QuoteArgument(tc[0]); got != tc[1] {
			t.Errorf("quoteArgument(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}

func TestGeminiFolder(t *testing.T) {
	f := &host.Folder{Files: []string{"SKILL.md"}, Folders: []host.Folder{
		{Name: "node_modules", Closed: true},
		{Name: "scripts", Files: []string{"a.sh"}, MoreFiles: true, Folders: []host.Folder{{Name: "deep", Files: []string{"b"}}}},
	}}
	want := "Showing up to 200 items (files + folders). Folders or files indicated with ... contain more items not shown, were ignored, or the display limit (200 items) was reached.\n\n" +
		"/s/\n├───SKILL.md\n├───node_modules/...\n└───scripts/\n    ├───a.sh\n    ├───...\n    └───deep/\n        └───b"
	if got := folder("/s", f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
