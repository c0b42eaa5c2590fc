package jsonc

import "testing"

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:                   `{"a": 1}`,
		"{\"a\": 1, // x\n}":         "{\"a\": 1      \n}",
		`{"a": "//", "b": "/* */",}`: `{"a": "//", "b": "/* */" }`,
		`/* x */{"a": ["\"", 1,]}`:   `       {"a": ["\"", 1 ]}`,
		"\ufeff{}":                   "   {}",
		`{"a": "x\\"} // "`:          `{"a": "x\\"}     `,
		`"unclosed \`:                `"unclosed \`,
		`/* unclosed`:                `           `,
	} {
		if got := string(Plain([]byte(text))); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(`{"a": [1, /* x */ "b//"], } // y`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Plain(data); len(got) != len(data) {
			t.Errorf("%q has %d bytes, was %d", got, len(got), len(data))
		}
	})
}
