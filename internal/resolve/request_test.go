package resolve

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
)

func TestParseRequest(t *testing.T) {
	command, skill := definition.Command, definition.Skill
	for _, tc := range []struct {
		words []string
		want  Request
	}{
		{[]string{"/load-security"}, Request{Kind: command, Any: true, Names: []string{"load-security"}, Whole: "load-security"}},
		{[]string{"load", "/load-security"}, Request{Kind: command, Any: true, Names: []string{"load-security"}, Whole: "load-security"}},
		{[]string{"load load-security"}, Request{Kind: command, Any: true, Names: []string{"load-security"}, Whole: "load-security"}},
		{[]string{"load"}, Request{Kind: command, Any: true, Names: []string{"load"}, Whole: "load"}},
		{[]string{".claude/commands/x.md"}, Request{Any: true, Path: ".claude/commands/x.md", Whole: ".claude/commands/x.md"}},
		{[]string{"./x"}, Request{Any: true, Path: "./x", Whole: "./x"}},
		{[]string{"/x.md"}, Request{Kind: command, Any: true, Names: []string{"x.md"}, Whole: "x.md"}},
		{[]string{"/tmp/x.md"}, Request{Any: true, Path: "/tmp/x.md", Whole: "tmp/x.md"}},
		{[]string{"skill:a"}, Request{Kind: skill, Names: []string{"a"}, Whole: "a"}},
		{[]string{"skill:", "a"}, Request{Kind: skill, Names: []string{"a"}, Whole: "a"}},
		{[]string{"skill:two words"}, Request{Kind: skill, Names: []string{"two"}, Whole: "two words", Arguments: "words"}},
		{[]string{"skills: a, b , a,c"}, Request{Kind: skill, Many: true, Names: []string{"a", "b", "c"}}},
		{[]string{"skills:", "a,", "b"}, Request{Kind: skill, Many: true, Names: []string{"a", "b"}}},
		{[]string{"skills: a b"}, Request{Kind: skill, Many: true, Names: []string{"a", "b"}}},
		{[]string{"skills: a b, c"}, Request{Kind: skill, Many: true, Names: []string{"a b", "c"}}},
		{[]string{"/x a  b"}, Request{Kind: command, Any: true, Names: []string{"x"}, Whole: "x a  b", Arguments: "a  b"}},
		{[]string{"/x", "a", "b c"}, Request{Kind: command, Any: true, Names: []string{"x"}, Words: []string{"a", "b c"}}},
		{[]string{"agent:rev"}, Request{Kind: definition.Agent, Names: []string{"rev"}, Whole: "rev"}},
		{[]string{"plug:x"}, Request{Kind: command, Any: true, Names: []string{"plug:x"}, Whole: "plug:x"}},
		{[]string{""}, Request{Kind: command, Any: true}},
		{nil, Request{}},
	} {
		if diff := cmp.Diff(tc.want, ParseRequest(tc.words...)); diff != "" {
			t.Errorf("ParseRequest(%q): %s", tc.words, diff)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{"load /x a b", "skill:x", "skills: a, b, c", ".claude/commands/x.md", "agent:", "skills:,,", "/"} {
		f.Add(s, "y")
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, r := range []Request{ParseRequest(first), ParseRequest(first, second)} {
			for _, n := range r.Names {
				if n == "" {
					t.Errorf("an empty name in %+v", r)
				}
			}
			if r.Many && (r.Path != "" || r.Arguments != "" || r.Words != nil) {
				t.Errorf("a list with something else: %+v", r)
			}
			if r.Path != "" && r.Names != nil {
				t.Errorf("a path and a name: %+v", r)
			}
			if utf8.ValidString(first) && utf8.ValidString(second) && !utf8.ValidString(r.Arguments) {
				t.Errorf("arguments cut inside a rune: %q", r.Arguments)
			}
		}
	})
}
