package terminal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/diag"

	"github.com/vadehq/vade/internal/testenv"
)

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text                string
		width, used, indent int
		want                string
	}{
		{"one two three", 0, 0, 2, "one two three"},
		{"one two three", 13, 0, 2, "one two three"},
		{"one two three", 12, 0, 2, "one two\n  three"},
		{"one two three", 12, 5, 2, "one two\n  three"},
		{"one two three", 12, 10, 4, "one\n    two\n    three"},
		{"extraordinarily long", 8, 0, 2, "extraordinarily\n  long"},
		{"漢字 漢字 漢字", 9, 0, 0, "漢字 漢字\n漢字"},
	} {
		if got := Wrap(tc.text, tc.width, tc.used, tc.indent); got != tc.want {
			t.Errorf("%q in %d: got %q, want %q", tc.text, tc.width, got, tc.want)
		}
	}
}

// TestWrapKeepsWords checks that no text is lost, and that a line exceeds the width only if it is a
// single word.
func TestWrapKeepsWords(t *testing.T) {
	testenv.Check(t, func(r *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 1, 12).Draw(r, "words")
		width, indent := rapid.IntRange(1, 40).Draw(r, "width"), rapid.IntRange(0, 6).Draw(r, "indent")
		got := Wrap(strings.Join(words, " "), width, indent, indent)
		if strings.Join(strings.Fields(got), " ") != strings.Join(words, " ") {
			r.Fatalf("%q", got)
		}
		for i, line := range strings.Split(got, "\n") {
			n := len(line)
			if i == 0 {
				n += indent
			}
			if n > width && len(strings.Fields(line)) > 1 {
				r.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}

func TestWrappedDiagnostic(t *testing.T) {
	var b strings.Builder
	w := New(&b, Options{Width: 40})
	d := diag.Diagnostic{Code: "X", File: "a.md", Message: "a message that is longer than the line of this terminal", Fix: "do what is said here at some length, please"}
	if err := PrintDiagnostics(w, d); err != nil {
		t.Fatal(err)
	}
	want := "a.md: info: a message that is longer\n    than the line of this terminal [X]\n  fix: do what is said here at some\n    length, please\n"
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}
