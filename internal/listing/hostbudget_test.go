package listing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

// filler returns n entries with the description text from case n14.
func filler(n int) []Entry {
	var list []Entry
	for i := range n {
		name := fmt.Sprintf("s%03d", i)
		list = append(list, placed(name, "SENT:"+name+" "+strings.TrimSpace(strings.Repeat("filler text ", 24))))
	}
	return list
}

// TestRecordedBudgets checks, against the recordings, how many of 300 skills each host shows.
func TestRecordedBudgets(t *testing.T) {
	for as, want := range map[string]int{"codex": 300, "copilot-cli": 37, "gemini": 300, "opencode": 300, "pi": 300, "qwen": 300} {
		lt := table(t, as)
		l := Skills(lt, filler(300), Limits{Total: Total(&lt.Budget, 0, 0, 0)})
		marks := strings.Count(l.Text, "SENT:s")
		if marks != want || len(l.Lines) != 300 {
			t.Errorf("%s: %d marks in %d entries, recorded %d", as, marks, len(l.Lines), want)
		}
		first := slices.IndexFunc(l.Lines, func(x Line) bool { return !strings.Contains(x.Text, "SENT:") })
		if want < 300 && first != want {
			t.Errorf("%s: the first without a description is %d, not %d", as, first, want)
		}
		if as == "copilot-cli" && l.Lines[37].Text != "s037" {
			t.Errorf("%s: %q", as, l.Lines[37].Text)
		}
	}
}

func TestReplacedBudget(t *testing.T) {
	lt := table(t, "copilot-cli")
	if lt.Budget.Env != "SKILL_CHAR_BUDGET" {
		t.Fatalf("the variable is %s", lt.Budget.Env)
	}
	for replaced, want := range map[int]int{0: 37, 394: 0, 395: 1, 790: 2, 1 << 20: 300} {
		l := Skills(lt, filler(300), Limits{Total: Total(&lt.Budget, 0, 0, replaced)})
		if got := 300 - len(l.Cut); got != want {
			t.Errorf("with %d: %d are whole, not %d", replaced, got, want)
		}
	}
}

