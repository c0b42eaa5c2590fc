package terminal

import (
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"":                                      0,
		"abc":                                   3,
		"é":                                     1,
		"e\u0301":                               1,
		"\u0301":                                0,
		"日本":                                    4,
		"한글":                                    4,
		"\u1112\u1161\u11ab":                    2,
		"ｱ":                                     1,
		"Ａ":                                     2,
		"🙂":                                     2,
		"👍🏽":                                    2,
		"🏽":                                     2,
		"👩\u200d👩\u200d👧":                       2,
		"🇫🇷🇩🇪":                                  4,
		"🇫":                                     1,
		"❤":                                     1,
		"❤\ufe0f":                               2,
		"❤\ufe0f\u200d🔥":                        2,
		"1\ufe0f\u20e3":                         2,
		" \u20e3":                               1,
		"☎\ufe0e":                               1,
		"…":                                     1,
		"a\x1bb\tc":                             3,
		"\xff":                                  1,
		"क्ष":                                   2,
		"העברית":                                6,
		"👩\u200dx":                              3,
		"𠀀":                                     2,
		"z\u0300\u0301\u0302\u0303\u0304\u0305": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%+q) = %d, want %d", s, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, tc := range []struct {
		s    string
		cols int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 1, "…"},
		{"abcd", 0, ""},
		{"abcd", -1, ""},
		{"", 0, ""},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
		{"👩\u200d👧ab", 3, "👩\u200d👧…"},
		{"👩\u200d👧ab", 2, "…"},
		{"🇫🇷🇩🇪", 3, "🇫🇷…"},
	} {
		if got := Truncate(tc.s, tc.cols); got != tc.want {
			t.Errorf("Truncate(%+q, %d) = %+q, want %+q", tc.s, tc.cols, got, tc.want)
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("A sentence of a description. ", 40),
		"wide":  strings.Repeat("説明の文です。🙂", 40),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				Width(s)
			}
		})
	}
}
