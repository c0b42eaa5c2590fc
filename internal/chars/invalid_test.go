package chars

import (
	"testing"
	"unicode/utf8"
)

func TestReplaceInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"é\ufffd":                  "é\ufffd",
		"\xff\xfe-":                "\ufffd\ufffd-",
		"caf\xe9 ":                 "caf\ufffd ",
		"\xe2\x82x":                "\ufffdx",
		"\xe2\x82":                 "\ufffd",
		"\xf0\x9f\x98":             "\ufffd",
		"\xf0\x9f\x98x":            "\ufffdx",
		"\xed\xa0\x80":             "\ufffd\ufffd\ufffd",
		"\xe0\x80\xc0\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xf4\x90\x80\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xc3":                     "\ufffd",
		"\xc3\xa9\xc3":             "é\ufffd",
		"\xf0\x9f\xf0\x9f\x98\x80": "\ufffd\U0001F600",
	} {
		if got := ReplaceInvalid(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func FuzzReplaceInvalid(f *testing.F) {
	f.Add("a\xff\xe2\x82")
	f.Fuzz(func(t *testing.T, s string) {
		got := ReplaceInvalid(s)
		if !utf8.ValidString(got) || utf8.ValidString(s) && got != s {
			t.Errorf("%q: %q", s, got)
		}
	})
}
