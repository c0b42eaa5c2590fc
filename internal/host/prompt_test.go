package host

import (
	"reflect"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/definition"
)

// TestQuoteArgument compares with what shell-quote 1.8.3 makes of the same texts.
func TestQuoteArgument(t *testing.T) {
	for _, tc := range [][2]string{
		{"", ""}, {"a", "a"}, {"a b", "'a b'"}, {"a;b", `a\;b`}, {"$(id)", `\$\(id\)`}, {"it's", `"it's"`},
		{"it's \"x\" $HOME `id` \\ !", "\"it's \\\"x\\\" \\$HOME \\`id\\` \\\\ \\!\""},
		{`C:\x y`, `'C:\x y'`}, {`C:\x`, `'C:\x'`}, {"a:b", `a\:b`}, {"*?[x]{y}", `\*\?\[x\]\{y\}`}, {"~x", "~x"}, {"a\nb", "'a\nb'"},
		{`"q"`, `'"q"'`}, {"'q'", `"'q'"`}, {"'a b'", `"'a b'"`}, {`a\b`, `'a\b'`}, {"#x", `\#x`}, {"é&ü", `é\&ü`}, {"x=1,2", `x\=1\,2`},
		{"!!", `\!\!`}, {"a\tb", "'a\tb'"}, {"C:;d", `C:\;d`},
	} {
		if got := quoteArgument(tc[0]); got != tc[1] {
			t.Errorf("quoteArgument(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}

// TestOpenCodeWords compares with what the host's regular expression finds.
func TestOpenCodeWords(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"", nil}, {"a b", []string{"a", "b"}}, {`"a b" c`, []string{"a b", "c"}}, {`a"b c"d`, []string{"a", "b c", "d"}},
		{"it's ok", []string{"it", "s", "ok"}}, {"[Image 1] x", []string{"[Image 1]", "x"}}, {"[image  12]y", []string{"[image  12]", "y"}},
		{"[Image x] z", []string{"[Image", "x]", "z"}}, {`'a"b'`, []string{`a"b`}}, {`"" x`, []string{"", "x"}}, {`"open a`, []string{"open", "a"}},
		{"a'b'c'", []string{"a", "b", "c"}}, {`'"x"'`, []string{`"x"`}},
	} {
		if got := openCodeWords(tc.line); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("openCodeWords(%q) = %q, want %q", tc.line, got, tc.want)
		}
	}
}

func FuzzOpenCodeWords(f *testing.F) {
	f.Add(`a "b c" [Image 1] 'd`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, w := range openCodeWords(line) {
			if !strings.Contains(line, w) {
				t.Errorf("%q has a word %q that is no part of it", line, w)
			}
		}
	})
}

func TestQuotedFields(t *testing.T) {
	for _, tc := range []struct {
		line string
		any  bool
		want []string
	}{
		{"alpha 'beta gamma' delta", false, []string{"alpha", "beta gamma", "delta"}},
		{`a""b '' c`, false, []string{"ab", "c"}}, {"a\nb", false, []string{"a\nb"}}, {"a\nb", true, []string{"a", "b"}}, {"'open a", false, []string{"open a"}},
	} {
		if got := quotedFields(tc.line, tc.any); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("quotedFields(%q) = %q, want %q", tc.line, got, tc.want)
		}
	}
}

func TestCodexMentions(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []SkillMention
	}{
		{"use $t alpha", []SkillMention{{Name: "t"}}},
		{"$a:b-c_d, $PATH and $home", []SkillMention{{Name: "a:b-c_d"}}},
		{"[$t](/x/SKILL.md) and [$u] (skill:///y)", []SkillMention{{"t", "/x/SKILL.md"}, {"u", "/y"}}},
		{"[$t]( ) [$v [x](y) $ $$w", []SkillMention{{Name: "t"}, {Name: "v"}, {Name: "w"}}},
		{"nothing", nil},
	} {
		if got := codexMentions(tc.text); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("codexMentions(%q) = %v, want %v", tc.text, got, tc.want)
		}
	}
}

