package opencode

import (
	"reflect"
	"strings"
	"testing"
)

// TestOpenCodeWords compares words against results from the host's regular expression.
func TestOpenCodeWords(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"", nil}, {"a b", []string{"a", "b"}}, {`"a b" c`, []string{"a b", "c"}}, {`a"b c"d`, []string{"a", "b c", "d"}},
		{"it's ok", []string{"it", "s", "ok"}}, {"[Image 1] x", []string{"[Image 1]", "x"}}, {"[image  12]y", []string{"[image  12]", "y"}},
		{"[Image x] z", []string{"[Image", "x]", "z"}}, {`'a"b'`, []string{`a"b`}}, {`"" x`, []string{"", "x"}}, {`"open a`, []string{"open", "a"}},
		{"a'b'c'", []string{"a", "b", "c"}}, {`'"x"'`, []string{`"x"`}},
	} {
		if got := words(tc.line); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("openCodeWords(%q) = %q, want %q", tc.line, got, tc.want)
		}
	}
}

func FuzzOpenCodeWords(f *testing.F) {
	f.Add(`a "b c" [Image 1] 'd`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, w := range words(line) {
			if !strings.Contains(line, w) {
				t.Errorf("%q has a word %q that is no part of it", line, w)
			}
		}
	})
}

func TestOpenCodeRead(t *testing.T) {
	long := strings.Repeat("x", maxLineLength+1)
	for _, tc := range []struct{ text, has string }{
		{"NOTE\n", "<content>\n1: NOTE\n\n(End of file - total 1 lines)\n</content>"},
		{"", "<content>\n\n\n(End of file - total 0 lines)"},
		{"a\r\nb", "1: a\n2: b\n\n(End of file - total 2 lines)"},
		{long, long[1:] + "... (line truncated to 2000 chars)\n"},
		{strings.Repeat("a\n", 2001), "2000: a\n\n(Showing lines 1-2000 of 2001. Use offset=2001 to continue.)"},
		{strings.Repeat(long[1:]+"\n", 30), "(Output capped at 50 KB. Showing lines 1-25. Use offset=26 to continue.)"},
	} {
		if got := read("/p", tc.text); !strings.Contains(got, tc.has) {
			t.Errorf("it has no %.60q:\n%.300s", tc.has, got)
		}
	}
}
