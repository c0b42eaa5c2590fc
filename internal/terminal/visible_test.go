package terminal

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		n        int
	}{
		{"", "", 0},
		{"plain\n\ttext", "plain\n\ttext", 0},
		{"a\u200bb", "a‹U+200B›b", 1},
		{"\x1b[31m\r\n", "‹U+001B›[31m‹U+000D›\n", 2},
		{"\u202e\u2066x\u2069", "‹U+202E›‹U+2066›x‹U+2069›", 3},
		{"\U000e0041\U000e007f", "‹U+E0041›‹U+E007F›", 2},
		{"❤\ufe0f", "❤‹U+FE0F›", 1},
		{"می\u200cخواهم", "می‹U+200C›خواهم", 1},
		{"a\u00a0b\u2003c\u3000d", "a‹U+00A0›b‹U+2003›c\u3000d", 2},
		{"\xff\xc3", "‹0xFF›‹0xC3›", 2},
		{"‹U+200B› and ‹this›", "‹U+2039›U+200B› and ‹this›", 1},
		{"日本語 עברית é", "日本語 עברית é", 0},
	} {
		got, n := Visible(tc.in)
		if got != tc.want || n != tc.n {
			t.Errorf("Visible(%q) = %q, %d, want %q, %d", tc.in, got, n, tc.want, tc.n)
		}
	}
}

// FuzzVisible checks that no invisible characters remain, and that the original text can be
// reconstructed from the result.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a\u200bb", "‹U+200B›", "\xff‹0xFF›", "\u202e\x1b", "‹‹U+1›", "\u3000\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown, n := Visible(s)
		for i := 0; i < len(shown); {
			r, size := utf8.DecodeRuneInString(shown[i:])
			if unseen(r, size) {
				t.Fatalf("%q still has %q", shown, shown[i:i+size])
			}
			i += size
		}
		if back := restored(shown); back != s {
			t.Fatalf("%q is shown as %q, which is %q", s, shown, back)
		}
		if (n == 0) != (shown == s) {
			t.Fatalf("%q: %d", s, n)
		}
	})
}

// restored is the inverse of [Visible].
func restored(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "‹")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		number, after, _ := strings.Cut(rest, "›")
		switch {
		case strings.HasPrefix(rest, "U+"):
			r, _ := strconv.ParseUint(number[2:], 16, 32)
			b.WriteRune(rune(r))
			s = after
		case strings.HasPrefix(rest, "0x"):
			c, _ := strconv.ParseUint(number[2:], 16, 8)
			b.WriteByte(byte(c))
			s = after
		default:
			b.WriteString("‹")
			s = rest
		}
	}
}

func TestMarked(t *testing.T) {
	for _, tc := range []struct {
		line     string
		from, to int
		want     string
	}{
		{"run it now", 4, 6, "  run it now\n      ^~\n"},
		{"a\u200bb", 1, 4, "  a‹U+200B›b\n   ^~~~~~~~\n"},
		{"end", 9, 12, "  end\n     ^\n"},
		{"x", 0, 0, "  x\n  ^\n"},
	} {
		var b strings.Builder
		Problem{Label: "block", Source: tc.line, From: tc.from, To: tc.to, Numbers: true}.Print(New(&b, Options{}))
		if got := strings.TrimPrefix(b.String(), "block:  []\n"); got != tc.want {
			t.Errorf("%q from %d to %d: %q, not %q", tc.line, tc.from, tc.to, got, tc.want)
		}
	}
}

// FuzzMarked checks that, for any source line, the output has three lines and
// no terminal control sequences.
func FuzzMarked(f *testing.F) {
	f.Add("a\u200bb\x1b", 1, 3, 20)
	f.Add("\u202e\r\n", 0, 9, 0)
	f.Fuzz(func(t *testing.T, line string, from, to, limit int) {
		if limit > 1000 || line == "" {
			return
		}
		var b strings.Builder
		Problem{Label: "x", Source: line, From: from, To: to, Numbers: true}.Print(New(&b, Options{Width: limit}))
		if out := b.String(); strings.Count(out, "\n") < 3 || strings.ContainsAny(out, "\r\x1b\x00") {
			t.Fatalf("%q", out)
		}
	})
}
