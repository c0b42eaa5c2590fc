package fact

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func one(text string) *Package {
	return &Package{Name: "x", Kind: definition.Skill, Files: []*File{{Path: "SKILL.md", Raw: []byte(text), Size: int64(len(text))}}}
}

func TestReadable(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"plain":                      {"Run `ls`.\n\ttab\r\n", "Run `ls`.\n\ttab\r\n"},
		"zero width":                 {"cu\u200brl\u2060 x\ufeffy", "curl xy"},
		"tags":                       {"a\U000e0061\U000e0062 b", "a b"},
		"selectors":                  {"a\ufe01\U000e0101b ⚠\ufe0f", "ab ⚠"},
		"bidi":                       {"\u202ecurl\u202c \u2066x\u2069", "curl x"},
		"soft hyphen":                {"cu\u00adrl", "curl"},
		"blanks":                     {"a\u00a0b\u2003c\u3000d\u2028e", "a b c d e"},
		"fillers":                    {"a\u3164b\u115fc", "abc"},
		"Cyrillic in Latin":          {"сurl раypal.example", "curl paypal.example"},
		"Cyrillic wholly":            {"Привет, мир: сор и роса", "Привет, мир: сор и роса"},
		"look-alikes only, in Latin": {"then run ср and сору here", "then run cp and copy here"},
		"one letter alone":           {"the с key", "the с key"},
		"Greek in Latin":             {"pοwershell ρython", "powershell python"},
		"Greek wholly":               {"Καλημέρα κόσμε, το νερό", "Καλημέρα κόσμε, το νερό"},
		"math":                       {"Δx = α + β, 5 μm, λ", "Δx = α + β, 5 μm, λ"},
		"split and alike":            {"с\u200burl а\u200bws", "curl aws"},
		"full width":                 {"ｃｕｒｌ ｈｔｔｐｓ：／／ｘ．ｅｘａｍｐｌｅ", "curl https://x.example"},
		"Chinese marks":              {"你好，世界！（好）", "你好，世界！（好）"},
		"math letters":               {"𝗯𝗼𝗹𝗱 𝑥 𝟷𝟸", "bold x 12"},
		"circled":                    {"ⓒⓤⓡⓛ", "curl"},
		"Armenian and Cherokee":      {"ցit ᏚᎢop hօst", "git STop host"},
		"compound":                   {"3D-моделирование и IT-отдел", "3D-моделирование и IT-отдел"},
		"slip of the keyboard":       {"Cтруктура проекта и его части", "Cтруктура проекта и его части"},
		"invalid":                    {"a\xffb\xc3", "a\uFFFDb\uFFFD"},
		"controls":                   {"cu\x00r\x1b[0ml\x07", "curl"},
		"title":                      {"\x1b]0;name\x07text", "0;nametext"},
		"accents":                    {"naïve café Straße", "naïve café Straße"},
	} {
		p := one(c.raw)
		f := &Facts{Package: p}
		f.readable(0)
		if p.Files[0].Text != c.want {
			t.Errorf("%s: %q, want %q", name, p.Files[0].Text, c.want)
		}
	}
}

func TestReadableUTF16(t *testing.T) {
	const text = "---\nname: x\n---\nRun it 🚀 now\n"
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		raw := []byte(mark)
		for _, u := range utf16.Encode([]rune(text)) {
			if mark[0] == 0xff {
				raw = append(raw, byte(u), byte(u>>8))
			} else {
				raw = append(raw, byte(u>>8), byte(u))
			}
		}
		p := one(string(raw))
		f := &Facts{Package: p}
		f.readable(0)
		x := p.Files[0]
		if x.Text != text || string(x.Shown()) != text {
			t.Errorf("%q: %q", mark, x.Text)
		}
		at := strings.Index(text, "now")
		if got := x.Source().Pos(x.RawSpan(diag.Span{Start: at, End: at + 3}).Start); got.Line != 4 || got.Column != 10 {
			t.Errorf("%q: it is shown at %v", mark, got)
		}
	}
}

func TestRawSpan(t *testing.T) {
	raw := "ab\u200bcd \u0441url\u202e é𝗯x"
	p := one(raw)
	f := &Facts{Package: p}
	f.readable(0)
	x := p.Files[0]
	if x.Text != "abcd curl ébx" {
		t.Fatalf("%q", x.Text)
	}
	for _, c := range []struct{ word, raw string }{
		{"ab", "ab"}, {"cd", "cd"}, {"abcd", "ab\u200bcd"}, {"curl", "\u0441url"}, {"c", "cd"}, {"b", "b"}, {" é", " é"}, {"ébx", "é𝗯x"}, {"curl é", "\u0441url\u202e é"},
	} {
		at := strings.Index(x.Text, c.word)
		span := x.RawSpan(diag.Span{Start: at, End: at + len(c.word)})
		if got := raw[span.Start:span.End]; got != c.raw && !(c.word == "c" && got == "c") {
			t.Errorf("%q is %q, want %q", c.word, got, c.raw)
		}
	}
}

// checkSpans holds what is always so between a text and its bytes.
func checkSpans(t *testing.T, raw string) {
	t.Helper()
	p := one(raw)
	f := &Facts{Package: p}
	f.readable(0)
	x := p.Files[0]
	shown := x.Shown()
	last := 0
	for i := range len(x.Text) + 1 {
		s := x.RawSpan(diag.Span{Start: i, End: i})
		if s.Start < last || s.End < s.Start || s.End > len(shown) {
			t.Fatalf("%q: %d is %v behind %d, of %d", raw, i, s, last, len(shown))
		}
		last = s.Start
		if len(x.moved) == 0 && s.Start != i {
			t.Fatalf("%q: nothing moved, and %d is %d", raw, i, s.Start)
		}
	}
	if whole := x.RawSpan(diag.Span{Start: 0, End: len(x.Text)}); whole.End > len(shown) {
		t.Fatalf("%q: %v", raw, whole)
	}
	// What is the same in both is at its own place.
	for i := range len(x.Text) {
		s := x.RawSpan(diag.Span{Start: i, End: i + 1})
		if c := x.Text[i]; c < 0x80 && c > ' ' && s.End-s.Start == 1 && shown[s.Start] != c {
			t.Fatalf("%q: %q at %d is %q at %v", raw, c, i, shown[s.Start:s.End], s)
		}
	}
	end := 0
	for _, pt := range f.Points {
		if pt.Start < end && pt.Class != Mixed || pt.End <= pt.Start || pt.End > len(shown) || pt.Count < 1 {
			t.Fatalf("%q: points %+v", raw, pt)
		}
		end = pt.Start
	}
}

func FuzzReadable(f *testing.F) {
	for _, s := range []string{"", "plain", "a\u200bb\u202ec", "\xff\xfea\x00b\x00", "\xfe\xff\x00a", "сurl 𝗯 ｃ：", "\x1b[31mred\x1b[0m", "👩🏽‍💻 🏴\U000e0067\U000e0062\U000e007f", "a\xffb\xf0\x9f", "Ⓐ҂ⓐᴀ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 4<<10 {
			checkSpans(t, s)
		}
	})
}
