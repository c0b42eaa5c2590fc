package body

import (
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestMentions(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []Mention
	}{
		{"none", nil},
		{"@a.md", []Mention{{Path: "a.md"}}},
		{"see @a.md, @b.md. and @c/", []Mention{{Path: "a.md"}, {Path: "b.md"}, {Path: "c"}}},
		{"@a.md @a.md", []Mention{{Path: "a.md"}}},
		{"x @b \"y\" @\"a b.txt\"", []Mention{{Path: "a b.txt"}, {Path: "b"}}},
		{"mail me@x.md, (@y.md) `@z.md` [@w.md]", nil},
		{"```\n@in-fence.md\n```", []Mention{{Path: "in-fence.md"}}},
		{"@a.md#L2", []Mention{{Path: "a.md", First: 2, Last: 2}}},
		{"@a.md#L2-13", []Mention{{Path: "a.md", First: 2, Last: 13}}},
		{"@a.md#L2-13#x", []Mention{{Path: "a.md", First: 2, Last: 13}}},
		{"@a.md#heading @b.md#L @c.md#L2x @d.md#L2-x", []Mention{{Path: "a.md"}, {Path: "b.md"}, {Path: "c.md"}, {Path: "d.md"}}},
		{"@a#b#c", []Mention{{Path: "a#b#c"}}},
		{"@~/h.txt @/etc/hosts @../up", []Mention{{Path: "~/h.txt"}, {Path: "/etc/hosts"}, {Path: "../up"}}},
		{"@ @. @~ @\"\" @\"open", nil},
		{"a\u00a0@b", []Mention{{Path: "b"}}},
	} {
		if diff := cmp.Diff(tc.want, Mentions(tc.text, 100)); diff != "" {
			t.Errorf("%q (- want, + got):\n%s", tc.text, diff)
		}
	}
}

// hostText generates ASCII text from the elements that the rules use. For ASCII
// text, Go's regular expressions behave like JavaScript's.
func hostText(t *rapid.T) string {
	pieces := []string{"!", "`", "```", "```!", "!`", "a", "b c", " ", "\n", "\t", "@", "\"", ".", ",", "#", "L", "12", "-", "/", "~", "$", "{", "}", "\\", "$0", "$n", "ARGUMENTS", "[", "]", "_"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(t, "pieces"), "")
}

// TestCommandsMatchHost checks Commands against the host's regular expressions.
func TestCommandsMatchHost(t *testing.T) {
	block := regexp.MustCompile("```!\\s*\\n?([\\s\\S]*?)\\n?```")
	inline := regexp.MustCompile("(?m)(^|\\s)!`([^`]+)`")
	testenv.Check(t, func(t *rapid.T) {
		text := hostText(t)
		want := []string{}
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			if c := strings.TrimSpace(m[1]); c != "" {
				want = append(want, m[0]+"|"+c)
			}
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			if c := strings.TrimSpace(m[2]); c != "" {
				want = append(want, m[0][len(m[1]):]+"|"+c)
			}
		}
		got := []string{}
		for _, c := range Commands(text, 100) {
			got = append(got, text[c.Span.Start:c.Span.End]+"|"+c.Text)
			if text[c.Inner.Start:c.Inner.End] != c.Text {
				t.Fatalf("%q: %+v", text, c)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (- rule, + got):\n%s", text, diff)
		}
	})
}

// TestMentionsMatchHost checks Mentions against the host's regular expressions.
func TestMentionsMatchHost(t *testing.T) {
	quoted := regexp.MustCompile(`(^|\s)@"([^"]+)"`)
	plain := regexp.MustCompile(`(^|\s)@([^\s]+)\b`)
	testenv.Check(t, func(t *rapid.T) {
		text := hostText(t)
		var want []Mention
		seen := map[string]bool{}
		add := func(ref string) {
			if !seen[ref] {
				seen[ref] = true
				want = append(want, mentioned(ref))
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			add(m[2])
		}
		for _, m := range plain.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(m[2], `"`) {
				add(m[2])
			}
		}
		if diff := cmp.Diff(want, Mentions(text, 100)); diff != "" {
			t.Fatalf("%q (- rule, + got):\n%s", text, diff)
		}
	})
}

// TestPlaceholdersMatchScan checks that Placeholders and Scan find the same
// placeholders outside other segments.
func TestPlaceholdersMatchScan(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer("!", ".", "@", ".", "{", ".").Replace(hostText(t))
		opts := Options{Names: []string{"n"}}
		var want []string
		for _, s := range segments(text, opts) {
			if s.Kind == Placeholder {
				want = append(want, s.Source(text))
			}
		}
		var got []string
		for s := range Placeholders(text, opts, true) {
			got = append(got, s.Source(text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (- Scan, + Placeholders):\n%s", text, diff)
		}
	})
}

func FuzzMarks(f *testing.F) {
	f.Add("a @b \"c\" !`x` ```! y ``` $0 \\$1 ${A} $n")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, marks := range []iter.Seq[Segment]{Placeholders(text, Options{Names: []string{"n", "a-b"}}, true), Variables(text)} {
			at = 0
			for s := range marks {
				if s.Span.Start < at || s.Span.End <= s.Span.Start || s.Span.End > len(text) {
					t.Fatalf("%+v", s)
				}
				at = s.Span.End
			}
		}
		for _, c := range Commands(text, 100) {
			if c.Text == "" || text[c.Inner.Start:c.Inner.End] != c.Text || c.Inner.End > c.Span.End {
				t.Fatalf("%+v", c)
			}
		}
		for _, m := range Mentions(text, 100) {
			if m.Path == "" || m.Last < 0 {
				t.Fatalf("%+v", m)
			}
		}
	})
}
