package frontmatter

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

// TestPlain checks that the outputs of Plain and Quote parse to the original string.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"Read Grep": "Read Grep", "a: b": `"a: b"`, "12": `"12"`, "yes": "yes", "true": `"true"`, "": `""`, "a #b": `"a #b"`, `say "x"`: `say "x"`, "*": `"*"`, "Bash(git:*)": "Bash(git:*)",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q is written %s, not %s", text, got, want)
		}
	}
	testenv.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[ -~éß]{0,20}`).Draw(r, "text")
		for _, written := range []string{Plain(text), Quote(text)} {
			doc, _ := Parse(diag.NewFile("x", []byte("---\nk: "+written+"\n---\n")), false, registry.Neutral().Dialect)
			if !doc.Valid || doc.Repaired || len(doc.Entries) != 1 || doc.Entries[0].Value.Text != text || doc.Entries[0].Value.Kind != definition.String {
				r.Fatalf("%q is written %s and read as %+v", text, written, doc.Entries)
			}
		}
	})
}

func TestValueSpan(t *testing.T) {
	for text, want := range map[string]string{
		"---\nk: [a, b]\nx: y\n---\n":        "[a, b]",
		"---\nk:\n  - a\n  - b\nx: y\n---\n": "\n  - a\n  - b",
		"---\nk:  v \n---\n":                 " v",
		"---\nk: # no\n  - a\n---\n":         "",
	} {
		doc, _ := Parse(diag.NewFile("x", []byte(text)), false, registry.Neutral().Dialect)
		s := ValueSpan([]byte(text), &doc.Entries[0])
		if got := text[s.Start:s.End]; got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
