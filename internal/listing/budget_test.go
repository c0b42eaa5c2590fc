package listing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"

	"github.com/vadehq/vade/internal/testenv"
)

// many returns n entries with descriptions of the given length.
func many(n, length int) []Entry {
	var list []Entry
	for i := range n {
		list = append(list, at(fmt.Sprintf("s%03d", i), strings.Repeat("d", length)))
	}
	return list
}

func whole(lines []string) int {
	n := 0
	for _, l := range lines {
		if strings.Contains(l, ": ") {
			n++
		}
	}
	return n
}

// TestBudget checks the recorded numbers (m22, m23, m24) and their consequences.
func TestBudget(t *testing.T) {
	lt := table(t, current)
	for _, tc := range []struct {
		name                      string
		entries, context, replace int
		fraction                  float64
		want                      int
	}{
		{"600 (m23)", 600, 0, 0, 0, 64},
		{"150 (m22)", 150, 0, 0, 0, 74},
		{"all that fit", 76, 0, 0, 0, 76},
		{"one more", 77, 0, 0, 0, 76},
		{"replaced (m24)", 150, 0, 2000, 0, 0},
		{"replaced by more", 150, 0, 200_000, 0, 150},
		{"a longer context", 600, 8_000_000, 0, 0, 600},
		{"a larger part", 600, 0, 0, 0.5, 600},
		{"a short context", 150, 200_000, 0, 0, 2},
		{"a short context that is enough", 6, 200_000, 0, 0, 6},
	} {
		lines, cut := texts(lt, many(tc.entries, 305), Limits{Total: Total(&lt.Budget, tc.context, tc.fraction, tc.replace)})
		if got := whole(lines); got != tc.want || len(lines) != tc.entries || len(cut) != tc.entries-tc.want {
			t.Errorf("%s: %d of %d lines are whole, %d cut; want %d", tc.name, got, len(lines), len(cut), tc.want)
		}
	}
}

func TestSharedBudget(t *testing.T) {
	lt := table(t, old)
	total := Total(&lt.Budget, 0, 0, 0)
	if total != 8000 {
		t.Errorf("total %d", total)
	}
	if lines, cut := texts(lt, many(600, 305), Limits{Total: total}); whole(lines) != 0 || len(cut) != 600 {
		t.Errorf("600 (m23): %d with a description", whole(lines))
	}
	lines, cut := texts(lt, many(150, 305), Limits{Total: total})
	if whole(lines) != 150 || len(cut) != 150 {
		t.Errorf("150 (m22): %d with a description, %d cut", whole(lines), len(cut))
	}
	for _, l := range lines {
		if !strings.HasSuffix(l, "…") || len(l) != len(lines[0]) {
			t.Fatalf("not shortened equally: %q", l)
		}
	}
	if n := len([]rune(strings.Join(lines, "\n"))) + 2*len(lines); n > total {
		t.Errorf("%d of %d units", n, total)
	}
}

// TestBudgetProperties checks that all names and their order are preserved, and that only names can
// exceed the budget. For hosts that shorten all lines equally, it also checks that a larger budget
// does not shorten lines.
func TestBudgetProperties(t *testing.T) {
	for _, as := range []string{current, old} {
		lt := table(t, as)
		testenv.Check(t, func(t *rapid.T) {
			var entries []Entry
			for i := range rapid.IntRange(0, 30).Draw(t, "entries") {
				entries = append(entries, at(fmt.Sprintf("n%02d", i), strings.Repeat("é", rapid.IntRange(1, 300).Draw(t, "length"))))
			}
			total := rapid.IntRange(-100, 9000).Draw(t, "total")
			more := total + rapid.IntRange(0, 2000).Draw(t, "more")
			full, none := texts(lt, entries, Limits{Total: math.MaxInt})
			a, cut := texts(lt, entries, Limits{Total: total})
			b, _ := texts(lt, entries, Limits{Total: more})
			if slices.ContainsFunc(none, func(c Cut) bool { return c.Why != CutLong }) || len(a) != len(entries) {
				t.Fatalf("%d lines of %d, %v cut without a limit", len(a), len(entries), none)
			}
			cut = slices.DeleteFunc(cut, func(c Cut) bool { return c.Why == CutLong })
			used, names, changed := 0, 0, 0
			for i, l := range a {
				name := entries[i].Definition.Name
				if l != name && !strings.HasPrefix(l, name+": ") {
					t.Fatalf("line %d is %q", i, l)
				}
				// With FillInOrder, a description that fits now may leave no room for a later one.
				if lt.Budget.Overflow != host.FillInOrder && chars.UTF16Length(a[i]) > chars.UTF16Length(b[i]) {
					t.Fatalf("more room shortens line %d", i)
				}
				if l != full[i] {
					changed++
				}
				if lt.Budget.Overflow != host.ShareEqually && l != name && l != full[i] {
					t.Fatalf("line %d is neither whole nor a name: %q", i, l)
				}
				used += chars.UTF16Length(l) + lt.Budget.EntryOverhead
				names += chars.UTF16Length(name) + lt.Budget.EntryOverhead
			}
			if changed != len(cut) {
				t.Fatalf("%d lines are cut and %d named", changed, len(cut))
			}
			if changed > 0 && used > max(total+1, names) {
				t.Fatalf("%d units of %d", used, total)
			}
		})
	}
}
