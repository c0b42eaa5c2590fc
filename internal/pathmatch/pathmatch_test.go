package pathmatch

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		patterns string // one per line
		path     string // a directory if it ends with a slash
		want     bool
	}{
		{"", "a", false},
		{"a", "a", true},
		{"a", "x/y/a", true},
		{"a", "ab", false},
		{"/a", "a", true},
		{"/a", "x/a", false},
		{"a/b", "a/b", true},
		{"a/b", "x/a/b", false},
		{"a/", "a", false},
		{"a/", "a/", true},
		{"a/", "x/a/", true},
		{"a/", "a/b", true},
		{"*.go", "x/y.go", true},
		{"*.go", "x/y.got", false},
		{"src/*.go", "src/a/b.go", false},
		{"src/**/*.go", "src/b.go", true},
		{"src/**/*.go", "src/a/c/b.go", true},
		{"**/b", "b", true},
		{"**/b", "a/b", true},
		{"a/**", "a/b/c", true},
		{"a/**", "a/", false},
		{"a/**/b", "a/b", true},
		{"a/**/b", "axb", false},
		{"a**b", "axxb", true},
		{"x/a**b", "x/a/b", false},
		{"x/**y/z", "x/a/y/z", false},
		{"a?c", "abc", true},
		{"x/a?c", "x/a/c", false},
		{"[a-c]x", "bx", true},
		{"[!a-c]x", "bx", false},
		{"[^a-c]x", "dx", true},
		{"[]-]x", "]x", true},
		{"[]-]x", "-x", true},
		{"[[:digit:]-]x", "-x", true},
		{"[[:digit:]-]x", "4x", true},
		{"[[:nothing:]]x", "nx", false},
		{"x/[/]", "x//", false},
		{"[a", "[a", false},
		{`\[a`, "[a", true},
		{`a\`, `a\`, false},
		{`\!a`, "!a", true},
		{`\#a`, "#a", true},
		{"#a", "#a", false},
		{"a ", "a", true},
		{`a\ `, "a ", true},
		{"a\t", "a", false},
		{"*\n!b", "a", true},
		{"*\n!b", "b", false},
		{"!b\n*", "b", true},
		{"a\n!a/b", "a/b", true},
		{"a/*\n!a/b", "a/b", false},
		{"foo//bar", "foo/bar", false},
		{"//a", "a", false},
		{"/", "a/", false},
		{"./a", "a", false},
		{"é?", "éx", true},
	} {
		m, _ := Compile(strings.Split(tc.patterns, "\n"), Options{})
		path, dir := strings.CutSuffix(tc.path, "/")
		if got := m.MatchUnder(path, dir); got != tc.want {
			t.Errorf("%q: MatchUnder(%q) = %v, want %v", tc.patterns, tc.path, got, tc.want)
		}
	}
}

func TestMatchDependsOnlyOnPath(t *testing.T) {
	m, _ := Compile([]string{"a", "!a/b"}, Options{})
	if !m.Match("a", true) || m.Match("a/b", false) || m.Match("a/c", false) {
		t.Error("Match took a directory above into account")
	}
	if !m.MatchUnder("a/b", false) || !m.MatchUnder("a/c", false) {
		t.Error("MatchUnder did not")
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		pattern, path string
		opts          Options
		want          bool
	}{
		{"SRC", "src", Options{}, false},
		{"SRC", "src", Options{FoldCase: true}, true},
		{"*.Go", "a.gO", Options{FoldCase: true}, true},
		{"[A-C]x", "bX", Options{FoldCase: true}, true},
		{"[!A-C]x", "bX", Options{FoldCase: true}, false},
		{"[[:upper:]]", "b", Options{FoldCase: true}, true},
		{"ÉCOLE", "école", Options{FoldCase: true}, false},
		{"ÉCOLE", "école", Options{FoldCase: true, Runes: true}, true},
		{"É*", "école", Options{FoldCase: true, Runes: true}, true},
		{"[À-Ö]cole", "école", Options{FoldCase: true, Runes: true}, true},
		{"a?c", "aéc", Options{}, false},
		{"a??c", "aéc", Options{}, true},
		{"a?c", "aéc", Options{Runes: true}, true},
		{"a?c", "a\xffc", Options{Runes: true}, true},
		{"a\xffc", "a\xffc", Options{Runes: true}, true},
		{"a[\xff]c", "aÿc", Options{Runes: true}, false},
	} {
		m, _ := Compile([]string{tc.pattern}, tc.opts)
		if got := m.Match(tc.path, false); got != tc.want {
			t.Errorf("%+v %q: Match(%q) = %v, want %v", tc.opts, tc.pattern, tc.path, got, tc.want)
		}
	}
}

