package terminal

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestDisarm(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x\n":                `\x3a:error::x` + "\n",
		" \t::stop-commands::tok":     " \t" + `\x3a:stop-commands::tok`,
		"a\r::b":                      "a\r" + `\x3a:b`,
		"\u00a0\u2003::b":             "\u00a0\u2003" + `\x3a:b`,
		"\ufeff::b":                   "\ufeff" + `\x3a:b`,
		"x ##[error]y ###[a]":         `x #\x23[error]y ##\x23[a]`,
		"a::b, :c and #[d]":           "a::b, :c and #[d]",
		": one":                       ": one",
		"+ ::kept, as it is a diff's": "+ ::kept, as it is a diff's",
	} {
		var b bytes.Buffer
		if fmt.Fprint(New(&b, Options{Actions: true}), text); b.String() != want {
			t.Errorf("%q became %q, not %q", text, b.String(), want)
		}
	}
}

// TestDisarmPieces checks that no line is a command, however the text is split into writes.
func TestDisarmPieces(t *testing.T) {
	begins, anywhere := regexp.MustCompile(`(^|[\r\n])[\s\x00]*::`), regexp.MustCompile(`##\[`)
	testenv.Check(t, func(r *rapid.T) {
		var out bytes.Buffer
		w := New(&out, Options{Actions: true})
		for range rapid.IntRange(0, 6).Draw(r, "pieces") {
			fmt.Fprint(w, rapid.StringMatching(`[:#\[ \t\r\na]{0,6}`).Draw(r, "piece"))
		}
		if begins.Match(out.Bytes()) || anywhere.Match(out.Bytes()) {
			r.Fatalf("%q has a command", out.Bytes())
		}
	})
}

func TestEscapeJSONCommands(t *testing.T) {
	if got := string(EscapeJSON([]byte(`{"a": "x##[error]\u200b` + "\u061c\u3164" + `"}`))); got != `{"a": "x##\u005berror]\u200b\u061c\u3164"}` {
		t.Errorf("%s", got)
	}
}
