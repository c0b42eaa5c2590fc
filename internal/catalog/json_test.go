package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/terminal"
)

// FuzzJSONString compares the strings of listings with those of encoding/json.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\t\r\x00\x1f\x7f", "é😀\u2028\u2029", "\xff\xc3", "<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(terminal.EscapeJSON(definition.AppendJSONString(nil, s)), &back); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		want := strings.ToValidUTF8(s, "\ufffd")
		if one, _ := json.Marshal(s); json.Unmarshal(one, &want) != nil || back != want {
			t.Errorf("%q comes back as %q, want %q", s, back, want)
		}
	})
}

func TestEscapeJSON(t *testing.T) {
	in := "\"a\u009b\u202e\u200b\U000e0041é😀\u200d\x7fz\""
	want := `"a\u009b\u202e\u200b\udb40\udc41é😀` + "\u200d" + `\u007fz"`
	if got := string(terminal.EscapeJSON([]byte(in))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
