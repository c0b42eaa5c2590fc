package frontmatter

import (
	"encoding/json"
	"testing"
)

func TestVerbatim(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"---\nname: a\ndescription: b\n---\nbody", `{"name":"a","description":"b"}`},
		{"---\nversion: 1.0\n---\n", `{"version":1.0}`},
		{"---\nn: 0x10\nm: 1_000\n---\n", `{"n":16,"m":"1_000"}`},
		{"---\nallowed-tools: Read, Bash(git:*)\n---\n", `{"allowed-tools":"Read, Bash(git:*)"}`},
		{"---\na: [x, 1, true, null]\nb:\n  c: yes\n  d: 'true'\n---\n", `{"a":["x",1,true,null],"b":{"c":"yes","d":"true"}}`},
		{"---\nd: 2026-01-02\ne: ~\nf: True\n---\n", `{"d":"2026-01-02","e":null,"f":true}`},
		{"---\nd: >\n  two\n  lines\n---\n", `{"d":"two lines\n"}`},
		{"\ufeff---\r\nname: a\r\n---\r\n", `{"name":"a"}`},
		{"---\nz: \"<&>\u2028\"\na: 1\n---\n", `{"z":"\u003c\u0026\u003e\u2028","a":1}`},
		{"---\n---\n", `{}`},
	} {
		got, err := Verbatim([]byte(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("Verbatim(%q) = %s, %v; want %s", c.text, got, err, c.want)
		}
	}
}

// TestVerbatimRefuses checks that text that other parsers read differently is rejected.
func TestVerbatimRefuses(t *testing.T) {
	for _, text := range []string{
		"no frontmatter", "", "---\nname: a\n", "\n---\nname: a\n---\n",
		"---\nname: a\nname: b\n---\n", "---\ndescription: Use when: always\n---\n",
		"---\na: &x 1\nb: *x\n---\n", "---\na: !!str 1\n---\n", "---\na: .inf\n---\n", "---\na: b\x01\n---\n",
		"---\n- a\n---\n", "---\n<<<<<<< a\nname: a\n=======\nname: b\n>>>>>>> b\n---\n",
	} {
		if got, err := Verbatim([]byte(text)); err == nil {
			t.Errorf("Verbatim(%q) = %s; want an error", text, got)
		}
	}
}

func FuzzVerbatim(f *testing.F) {
	f.Add([]byte("---\nname: a\nversion: 1.0\nlist: [1, b]\n---\nbody"))
	f.Add([]byte("---\na: {b: .nan}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Verbatim(data)
		if err != nil {
			return
		}
		var any map[string]json.RawMessage
		if err := json.Unmarshal(got, &any); err != nil {
			t.Fatalf("%q gave %s, which is not a JSON object: %v", data, got, err)
		}
	})
}