func TestProblems(t *testing.T) {
	for pattern, want := range map[string]string{
		"a":                             "",
		"":                              "",
		"# note":                        "",
		"   ":                           "",
		"[a":                            "lacks a closing ]",
		"[[:what:]]":                    "unknown [:name:]",
		`a\`:                            "ends with a backslash",
		"/":                             "does not name a file",
		"!":                             "does not name a file",
		"a\x00b":                        "NUL",
		strings.Repeat("a", 5000):       "longer than",
		"[" + strings.Repeat("é", 1000): "lacks a closing",
	} {
		m, problems := Compile([]string{"x", pattern}, Options{})
		switch {
		case want == "" && len(problems) != 0:
			t.Errorf("%q: %v", pattern, problems)
		case want != "" && (len(problems) != 1 || problems[0].Index != 1 || !strings.Contains(problems[0].Message, want)):
			t.Errorf("%q: problems %v, want one with %q", pattern, problems, want)
		}
		if !m.Match("x", false) {
			t.Errorf("%q: the other pattern is lost", pattern)
		}
	}
}

func TestTooManyPatterns(t *testing.T) {
	m, problems := parseIgnore([]byte(strings.Repeat("a\n", maxPatterns)+"b\nc\n"), Options{})
	if len(problems) != 1 || problems[0].Index != maxPatterns {
		t.Fatalf("problems %v, want one for line %d", problems, maxPatterns)
	}
	if !m.Match("a", false) || m.Match("b", false) {
		t.Error("want a matched and b not read")
	}
}

func TestNilMatcher(t *testing.T) {
	var m *Matcher
	if m.Match("a", false) || m.MatchUnder("a/b", true) {
		t.Error("a nil Matcher matches")
	}
}

// FuzzMatch looks for panics and excessive running time. The fuzzer itself reports hangs.
func FuzzMatch(f *testing.F) {
	f.Add("a/**/[!b-d]*\n!x\\ ", "a/b/c")
	f.Add("**/*a*a*a*a*b", strings.Repeat("a/", 40))
	f.Add("[[:alpha:]-]]\\", "é\xff/x")
	f.Add("a/b**/c**/**\\/d", "a/bc")
	f.Fuzz(func(t *testing.T, patterns, path string) {
		for _, opts := range []Options{{}, {FoldCase: true}, {FoldCase: true, Runes: true}} {
			m, problems := Compile(strings.Split(patterns, "\n"), opts)
			for _, p := range problems {
				if p.Message == "" {
					t.Errorf("%q: a problem without a message", p.Pattern)
				}
			}
			if m.Match(path, true) && !m.MatchUnder(path, true) {
				t.Errorf("%q: Match(%q) but not MatchUnder", patterns, path)
			}
			if m.Match(path, false) && !strings.Contains(patterns, "!") && !m.Match(path, true) {
				t.Errorf("%q matches %q as a file and not as a directory", patterns, path)
			}
		}
		CompileActivation(strings.Split(patterns, "\n"))
		var ig *Ignore
		ig.Enter("a", []byte(patterns)).Enter("a/b", []byte(patterns)).Ignored(path, false)
	})
}

func BenchmarkMatch(b *testing.B) {
	m, _ := Compile([]string{"node_modules", "*.log", "/dist", "src/**/*.gen.go", "!keep.log"}, Options{})
	for name, path := range map[string]string{
		"base": "packages/web/README.md",
		"deep": "src/a/b/c/d/e/f/g/h/i/file.go",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.MatchUnder(path, false)
			}
		})
	}
	b.Run("hostile", func(b *testing.B) {
		m, _ := Compile([]string{strings.Repeat("*a", 100) + "b", "x/" + strings.Repeat("**/a*a/", 50) + "b"}, Options{})
		path := "x/" + strings.Repeat(strings.Repeat("a", 100)+"/", 20) + "a"
		for b.Loop() {
			m.MatchUnder(path, false)
		}
	})
}