func FuzzCodexMentions(f *testing.F) {
	f.Add("[$t](/x) $y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range codexMentions(text) {
			if m.Name == "" || !strings.Contains(text, "$"+m.Name) {
				t.Errorf("%q does not mention %q", text, m.Name)
			}
		}
	})
}

func TestQwenBare(t *testing.T) {
	for _, tc := range [][2]string{
		{"a b", "a b"}, {"'a b'", "a b"}, {"a;b", `a\;b`}, {"$(id)", `\$\(id\)`}, {"a & b", "'a & b'"}, {"2>x", `2\>x`}, {"a> b", "'a> b'"}, {"a->b", "a->b"}, {"", ""},
	} {
		if got := qwenBare(tc[0]); got != tc[1] {
			t.Errorf("qwenBare(%q) = %q, want %q", tc[0], got, tc[1])
		}
	}
}

func TestOpenCodeRead(t *testing.T) {
	long := strings.Repeat("x", openCodeLineLength+1)
	for _, tc := range []struct{ text, has string }{
		{"NOTE\n", "<content>\n1: NOTE\n\n(End of file - total 1 lines)\n</content>"},
		{"", "<content>\n\n\n(End of file - total 0 lines)"},
		{"a\r\nb", "1: a\n2: b\n\n(End of file - total 2 lines)"},
		{long, long[1:] + "... (line truncated to 2000 chars)\n"},
		{strings.Repeat("a\n", 2001), "2000: a\n\n(Showing lines 1-2000 of 2001. Use offset=2001 to continue.)"},
		{strings.Repeat(long[1:]+"\n", 30), "(Output capped at 50 KB. Showing lines 1-25. Use offset=26 to continue.)"},
	} {
		if got := openCodeRead("/p", tc.text); !strings.Contains(got, tc.has) {
			t.Errorf("it has no %.60q:\n%.300s", tc.has, got)
		}
	}
}

func TestGeminiFolder(t *testing.T) {
	f := &Folder{Files: []string{"SKILL.md"}, Folders: []Folder{
		{Name: "node_modules", Closed: true},
		{Name: "scripts", Files: []string{"a.sh"}, MoreFiles: true, Folders: []Folder{{Name: "deep", Files: []string{"b"}}}},
	}}
	want := "Showing up to 200 items (files + folders). Folders or files indicated with ... contain more items not shown, were ignored, or the display limit (200 items) was reached.\n\n" +
		"/s/\n├───SKILL.md\n├───node_modules/...\n└───scripts/\n    ├───a.sh\n    ├───...\n    └───deep/\n        └───b"
	if got := geminiFolder("/s", f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCallsAgree: what a user types and what a call begins with are one and the
// same, and every host but the neutral one says how a skill is called.
func TestCallsAgree(t *testing.T) {
	for _, p := range Profiles() {
		if p.Prompt == nil {
			continue
		}
		if p.Prompt.UserCall == nil || p.Prompt.ModelCall == nil {
			t.Errorf("%s does not say how its definitions are called", p.Name)
			continue
		}
		if p.Prompt.ModelCall(definition.Skill, "x") == "" {
			t.Errorf("%s: no model can call a skill", p.Name)
		}
		calls := p.Prompt.Calls
		if calls == nil {
			continue
		}
		for _, k := range calls.Kinds {
			prefix, typed := calls.Prefix(k), p.Prompt.UserCall(k, "x")
			if calls.User != nil && calls.User(k) != nil && typed != prefix+"x" {
				t.Errorf("%s: a user types %q, a call of a %s begins with %q", p.Name, typed, k, prefix)
			}
		}
		for _, k := range definition.Kinds {
			if calls.Model(k) != nil && p.Prompt.ModelCall(k, "x") == "" {
				t.Errorf("%s: a model can call a %s, and it is not said how", p.Name, k)
			}
		}
	}
}
