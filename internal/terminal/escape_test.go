package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// clean holds text that Escape must not change.
var clean = []string{
	"", "plain text", `a \x1b in a string`, "tab\tand\nnewline",
	"naïve café, e\u0301 in two", "Ελληνικά, русский", "עברית", "العربية", "می\u200cخواهم",
	"日本語、中文、한국어", "葛\U000e0100", "क्\u200dष", "वाक्\u200c", "ක්\u200dෂ", "മലര്\u200d",
	"ᠠ\u180b", "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "👍🏽", "🏳\ufe0f\u200d🌈", "1\ufe0f\u20e3 #\ufe0f\u20e3", "☎\ufe0e", "🇫🇷",
	"©\ufe0f", "a\u00a0b\u3000c", "\ue0b0 \U000f0001", "\ufffd", "∩\ufe00",
}

func TestEscapeLeavesOrdinaryText(t *testing.T) {
	for _, s := range clean {
		if got := Escape(s); got != s {
			t.Errorf("Escape(%+q) = %+q", s, got)
		}
		if n := testing.AllocsPerRun(10, func() { Escape(s) }); n != 0 {
			t.Errorf("Escape(%+q): %v allocations", s, n)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"\x00\x07\b\x7f", `\x00\x07\x08\x7f`},
		{"\u009b31m", `\x9b31m`},
		{"a\rb", `a\rb`[:1] + `\x0db`},
		{"a\r\nb", "a\nb"},
		{"a\r\r\nb", "a\\x0d\nb"},
		{"x\u202egpj.exe", `x\u202egpj.exe`},
		{"\u2066\u2069\u200e\u200f\u061c", `\u2066\u2069\u200e\u200f\u061c`},
		{"a\u200bb\u2060c\ufeffd\u00ade", `a\u200bb\u2060c\ufeffd\xade`},
		{"\u115f\u1160\u3164\uffa0\u034f", `\u115f\u1160\u3164\uffa0\u034f`},
		{"a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"a\U000e0041\U000e007f", `a\U000e0041\U000e007f`},
		{"🏴\U000e0067\U000e007f", `🏴\U000e0067\U000e007f`},
		{"\xff\xc3(\xe2\x82", `\xff\xc3(\xe2\x82`},
		{"\xed\xa0\x80", `\xed\xa0\x80`},
		{"\uffff\ufdd0\U0001fffe", `\uffff\ufdd0\U0001fffe`},
		{"a\u200db", `a\u200db`},
		{"a\u200cb", `a\u200cb`},
		{"👩\u200dx", `👩\u200dx`},
		{"👩\u200d", `👩\u200d`},
		{"\u200d👩", `\u200d👩`},
		{"a\ufe0f1\ufe0f", `a\ufe0f1\ufe0f`},
		{"❤\ufe0f\ufe0f", "❤\ufe0f" + `\ufe0f`},
		{"葛\U000e0100\U000e0101", "葛\U000e0100" + `\U000e0101`},
		{"x\U000e0100", `x\U000e0100`},
		{"می\u200c\u200cخ", `می\u200c\u200cخ`},
		{"می\u200c x", `می\u200c x`},
		{"\x1b\ufe0f\u20e3", `\x1b\ufe0f` + "\u20e3"},
	} {
		if got := Escape(tc.in); got != tc.want {
			t.Errorf("Escape(%+q) = %+q, want %+q", tc.in, got, tc.want)
		}
	}
}

func TestEscapeLine(t *testing.T) {
	for in, want := range map[string]string{
		"a b":         "a b",
		"a\nb\tc":     "a b c",
		"a\r\nb\rc":   `a b\x0dc`,
		"é\n\u202e\n": `é \u202e `,
		"\n❤\ufe0f":   " ❤\ufe0f",
	} {
		if got := EscapeLine(in); got != want {
			t.Errorf("EscapeLine(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

// invisible reports whether escaped text must not contain r. It is based on
// Unicode properties, independently of the code under test.
func invisible(r rune) bool {
	if r == zwj || r == zwnj || unicode.Is(unicode.Variation_Selector, r) {
		return false // see misplaced
	}
	prepended := unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && !prepended ||
		unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Bidi_Control,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// misplaced reports whether s contains a joiner or variation selector where no script needs one: at
// the beginning, after ASCII text (except in a keycap), or after another such character (except a
// joiner after an emoji selector).
func misplaced(s string) bool {
	prev := rune(0)
	for i, r := range s {
		if r == zwj || r == zwnj || unicode.Is(unicode.Variation_Selector, r) {
			rest := s[i+utf8.RuneLen(r):]
			afterSelector := r == zwj && prev == emoji
			if prev < utf8.RuneSelf && !strings.HasPrefix(rest, "\u20e3") || contextual(prev) && !afterSelector {
				return true
			}
		}
		prev = r
	}
	return false
}

// TestHiddenAgainstUnicode compares the hand-written ranges with the standard
// library's tables for every code point.
func TestHiddenAgainstUnicode(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff || contextual(r) {
			continue
		}
		// Unicode reserves these code points for future invisible characters. Escape hides them
		// already, but they do not yet have a property that says so.
		reserved := r >= 0xe0000 && r <= 0xe0fff || r >= 0xfff0 && r <= 0xfff8
		if hidden(r) != invisible(r) && !reserved {
			t.Errorf("%U: hidden = %v", r, hidden(r))
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range clean {
		f.Add(s, 5)
	}
	f.Add("\x1b]0;title\a\u202e\u200b\U000e0041\xff\r\n\u2028", 3)
	f.Add("1\ufe0f\u20e3👩\u200d\u200d👩\ufe0f\ufe0f", 2)
	f.Fuzz(func(t *testing.T, s string, cols int) {
		for _, got := range []string{Escape(s), EscapeLine(s)} {
			if !utf8.ValidString(got) {
				t.Errorf("Escape(%+q) is not UTF-8", s)
			}
			for _, r := range got {
				if invisible(r) && r != '\n' && r != '\t' {
					t.Errorf("Escape(%+q) holds %U", s, r)
				}
			}
			if misplaced(got) {
				t.Errorf("Escape(%+q) = %+q holds a joiner or selector out of place", s, got)
			}
			if again := Escape(got); again != got {
				t.Errorf("Escape(%+q) = %+q, again %+q", s, got, again)
			}
		}
		line := EscapeLine(s)
		if strings.ContainsAny(line, "\n\t\r") {
			t.Errorf("EscapeLine(%+q) = %+q", s, line)
		}
		for _, text := range []string{s, line} {
			w := Width(text)
			if w < 0 || w > 2*utf8.RuneCountInString(text) {
				t.Errorf("Width(%+q) = %d", text, w)
			}
			cut := Truncate(text, cols)
			if Width(cut) > max(cols, 0) {
				t.Errorf("Truncate(%+q, %d) = %+q, %d wide", text, cols, cut, Width(cut))
			}
			if cols >= w && cols > 0 && cut != text {
				t.Errorf("Truncate(%+q, %d) = %+q, which fits", text, cols, cut)
			}
			if w > cols && cols > 0 && Width(cut) < cols-1 {
				t.Errorf("Truncate(%+q, %d) = %+q wastes columns", text, cols, cut)
			}
		}
	})
}

func BenchmarkEscape(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("A sentence of a description. ", 40),
		"clean": strings.Repeat("説明の文です。Überall é. ", 40),
		"dirty": strings.Repeat("A \x1b[31msentence\u202e of it. ", 40),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				Escape(s)
			}
		})
	}
}
