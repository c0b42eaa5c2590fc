package fact

import "testing"

func TestUnescaped(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`a \u0063url\nb`, "a curl      \nb"},
		{`http:\/\/files.example`, "http://files.example  "},
		{`x \U00000063 \x41`, "x c A            "},
		{"a \\\n   b\nc", "a b     \nc"},
		{`say \"a\" \\ \t.`, `say  "a " ` + ` \` + `   .`},
		{`\xZZ \u12`, `\xZZ \u12`},
		{`\x`, `\x`},
		{`end\`, `end\`},
		{`\e[0m`, `\e[0m`},
	} {
		got := unescaped(c.in)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
		if len(got) != len(c.in) {
			t.Errorf("%q: its length is %d, want %d", c.in, len(got), len(c.in))
		}
	}
}
