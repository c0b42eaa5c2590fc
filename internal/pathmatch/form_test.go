package pathmatch

import (
	"slices"
	"testing"
)

// TestForms matches patterns against files the way each host does.
func TestForms(t *testing.T) {
	git := Form{}
	glob := Form{Globs: true, Everywhere: []string{"**", "**/*"}}
	deep := Form{Globs: true, FoldCase: true, AnyDepth: true, Everywhere: []string{"**", "**/*", "*"}}
	names := Form{Globs: true, NameAtAnyDepth: true}
	for _, c := range []struct {
		name     string
		form     Form
		patterns []string
		path     string
		want     bool
	}{
		{"gitignore takes a name at any depth", git, []string{"*.go"}, "src/a.go", true},
		{"gitignore takes a directory with all in it", git, []string{"src"}, "src/x/a.go", true},
		{"gitignore knows no case", git, []string{"*.GO"}, "src/a.go", true},
		{"a glob without a slash is of the top", glob, []string{"*.go"}, "src/a.go", false},
		{"a glob without a slash, at the top", glob, []string{"*.go"}, "a.go", true},
		{"a star ends at a slash", glob, []string{"src/*"}, "src/x/b.go", false},
		{"a star in its directory", glob, []string{"src/*"}, "src/b.go", true},
		{"two stars cross slashes", glob, []string{"src/**"}, "src/x/b.go", true},
		{"two stars between slashes", glob, []string{"src/**/*.go"}, "src/b.go", true},
		{"a directory is no prefix", glob, []string{"src"}, "src/a.go", false},
		{"case counts", glob, []string{"**/*.GO"}, "src/a.go", false},
		{"braces", glob, []string{"**/*.{ts,tsx}"}, "src/a.tsx", true},
		{"nothing is negated", glob, []string{"**/*.go", "!src/a.go"}, "src/a.go", true},
		{"a name that begins with an exclamation mark", glob, []string{"!a.go"}, "!a.go", true},
		{"a name that begins with a hash", glob, []string{"#a.go"}, "#a.go", true},
		{"any depth: a name", deep, []string{"*.go"}, "w/src/a.go", true},
		{"any depth: a directory", deep, []string{"src/*"}, "w/src/a.go", true},
		{"any depth: one level only", deep, []string{"src/*"}, "w/src/x/a.go", false},
		{"any depth: no prefix", deep, []string{"src"}, "w/src/a.go", false},
		{"any depth: no case", deep, []string{"*.GO"}, "w/src/a.go", true},
		{"any depth: from the root", deep, []string{"/src/*"}, "w/src/a.go", false},
		{"any depth: two stars from the root", deep, []string{"/**"}, "w/src/a.go", true},
		{"names at any depth", names, []string{"*.go"}, "w/src/a.go", true},
		{"names at any depth: not what has a slash", names, []string{"src/*"}, "w/src/a.go", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, problems := c.form.Compile(c.form.Patterns(c.patterns))
			if m == nil || len(problems) > 0 {
				t.Fatalf("no matcher: %v", problems)
			}
			if got := m.MatchUnder(c.path, false); got != c.want {
				t.Errorf("%q and %q: %v", c.patterns, c.path, got)
			}
		})
	}
}

func TestFormsThatRestrictNothing(t *testing.T) {
	glob := Form{Globs: true, Everywhere: []string{"**"}}
	if got := glob.Patterns([]string{"**, src/**", "{a,b}"}); !slices.Equal(got, []string{"**", "src/**", "{a,b}"}) {
		t.Errorf("patterns %q", got)
	}
	for _, patterns := range [][]string{nil, {"**"}, {"src/*", "**"}} {
		if m, _ := glob.Compile(patterns); m != nil || !glob.Always(patterns) {
			t.Errorf("%q restricts", patterns)
		}
	}
	if glob.Always([]string{"/**"}) {
		t.Error("a pattern that is not named stands for every file")
	}
	if got := (Form{Absolute: true}).Subject("a.go", "/w/a.go"); got != "w/a.go" {
		t.Errorf("subject %q", got)
	}
}

func TestFormsReport(t *testing.T) {
	glob := Form{Globs: true}
	m, problems := glob.Compile([]string{"a/*.go", "[x"})
	if len(problems) != 1 || problems[0].Pattern != "[x" || problems[0].Index != 1 || !m.MatchUnder("a/b.go", false) {
		t.Errorf("problems %v", problems)
	}
}
