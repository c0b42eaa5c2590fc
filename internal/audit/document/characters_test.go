package document

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/audit/signal"
)

func runsOf(text string) []run {
	x := &signal.File{Path: "a.md", Raw: []byte(text), Role: signal.Document}
	return readText(x)
}

// TestRuns checks that each class of characters is detected and decoded.
func TestRuns(t *testing.T) {
	bits := func(s, zero, one string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			for k := 7; k >= 0; k-- {
				if c>>k&1 == 0 {
					b.WriteString(zero)
				} else {
					b.WriteString(one)
				}
			}
		}
		return b.String()
	}
	tags := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			b.WriteRune(0xE0000 + c)
		}
		return b.String()
	}
	selectors := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c < 16 {
				b.WriteRune(0xFE00 + rune(c))
			} else {
				b.WriteRune(0xE0100 + rune(c) - 16)
			}
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text, says, word string
		class            signal.Tag
	}{
		"tags":             {"a" + tags("be quiet") + "b", "be quiet", "", "tag"},
		"tags of language": {"a\U000E0001" + tags("en") + "b", "en", "", "tag"},
		"false flag":       {"\U0001F3F4" + tags("send all of it") + "\U000E007F", "send all of it", "", "tag"},
		"override":         {"a\u202eb", "U+202E", "ab", "bidi"},
		"override to left": {"a \u202db", "U+202D", "", "bidi"},
		"embedding":        {"a \u202bb", "U+202B", "", "bidi"},
		"isolate":          {"a \u2067b", "U+2067", "", "bidi"},
		"mark":             {"a\u200fb", "U+200F", "ab", "bidi"},
		"Arabic mark":      {"a\u061cb", "U+061C", "ab", "bidi"},
		"override, Hebrew": {"\u05e9\u05dc\u05d5\u05dd \u202eabc", "U+202E", "", "bidi"},
		"zero-width space": {"cu\u200brl", "", "curl", "zero-width"},
		"non-joiner":       {"cu\u200crl", "", "curl", "zero-width"},
		"joiner":           {"cu\u200drl", "", "curl", "zero-width"},
		"word joiner":      {"cu\u2060rl", "", "curl", "zero-width"},
		"mark of order":    {"cu\ufeffrl", "", "curl", "zero-width"},
		"invisible plus":   {"cu\u2064rl", "", "curl", "zero-width"},
		"soft hyphen":      {"cu\u00adrl", "", "curl", "zero-width"},
		"vowel separator":  {"cu\u180erl", "", "curl", "zero-width"},
		"grapheme joiner":  {"cu\u034frl", "", "curl", "zero-width"},
		"filler":           {"cu\u3164rl", "", "curl", "zero-width"},
		"narrow filler":    {"cu\uffa0rl", "", "curl", "zero-width"},
		"bits":             {"a " + bits("send it", "\u200b", "\u200c") + " b", "send it", "", "zero-width"},
		"bits, turned":     {"a " + bits("send it", "\u2060", "\u200d") + " b", "send it", "", "zero-width"},
		"selectors":        {"\U0001F600" + selectors("send it"), "send it", "", "selector"},
		"selector alone":   {"cu\ufe01rl", "", "curl", "selector"},
		"Cyrillic":         {"p\u0430ypal", "paypal", "p\u0430ypal", "mixed"},
		"Greek":            {"p\u03bfwershell", "powershell", "p\u03bfwershell", "mixed"},
		"Armenian":         {"h\u0585st", "host", "h\u0585st", "mixed"},
		"Cherokee":         {"\u13daTOP", "STOP", "\u13daTOP", "mixed"},
		"full width":       {"cu\uff52l", "curl", "cu\uff52l", "mixed"},
		"math":             {"cu\U0001d5cbl", "curl", "cu\U0001d5cbl", "mixed"},
		"escape":           {"a \x1b[31mb", "escape", "", "control"},
		"title":            {"a \x1b]0;b\x07", "escape", "", "control"},
		"C1":               {"a \u009b31mb", "escape", "", "control"},
		"NUL":              {"a\x00b", "NUL", "", "control"},
		"backspace":        {"a\x08b", "", "", "control"},
		"no UTF-8":         {"a\xe9b", "", "", "invalid"},
	} {
		list := runsOf(c.text)
		if len(list) == 0 || list[0].kind != c.class || list[0].decoded != c.says || list[0].word != c.word {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// TestNatural checks that emoji, and characters that some scripts require, cause no signals.
func TestNatural(t *testing.T) {
	for name, text := range map[string]string{
		"families":     "\U0001F468\u200d\U0001F469\u200d\U0001F467\u200d\U0001F466 \U0001F469\U0001F3FD\u200d\U0001F4BB \U0001F9D1\u200d\U0001F91D\u200d\U0001F9D1 \u2764\ufe0f\u200d\U0001F525 \U0001F3F3\ufe0f\u200d\U0001F308 \U0001F575\U0001F3FC\u200d\u2642\ufe0f",
		"emoji":        "\u26a0\ufe0f \u2764\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 \u2139\ufe0f \u00a9\ufe0f \u2122\ufe0f \u2194\ufe0f \U0001F1E9\U0001F1EA",
		"flags":        "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F \U0001F3F4\U000E0075\U000E0073\U000E0063\U000E0061\U000E007F",
		"Persian":      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u06a9\u062a\u0627\u0628\u200c\u0647\u0627",
		"Arabic":       "\u0645\u0631\u062d\u0628\u0627 \u200f(GitHub)\u200f \u2068v1.2\u2069 \u061c5",
		"Hebrew":       "\u05e9\u05dc\u05d5\u05dd \u2067abc\u2069 \u200eC++\u200e",
		"Hindi":        "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",
		"Bengali":      "\u09b0\u200d\u09cd\u09af\u09be\u09ac",
		"Malayalam":    "\u0d28\u0d4d\u200d",
		"Sinhala":      "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
		"Thai":         "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u200b\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01",
		"Khmer":        "\u1787\u17c6\u179a\u17b6\u1794\u200b\u179f\u17bd\u179a",
		"Burmese":      "\u1019\u103c\u1014\u103a\u200b\u1019\u102c",
		"Mongolian":    "\u182e\u1820\u180e\u1820",
		"Japanese":     "\u65e5\u672c\u200b\u8a9e T\u30b7\u30e3\u30c4 \uff21\uff30\uff29 \u845b\U000E0100\u57ce API\u3092",
		"Korean":       "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab\u115f\u1161",
		"Chinese":      "\u4f60\u597d\uff0c\u4e16\u754c\uff01\uff08API\uff09",
		"Russian":      "\u0421\u0442\u0440\u0443\u043a\u0442\u0443\u0440\u0430, 3D-\u043c\u043e\u0434\u0435\u043b\u044c, API\u0448\u043d\u044b\u0439, \u0440\u043e\u0441\u0430, C\u0442\u0440\u0443\u043a\u0442\u0443\u0440\u0430 \u0438 IT-\u043e\u0442\u0434\u0435\u043b",
		"Greek":        "\u039a\u03b1\u03bb\u03b7\u03bc\u03ad\u03c1\u03b1 \u03ba\u03cc\u03c3\u03bc\u03b5",
		"Armenian":     "\u0532\u0561\u0580\u0565\u0582 \u0561\u0577\u056d\u0561\u0580\u0570",
		"math":         "\u0394x \u03b1x 5\u03bcs 100\u03a9 k\u03a9 \u03bbx \u03c3\u00b2 2\u03c0r \u2229\ufe00 \u00b5m",
		"styles":       "\U0001d5ef\U0001d5fc\U0001d5f9\U0001d5f1 \uff37\uff29\uff24\uff25 \u24b6\u24b7",
		"accents":      "na\u00efve caf\u00e9 cafe\u0301 Stra\u00dfe \u0141\u00f3d\u017a \u0130stanbul \u0131\u015f\u0131k",
		"soft hyphens": "super\u00adcali\u00adfragi\u00adlistic Donau\u00addampf\u00adschiff",
		"BOM":          "\ufeffa\n\ufeffb",
		"blanks":       "a\u00a0b 10\u202f000 a\u2009b",
		"typography":   "\u201cquoted\u201d \u2014 a\u2026 \u2022 \u2192 \u2713 \u2500\u2502",
		"braille":      "\u280b\u2819\u2839 \u2800",
	} {
		for _, p := range runsOf(text) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestCharacterContext checks that characters get the context of the text around them.
func TestCharacterContext(t *testing.T) {
	got := extract(read(map[string]string{"SKILL.md": "a \x1b[1mb\n\n```sh\nls \x1b[2m\n```\n\n`c\x1b[3m`\n"})).Dump()
	want := `SKILL.md:1 characters control escape: escape → escape [prose]
SKILL.md:4 characters control escape: escape → escape [fence sh]
SKILL.md:7 characters control escape: escape → escape [span]
`
	if got = strings.ReplaceAll(got, " few", ""); got != want {
		t.Errorf("%s", got)
	}
}
