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

// FuzzVisible: nothing that does not show is left, and what was there can be told from
// what is shown.
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

// restored undoes [Visible].
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

func TestMark(t *testing.T) {
	for _, tc := range []struct {
		line            string
		from, to, limit int
		want            string
		at, marks       int
	}{
		{"run it now", 4, 6, 80, "run it now", 4, 2},
		{"a\u200bb", 1, 4, 80, "a‹U+200B›b", 1, 8},
		{"end", 9, 12, 80, "end", 3, 1},
		{"x", 0, 0, 0, "x", 0, 1},
	} {
		text, at, marks := Mark(tc.line, tc.from, tc.to, tc.limit)
		if text != tc.want || at != tc.at || marks != tc.marks {
			t.Errorf("Mark(%q, %d, %d) = %q %d %d, want %q %d %d", tc.line, tc.from, tc.to, text, at, marks, tc.want, tc.at, tc.marks)
		}
	}
	long := strings.Repeat("x", 5000) + "HERE" + strings.Repeat("y", 5000)
	text, at, marks := Mark(long, 5000, 5004, 60)
	if Width(text) > 60 || marks != 4 || !strings.Contains(text, "HERE") {
		t.Errorf("%q %d %d", text, at, marks)
	}
	if []rune(text)[at] != 'H' {
		t.Errorf("column %d of %q is not marked", at, text)
	}
}

// FuzzMark: whatever a line is, what is printed is one line that shows all that it has,
// and the marks begin in it or behind it.
func FuzzMark(f *testing.F) {
	f.Add("a\u200bb\x1b", 1, 3, 20)
	f.Add("\u202e\r\n", 0, 9, 0)
	f.Fuzz(func(t *testing.T, line string, from, to, limit int) {
		if limit > 1000 {
			limit = 1000
		}
		text, at, marks := Mark(line, from, to, limit)
		if marks < 1 || at < 0 || strings.ContainsAny(text, "\n\r\x1b\x00") {
			t.Fatalf("%q %d %d", text, at, marks)
		}
	})
}
