package frontmatter

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
)

func scalarOf(s string) definition.Value {
	return definition.Value{Kind: definition.String, Text: s}
}

func listOf(items ...string) definition.Value {
	v := definition.Value{Kind: definition.List}
	for _, s := range items {
		v.Items = append(v.Items, scalarOf(s))
	}
	return v
}

// TestRules checks that commas and spaces separate rules, but not inside parentheses (format notes,
// section 3.10).
func TestRules(t *testing.T) {
	tests := []struct {
		value definition.Value
		want  []string
	}{
		{scalarOf("Read, Bash(git log:*) Grep"), []string{"Read", "Bash(git log:*)", "Grep"}},
		{scalarOf("Read Grep,Glob"), []string{"Read", "Grep", "Glob"}},
		{scalarOf("Bash(git add:*, git rm:*), Read"), []string{"Bash(git add:*, git rm:*)", "Read"}},
		{scalarOf("Bash (git:*) Read"), []string{"Bash (git:*)", "Read"}},
		{scalarOf(" , Read ,, "), []string{"Read"}},
		{scalarOf(`["Read", "Grep Glob"]`), []string{"Read", "Grep", "Glob"}},
		{scalarOf("- Read - Grep"), []string{"Read", "Grep"}},
		{listOf("Read", "Grep Glob"), []string{"Read", "Grep", "Glob"}},
		{listOf("Bash(git add:*), Bash(ls *)", "Edit"), []string{"Bash(git add:*)", "Bash(ls *)", "Edit"}},
		{scalarOf("Bash(git log:* Read Grep"), []string{"Bash(git log:* Read Grep"}},
		{scalarOf(""), nil},
	}
	for _, tt := range tests {
		got, problem := Rules(tt.value)
		if diff := cmp.Diff(tt.want, got); diff != "" || problem != "" {
			t.Errorf("%+v: %s %s", tt.value, problem, diff)
		}
	}
	if got, problem := Rules(definition.Value{Kind: definition.Map}); got != nil || problem == "" {
		t.Errorf("a map: %q %q", got, problem)
	}
}

func divides(r rune) bool { return r == ',' || unicode.IsSpace(r) }

// FuzzSplitRules checks that only commas and whitespace are lost, and that order is preserved.
func FuzzSplitRules(f *testing.F) {
	for _, s := range []string{"Read, Grep", "Bash(git log:*) Read", "Bash (x), y", "((a", "a)) b", ",,  ,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		rest := s
		for _, r := range SplitRules(s) {
			at := strings.Index(rest, r)
			if r == "" || at < 0 || strings.TrimFunc(rest[:at], divides) != "" {
				t.Fatalf("%q is divided into %q", s, SplitRules(s))
			}
			rest = rest[at+len(r):]
		}
	})
}

// FuzzScriptNumber checks that formatting a number does not change its value, and that formatting
// the result again does not change it.
func FuzzScriptNumber(f *testing.F) {
	for _, s := range []string{"1.50", "1e3", "0x10", "0o17", "-0", "+.5", "1e999", ".inf", "9007199254740993", "5e-324", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ScriptNumber(s)
		switch {
		case s == "" || !isNumber(s):
			if got != s {
				t.Errorf("%q is not a number but becomes %q", s, got)
			}
		case got == "NaN", got == "Infinity", got == "-Infinity":
		case !isNumber(got) || numberOf(got) != numberOf(s) || ScriptNumber(got) != got:
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