// TestSpread checks how space is distributed. Descriptions are shortened equally before an entry is
// omitted. Space that short descriptions do not need goes to longer ones. Paths are shortened if
// more entries then fit. The host's own tests have the same cases.
func TestSpread(t *testing.T) {
	lt := *table(t, "codex")
	lt.Alias = nil
	lt.Budget.BytesPerToken = 1
	bare := len("- a: (file: /p/.agents/skills/a/SKILL.md)\n")
	for _, tc := range []struct {
		name    string
		entries []Entry
		total   int
		want    []string
		why     []Why
	}{
		{"alike", []Entry{placed("a", "abcdef"), placed("b", "uvwxyz")}, 2*bare + 6, []string{"ab", "uv"}, []Why{CutShortened, CutShortened}},
		{"what is left over", []Entry{placed("a", "x"), placed("b", "abcdefghi")}, 2*bare + 11, []string{"x", "abcdefgh"}, []Why{CutShortened}},
		{"no room for a character", []Entry{placed("a", "xy"), placed("b", "yz")}, 2*bare + 1, []string{"", ""}, []Why{CutDropped, CutDropped}},
		{"one is left out", []Entry{placed("a", "xy"), placed("b", "yz")}, bare, []string{""}, []Why{CutDropped, CutOmitted}},
		{"a long one is passed over", []Entry{placed("a"+strings.Repeat("a", 50), "xy"), placed("b", "")}, bare, []string{""}, []Why{CutOmitted}},
		{"characters stay whole", []Entry{placed("a", "ééé")}, bare + 1 + 3, []string{"é"}, []Why{CutShortened}},
		{"all fits", []Entry{placed("a", "xy")}, bare + 3, []string{"xy"}, nil},
		{"nothing fits", []Entry{placed("a", "xy")}, 0, nil, []Why{CutOmitted}},
	} {
		l := Skills(&lt, tc.entries, Limits{Total: tc.total})
		var got []string
		for _, x := range l.Lines {
			_, rest, _ := strings.Cut(x.Text, ": ")
			description, _, _ := strings.Cut(rest, "(file")
			got = append(got, strings.TrimSpace(description))
		}
		var why []Why
		for _, c := range l.Cut {
			why = append(why, c.Why)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || !slices.Equal(why, tc.why) {
			t.Errorf("%s: why %v, not %v; - want, + got:\n%s", tc.name, why, tc.why, diff)
		}
	}
}

func TestShortPaths(t *testing.T) {
	lt := table(t, "codex")
	long := "/home/somebody/projects/" + strings.Repeat("far/", 30) + ".agents/skills"
	var entries []Entry
	for i := range 60 {
		e := placed(fmt.Sprintf("s%02d", i), "Does something useful")
		e.Root, e.Path = long, long+"/"+e.Definition.Name+"/SKILL.md"
		if i%2 == 1 {
			e.Definition.Origin.Layer, e.Definition.Origin.Row = definition.User, 3
			e.Root, e.Path = "/u", "/u/"+e.Definition.Name+"/SKILL.md"
		}
		entries = append(entries, e)
	}
	l := Skills(lt, entries, Limits{Total: 1300})
	if !strings.Contains(l.Text, "### Skill roots\n- `r0` = `"+long+"`\n- `r1` = `/u`\n### Available skills\n- s00: Does something useful (file: r0/s00/SKILL.md)\n") {
		t.Errorf("%s", l.Text[:min(len(l.Text), 900)])
	}
	if !strings.Contains(l.Text, "(file: r1/s01/SKILL.md)") || len(l.Cut) > 0 || len(l.Lines) != 60 {
		t.Errorf("%d lines, %d cut", len(l.Lines), len(l.Cut))
	}
	if l := Skills(lt, entries, Limits{Total: 5}); len(l.Lines) > 0 || len(l.Cut) != 60 {
		t.Errorf("%d lines, %d cut", len(l.Lines), len(l.Cut))
	}
}

// TestTableCounts checks that the first 141 bytes of the path table do not count toward the budget,
// and that the rest does (observed in Codex 0.169.0).
func TestTableCounts(t *testing.T) {
	lt := table(t, "codex")
	spent := func(root int) int {
		n := 0
		e := placed("a", strings.Repeat("x", 1000))
		e.Root = "/" + strings.Repeat("r", root-len("- `r0` = `/`"))
		e.Path = e.Root + "/a/SKILL.md"
		for _, l := range Skills(lt, []Entry{e}, Limits{Total: 100}).Lines {
			n += tokens(lt, len(l.Text)+lt.Budget.EntryOverhead)
		}
		return n
	}
	for length, want := range map[int]int{50: 100, 141: 100, 142: 99, 145: 99, 146: 98} {
		if got := spent(length); got != want {
			t.Errorf("with a table of %d bytes, the entries have %d tokens, want %d", length, got, want)
		}
	}
}

func TestCodexLength(t *testing.T) {
	for n, want := range map[int]string{1024: strings.Repeat("é", 1024), 1025: strings.Repeat("é", 1021) + "..."} {
		lines, _ := texts(table(t, "codex"), []Entry{placed("a", strings.Repeat("é", n))}, Limits{Total: math.MaxInt})
		if got := strings.TrimSuffix(strings.TrimPrefix(lines[0], "a: "), " (file: r0/a/SKILL.md)"); got != want {
			t.Errorf("%d characters become %d", n, utf8.RuneCountInString(got))
		}
	}
}

// TestNothingEndsAnEscapedEntry checks that in hosts that escape entries, names and descriptions
// cannot inject tags.
func TestNothingEndsAnEscapedEntry(t *testing.T) {
	hostile := rapid.StringOf(rapid.SampledFrom([]rune("<>&\"'/\n ab</available_skills><skill>")))
	for _, as := range []string{"copilot-cli", "pi", "qwen", "agentskills"} {
		lt := table(t, as)
		plain := Skills(lt, []Entry{placed("a", "b")}, Limits{Total: math.MaxInt}).Text
		testenv.Check(t, func(t *rapid.T) {
			text := Skills(lt, []Entry{placed("a", hostile.Draw(t, "description"), func(d *definition.Definition) {
				d.Name = "n" + hostile.Draw(t, "name")
			})}, Limits{Total: math.MaxInt}).Text
			for _, c := range "<>" {
				if strings.Count(text, string(c)) != strings.Count(plain, string(c)) {
					t.Fatalf("%s: %q", as, text)
				}
			}
		})
	}
}

// TestSpreadProperties checks that the budget is not exceeded, that the names and their order are
// preserved, and that if a budget lists all entries, a larger one does too. If some entries are
// omitted, a larger budget may list fewer entries. The host tries the entries one after another, so
// one long entry can take the space of two short ones.
func TestSpreadProperties(t *testing.T) {
	lt := table(t, "codex")
	cost := func(l Listing) int {
		n := 0
		for _, x := range l.Lines {
			n += tokens(lt, len(x.Text)+lt.Budget.EntryOverhead)
		}
		return n
	}
	testenv.Check(t, func(t *rapid.T) {
		var entries []Entry
		for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
			e := placed(fmt.Sprintf("n%02d", i), strings.Repeat("é", rapid.IntRange(0, 200).Draw(t, "length")))
			e.Root = "/" + strings.Repeat("r", rapid.IntRange(1, 80).Draw(t, "root"))
			e.Path = e.Root + "/x/SKILL.md"
			entries = append(entries, e)
		}
		total := rapid.IntRange(0, 3000).Draw(t, "total")
		a := Skills(lt, entries, Limits{Total: total})
		b := Skills(lt, entries, Limits{Total: total + rapid.IntRange(0, 500).Draw(t, "more")})
		if cost(a) > total {
			t.Fatalf("%d tokens of %d", cost(a), total)
		}
		omitted := slices.DeleteFunc(slices.Clone(a.Cut), func(c Cut) bool { return c.Why != CutOmitted })
		if len(a.Lines)+len(omitted) != len(entries) || len(omitted) == 0 && len(b.Lines) < len(a.Lines) {
			t.Fatalf("%d and %d of %d entries, %d left out", len(a.Lines), len(b.Lines), len(entries), len(omitted))
		}
		for i := 1; i < len(a.Lines); i++ {
			if a.Lines[i-1].Definition.Name >= a.Lines[i].Definition.Name {
				t.Fatal("the order is another")
			}
		}
	})
}

func BenchmarkSpread(b *testing.B) {
	p, _ := registry.Lookup("codex")
	entries := filler(1000)
	for b.Loop() {
		if l := Skills(p.Listing, entries, Limits{Total: 20_000}); len(l.Lines) != 1000 {
			b.Fatal(len(l.Lines))
		}
	}
}
