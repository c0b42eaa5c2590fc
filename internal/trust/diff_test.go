package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

func TestDiff(t *testing.T) {
	file := func(path, data string) File { return File{Path: path, Data: []byte(data)} }
	gone := func(path, data string) File {
		return File{Path: path, Digest: digestOf([]byte(data)), Size: int64(len(data))}
	}
	large := File{Path: "f", Digest: digestOf(nil), Size: MaxText + 1}
	for name, tc := range map[string]struct {
		old, now []File
		want     []string
	}{
		"same":       {[]File{file("f", "a\n")}, []File{file("f", "a\n")}, nil},
		"added":      {nil, []File{file("f", "a\nb\n")}, []string{"added f |@@ -0,0 +1,2 @@|+a|+b||"}},
		"removed":    {[]File{file("f", "a\n")}, nil, []string{"removed f |@@ -1,1 +0,0 @@|-a||"}},
		"renamed":    {[]File{file("f", "a\n")}, []File{file("g", "a\n")}, []string{"removed f |@@ -1,1 +0,0 @@|-a||", "added g |@@ -0,0 +1,1 @@|+a||"}},
		"changed":    {[]File{file("f", "a\nb\nc\n")}, []File{file("f", "a\nB\nc\n")}, []string{"changed f |@@ -1,3 +1,3 @@| a|-b|+B| c||"}},
		"no newline": {[]File{file("f", "a\n")}, []File{file("f", "a")}, []string{`changed f |@@ -1,1 +1,1 @@|-a|+a|\ No newline at end of file||`}},
		"emptied":    {[]File{file("f", "a\n")}, []File{file("f", "")}, []string{"changed f |@@ -1,1 +0,0 @@|-a||"}},
		"exec":       {[]File{file("f", "a\n")}, []File{{Path: "f", Mode: 0o755, Data: []byte("a\n")}}, []string{"changed f " + NoteExec + "||"}},
		"exec and text": {[]File{file("f", "a\n")}, []File{{Path: "f", Mode: 0o755, Data: []byte("b\n")}},
			[]string{"changed f " + NoteExec + "|@@ -1,1 +1,1 @@|-a|+b||"}},
		"became a link":  {[]File{file("f", "a\n")}, []File{{Path: "f", Mode: fs.ModeSymlink, Target: "x"}}, []string{"changed f " + NoteType + "|@@ -1,1 +0,0 @@|-a||"}},
		"link turned":    {[]File{{Path: "f", Mode: fs.ModeSymlink, Target: "x"}}, []File{{Path: "f", Mode: fs.ModeSymlink, Target: "y"}}, []string{"changed f " + NoteTarget + "||"}},
		"binary":         {[]File{gone("f", "\x00a")}, []File{file("f", "\x00b")}, []string{"changed f " + NoteBinary + "||"}},
		"became binary":  {[]File{file("f", "a")}, []File{file("f", "\xff")}, []string{"changed f " + NoteBinary + "||"}},
		"not kept":       {[]File{gone("f", "a")}, []File{file("f", "b")}, []string{"changed f " + NoteNotKept + "||"}},
		"large":          {[]File{file("f", "a")}, []File{large}, []string{"changed f " + NoteLarge + "||"}},
		"was large":      {[]File{large}, []File{file("f", "a")}, []string{"changed f " + NoteLarge + "||"}},
		"large is added": {nil, []File{large}, []string{"added f " + NoteLarge + "||"}},
		"two hunks": {[]File{file("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")}, []File{file("f", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n")},
			[]string{"changed f |@@ -1,4 +1,4 @@|-1|+x| 2| 3| 4|@@ -7,4 +7,4 @@| 7| 8| 9|-10|+y||"}},
		"one hunk": {[]File{file("f", "1\n2\n3\n4\n5\n6\n7\n8\n")}, []File{file("f", "x\n2\n3\n4\n5\n6\n7\ny\n")},
			[]string{"changed f |@@ -1,8 +1,8 @@|-1|+x| 2| 3| 4| 5| 6| 7|-8|+y||"}},
	} {
		var got []string
		for _, c := range Diff(&Record{Files: sortedFiles(tc.old)}, &Closure{Files: tc.now}) {
			got = append(got, fmt.Sprintf("%s %s %s|%s|", c.Kind, c.Name, c.Note, strings.ReplaceAll(c.Unified, "\n", "|")))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDiffOfCommandsAndGrants(t *testing.T) {
	old := &Record{Commands: []string{"make", "make", "ls"}, Grants: []string{"a", "b"}}
	var got []string
	for _, c := range Diff(old, &Closure{Commands: []string{"ls", "make", "rm"}, Grants: []string{"c", "b"}}) {
		got = append(got, fmt.Sprint(c.Kind, " ", c.Subject, " ", c.Name, " ", c.Note))
	}
	for _, now := range [][]string{{"make", "ls", "make"}, {"make", "ls"}, {"make", "make", "ls", "ls"}, {"make", "make", "ls"}} {
		for _, c := range Diff(old, &Closure{Commands: now, Grants: []string{"b", "a"}}) {
			got = append(got, fmt.Sprint(c.Kind, " ", c.Subject, " ", c.Name, " ", c.Note))
		}
	}
	want := []string{"removed grant a ", "added grant c "}
	want = append([]string{"added command rm "}, want...)
	want = append(want, "changed command ls "+NoteOrder, "changed command ls "+NoteOrder, "changed command ls "+NoteOrder)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// apply does what the program patch does, and believes nothing.
func apply(old, diff string) (string, error) {
	lines, at := splitLines(old), 0
	var out strings.Builder
	rest := splitLines(diff)
	for len(rest) > 0 {
		var i, n, j, m int
		if _, err := fmt.Sscanf(rest[0], "@@ -%d,%d +%d,%d @@\n", &i, &n, &j, &m); err != nil {
			return "", fmt.Errorf("%q: %w", rest[0], err)
		}
		rest = rest[1:]
		if n > 0 {
			i--
		}
		if i < at || i > len(lines) {
			return "", errors.New("a hunk out of order")
		}
		out.WriteString(strings.Join(lines[at:i], ""))
		if at = i; m > 0 {
			j--
		}
		if j != len(splitLines(out.String())) {
			return "", fmt.Errorf("a hunk for line %d stands at another", j)
		}
		for n > 0 || m > 0 {
			if len(rest) == 0 {
				return "", errors.New("half a hunk")
			}
			op, line := rest[0][0], rest[0][1:]
			if rest = rest[1:]; len(rest) > 0 && rest[0][0] == '\\' {
				line, rest = strings.TrimSuffix(line, "\n"), rest[1:]
			}
			if op != '+' {
				if at >= len(lines) || lines[at] != line {
					return "", fmt.Errorf("line %d is not %q", at, line)
				}
				at, n = at+1, n-1
			}
			if op != '-' {
				out.WriteString(line)
				m--
			}
		}
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String(), nil
}

func checkApplies(t interface{ Fatalf(string, ...any) }, old, now string) {
	diff, ok := unified(old, now)
	if !ok {
		t.Fatalf("%q to %q is too long", old, now)
	}
	got, err := apply(old, diff)
	if err != nil || got != now {
		t.Fatalf("%q to %q: %v, %q by\n%s", old, now, err, got, diff)
	}
	if (diff == "") != (old == now) {
		t.Fatalf("%q to %q by %q", old, now, diff)
	}
}

func TestDiffApplies(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "@@ -1,1 +1,1 @@\n", "-a\n", "\\ No newline at end of file\n", "\r\n"})
	lines := rapid.SliceOfN(line, 0, 40)
	testenv.Check(t, func(t *rapid.T) {
		old := strings.Join(lines.Draw(t, "old"), "") + rapid.SampledFrom([]string{"", "end", "\\"}).Draw(t, "end")
		now := strings.Join(lines.Draw(t, "new"), "") + rapid.SampledFrom([]string{"", "end", "\\"}).Draw(t, "end")
		checkApplies(t, old, now)
	})
}

// TestShortest compares the number of edits with that of the plain algorithm.
func TestShortest(t *testing.T) {
	values := rapid.SliceOfN(rapid.Int32Range(0, 3), 0, 20)
	testenv.Check(t, func(t *rapid.T) {
		x, y := values.Draw(t, "x"), values.Draw(t, "y")
		edits, ok := shortest(x, y)
		if !ok {
			t.Fatal("too long")
		}
		got := 0
		for _, e := range edits {
			if e.op != ' ' {
				got += e.n
			}
		}
		if want := distance(x, y); got != want {
			t.Fatalf("%d edits from %v to %v, want %d: %v", got, x, y, want, edits)
		}
	})
}

func distance(x, y []int32) int {
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			next := min(row[j], row[j+1]) + 1
			if x[i] == y[j] {
				next = diagonal
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(y)]
}

// TestWhatCostsTooMuch compares texts that have nothing in common but their
// lines, in another order.
func TestWhatCostsTooMuch(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintln(&a, i)
		fmt.Fprintln(&b, (i*7919)%20_000)
	}
	checkApplies(t, a.String(), b.String())
	checkApplies(t, a.String(), a.String()+"x")
	if _, ok := unified(strings.Repeat("a\n", maxUnified/3), strings.Repeat("b\n", maxUnified/3)); ok {
		t.Error("a difference longer than what is shown")
	}
	c := Diff(&Record{Files: []File{{Path: "f", Data: []byte(strings.Repeat("\n", MaxText))}}}, &Closure{Files: []File{{Path: "f", Data: []byte(strings.Repeat("a", MaxText))}}})
	if len(c) != 1 || c[0].Unified == "" || len(c[0].Unified) > maxUnified+100 {
		t.Errorf("the longest texts that are kept: %d changes, %q", len(c), c[0].Note)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("", "")
	f.Add("a\nb\nc", "a\nc\n")
	f.Add("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n2\n3\n4\n5\n6\n7\n9\n")
	f.Add("\\ No newline at end of file", "@@ -1,1 +1,1 @@\n")
	f.Fuzz(func(t *testing.T, old, now string) {
		if len(old)+len(now) > 100_000 {
			t.Skip("too long to try often")
		}
		checkApplies(t, old, now)
	})
}
