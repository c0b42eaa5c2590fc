package search

import (
	"bytes"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

func TestDefinitionsPutsTheBestFirst(t *testing.T) {
	c, err := catalog.Open(t.Context(), catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{
		Layer: definition.Project, Name: "project", FS: fstest.MapFS{
			".claude/commands/deploy.md": {Data: []byte("---\ndescription: Ship it\n---\nx\n")},
			".claude/commands/other.md": {Data: []byte("---\ndescription: Something that mentions deploy among many other words " +
				"that are not about it at all\n---\nx\n")},
			".claude/commands/rollbackAll.md": {Data: []byte("---\ndescription: Undo releases\n---\nx\n")},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	all, err := c.List(t.Context(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
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
		var got []string
		for _, d := range Definitions(all, x.query, func(d catalog.Definition) bool { return d.Kind() == definition.Command }) {
			got = append(got, d.Name())
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%q: %v, not %v", x.query, got, x.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("rollbackAll releases É")
	f.Fuzz(func(t *testing.T, text string) {
		for w := range tokens(text) {
			if len(w) == 0 || bytes.ContainsAny(w, " \n-") {
				t.Errorf("%q has the word %q", text, w)
			}
		}
	})
}
