package serve

import (
	"bytes"
	"slices"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

func TestSearchPutsTheBestFirst(t *testing.T) {
	s := serverFor(t, project(t, map[string]string{
		".claude/commands/deploy.md":      "---\ndescription: Ship it\n---\nx\n",
		".claude/commands/other.md":       "---\ndescription: Something that mentions deploy among many other words that are not about it at all\n---\nx\n",
		".claude/commands/rollbackAll.md": "---\ndescription: Undo releases\n---\nx\n",
	}))
	st, err := s.hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.release()
	find := func(query string) (names []string) {
		for _, d := range search(st.listed, query, func(d catalog.Definition) bool { return d.Kind() == definition.Command }) {
			names = append(names, d.Name())
		}
		return names
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"deploy", []string{"deploy", "other"}},
		{"DEPLOYS", []string{"deploy", "other"}},
		{"rollback", []string{"rollbackAll"}},
		{"release", []string{"rollbackAll"}},
		{"zzz", nil},
		{"!?", nil},
	} {
		if got := find(c.query); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, not %v", c.query, got, c.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("rollbackAll releases É")
	f.Fuzz(func(t *testing.T, text string) {
		for w := range words(text) {
			if len(w) == 0 || bytes.ContainsAny(w, " \n-") {
				t.Errorf("%q has the word %q", text, w)
			}
		}
	})
}
