package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// listOf returns the definitions in files, which maps paths to contents.
func listOf(t testing.TB, files map[string]string) []catalog.Definition {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := catalog.Open(t.Context(), catalog.Options{Isolated: true, Layers: []catalog.LayerFS{{
		Layer: definition.Project, Name: "project", FS: fsys,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	all, err := c.List(t.Context(), catalog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, catalog.Definition.ComesWithVade)
}

// found returns the names of the results. Near-duplicates follow after a "+".
func found(t testing.TB, x *Index, query string, o Options) (names []string) {
	t.Helper()
	f, err := x.Search(t.Context(), query, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Results {
		name := r.Name()
		for _, d := range r.Alike {
			name += "+" + d.Name()
		}
		names = append(names, name)
	}
	if f.More > 0 {
		names = append(names, fmt.Sprint(f.More, " more"))
	}
	return names
}

func TestSearch(t *testing.T) {
	release := "Tag the commit, write release notes, build every package, upload the archives and announce the version to all users."
	x := New(listOf(t, map[string]string{
		".claude/commands/deploy.md": "---\ndescription: Ship it\n---\nx\n",
		".claude/commands/other.md": "---\ndescription: Something that mentions deploy among many other words " +
			"that are not about it at all\n---\nx\n",
		".claude/commands/rollbackAll.md":      "---\ndescription: Undo releases\n---\nx\n",
		".claude/commands/why.md":              "---\ndescription: Blame\n---\nx\n",
		".claude/commands/db.md":               "---\ndescription: Database\n---\n## Migrations\nRun migrateSchema on PostgreSQL with scripts/apply_changes.py.\n",
		".claude/commands/ja.md":               "---\ndescription: コードを確認する\n---\nx\n",
		".claude/skills/publish-one/SKILL.md":  "---\ndescription: Publish\n---\n" + release + " One.\n",
		".claude/skills/publish-two/SKILL.md":  "---\ndescription: Publish\n---\n" + release + " Two.\n",
		".claude/skills/publish-tool/SKILL.md": "---\ndescription: Publish with a tool\n---\nLet the tool do all of the work.\n",
	}), DefaultWeights())
	for _, test := range []struct {
		query string
		want  string
	}{
		{"deploy", "deploy other"},
		{"DEPLOYS", "deploy other"},
		{"the deployment that is", "deploy other"},
		{"rollback", "rollbackAll"},
		{"RollbackALL", "rollbackAll"},
		{"roll back", "rollbackAll"},
		{"rolling back everything", "rollbackAll"},
		{"rollback sourdough bread", "rollbackAll"},
		{"release", "rollbackAll publish-one+publish-two"},
		{"schema migration", "db"},
		{"postgresql", "db"},
		{"postgre", "db"},
		{"apply changes", "db"},
		{"apply_changes.py", "db"},
		{"why", "why"},
		{"確認", "ja"},
		{"publishing", "publish-one+publish-two publish-tool"},
		{"zzz", ""},
		{"of the", ""},
		{"!?", ""},
		{"deploy the sourdough bread knitting", ""},
	} {
		if got := strings.Join(found(t, x, test.query, Options{}), " "); got != test.want {
			t.Errorf("%q: %q, not %q", test.query, got, test.want)
		}
	}
	if got, want := found(t, x, "publish", Options{Limit: 1, Copies: true}), []string{"publish-one", "2 more"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	skills := func(d catalog.Definition) bool { return d.Kind() == definition.Skill }
	if got, want := found(t, x, "release", Options{Accept: skills}), []string{"publish-one+publish-two"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Rename getUserName in HTTPServer.go": "rename getusername get user name in httpserver http server go",
		"kebab-case snake_case oauth2 GitHub": "kebab case snake case oauth2 github git hub",
		"É日本語x é":                             "é 日本 本語 x é",
		"ABC aB " + strings.Repeat("x", 99):   "abc ab",
		"":                                    "",
	} {
		var got []string
		words(text, func(w []byte) { got = append(got, string(w)) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("rollbackAll releases É HTTPServer 日本語")
	f.Fuzz(func(t *testing.T, text string) {
		words(text, func(w []byte) {
			if len(w) == 0 || len(w) > maxWord+8 || strings.ContainsAny(string(w), " \n-") {
				t.Errorf("%q has the word %q", text, w)
			}
		})
		parse(text)
	})
}
