package listing

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/testenv"
)

func TestAgents(t *testing.T) {
	agent := func(name, description string, tools, not []string) *definition.Definition {
		return withTools(&definition.Definition{Kind: definition.Agent, Name: name, Description: description}, tools, not)
	}
	list := []*definition.Definition{
		agent("rev", "Reviews", []string{"Read", "Grep"}, nil), agent("deep", "Deep", nil, []string{"Bash"}),
		agent("a6", "multi\nline", nil, nil), agent("A Five", "five", []string{"*"}, nil),
		agent("x", "both", []string{"Read", "Bash"}, []string{"Bash"}), agent("y", "none", []string{"Bash"}, []string{"Bash"}),
	}
	want := []string{
		"A Five: five (Tools: All tools)", "a6: multi\nline (Tools: All tools)", "deep: Deep (Tools: All tools except Bash)",
		"rev: Reviews (Tools: Read, Grep)", "x: both (Tools: Read)", "y: none (Tools: None)",
	}
	if diff := cmp.Diff(want, agentTexts(table(t, current), list)); diff != "" {
		t.Error(diff)
	}
	if lines := agentTexts(table(t, old), list); lines != nil {
		t.Errorf("the old version lists agents: %v", lines)
	}
}

func TestHas(t *testing.T) {
	for _, tc := range []struct {
		tools, not []string
		want       bool
	}{
		{nil, nil, true}, {[]string{"Read", "Skill"}, nil, false}, {[]string{"Agent"}, nil, true}, {[]string{"Agent(a, b)"}, nil, true},
		{[]string{"*"}, nil, true}, {[]string{"Task"}, nil, true}, {nil, []string{"Agent"}, true}, {nil, []string{"Agent", "Task"}, false},
	} {
		d := withTools(&definition.Definition{}, tc.tools, tc.not)
		if got := HasTool(d, "Agent", "Task"); got != tc.want {
			t.Errorf("%v without %v: %v", tc.tools, tc.not, got)
		}
	}
}

func TestNeutral(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	lines, cut := texts(Neutral(), []Entry{at("b", long), at("a", "two\nlines", named("other"))}, Limits{Total: math.MaxInt})
	if diff := cmp.Diff([]string{"a: two lines", "b: " + strings.TrimSpace(long)}, lines); diff != "" || cut != nil {
		t.Error(diff, cut)
	}
}

// FuzzLine checks that text from a file cannot begin a new line or a tag, and that it does not
// exceed its maximum length.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"plain", "<b>\n- fake: entry", "\u202e\x1b[31m\x1b[", "\U0001F600\U0001F600", "\xff\xfe", "a\u2028b"} {
		f.Add(s, s, 20)
	}
	f.Fuzz(func(t *testing.T, name, description string, most int) {
		most = max(0, min(most, 2000))
		lt := table(t, current)
		e := at(name, description, named(name+"2"))
		lines, _ := texts(lt, []Entry{e}, Limits{Description: most, Total: math.MaxInt})
		if strings.ContainsAny(lines[0], "<>\n\r\x1b\x00") || strings.ContainsRune(lines[0], '\u2028') {
			t.Errorf("not one safe line: %q", lines[0])
		}
		if most > 0 && chars.UTF16Length(chars.ShortenUTF16(description, most, lt.Ellipsis, string(utf8.RuneError))) > most {
			t.Errorf("longer than %d", most)
		}
	})
}

// TestOrderIsTotal checks that names are totally ordered.
func TestOrderIsTotal(t *testing.T) {
	compare := table(t, current).Compare
	name := rapid.StringOf(rapid.SampledFrom([]rune("aAbBéÉ_-:.1 ß\U0001F600")))
	testenv.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		sign := func(n int) int { return max(-1, min(1, n)) }
		if sign(compare(a, b)) != -sign(compare(b, a)) || (compare(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d, %d", a, b, compare(a, b), compare(b, a))
		}
		if compare(a, b) <= 0 && compare(b, c) <= 0 && compare(a, c) > 0 {
			t.Fatalf("%q, %q, %q", a, b, c)
		}
	})
}

func BenchmarkSkills(b *testing.B) {
	lt := table(b, current)
	entries := many(600, 305)
	limits := Limits{Total: Total(&lt.Budget, 0, 0, 0)}
	b.ReportAllocs()
	for b.Loop() {
		if lines, _ := texts(lt, entries, limits); len(lines) != 600 {
			b.Fatal(len(lines))
		}
	}
}

func withTools(d *definition.Definition, tools, not []string) *definition.Definition {
	d.Fields.SetList(definition.FieldTools, tools)
	d.Fields.SetList(definition.FieldDisallowedTools, not)
	return d
}
