package coreutils

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// apply makes the second text of the first and of what differs.
func apply(a, b []int, script []change) []int {
	var out []int
	at := 0
	for _, c := range script {
		out = append(out, a[at:c.from0]...)
		out = append(out, b[c.from1:c.from1+c.inserted]...)
		at = c.from0 + c.deleted
	}
	return append(out, a[at:]...)
}

// shared is the length of the longest common subsequence.
func shared(a, b []int) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		before := 0
		for j, y := range b {
			next := row[j+1]
			if x == y {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			before = next
		}
	}
	return row[len(b)]
}

func TestEditsLeadFromOneToTheOtherAndAreShortest(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(1, 9).Draw(t, "kinds")), 0, 60)
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		script := edits(context.Background(), a, b)
		if got := apply(a, b, script); !slices.Equal(got, b) {
			t.Fatalf("%v %v: %v gives %v", a, b, script, got)
		}
		deleted, end := 0, -1
		for _, c := range script {
			if deleted += c.deleted; c.deleted+c.inserted == 0 || c.from0 <= end {
				t.Fatalf("%v %v: %v is empty or touches another", a, b, c)
			}
			end = c.from0 + c.deleted
		}
		if want := len(a) - shared(a, b); deleted != want {
			t.Fatalf("%v %v: %d deleted, %d are enough", a, b, deleted, want)
		}
	})
}

// TestEditsEnd compares texts that share nothing but in the wrong order.
func TestEditsEnd(t *testing.T) {
	const n = 12_000
	a, b := make([]int, n), make([]int, n)
	x := uint32(1)
	for i := range n {
		x = x*1664525 + 1013904223
		a[i], b[n-1-i] = int(x>>16)%5000, int(x>>20)%5000
	}
	script := edits(context.Background(), a, b)
	if got := apply(a, b, script); !slices.Equal(got, b) {
		t.Error("the edits do not lead from one to the other")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if got := apply(a, b, edits(ended, a, b)); !slices.Equal(got, b) {
		t.Error("without time the edits do not lead from one to the other")
	}
}

func TestDiffOfWhatCanNotBeHeld(t *testing.T) {
	large := strings.Repeat("0123456789abcde\n", maxHeld/16)
	tree := memFS{fstest.MapFS{"a": {Data: []byte(large)}, "b": {Data: []byte(large + "x\n")}, "c": {Data: []byte(large)}, "n": {Data: bytes.Repeat([]byte{'\n'}, maxHeld/20)}, "x": {Data: []byte("x\n")}}, nil}
	for _, tt := range []struct {
		line, out, errs string
		status          int
	}{
		{"diff a b", "Large files a and b differ\n", "", 1},
		{"diff -u a b", "Large files a and b differ\n", "", 1},
		{"diff -q a b", "Files a and b differ\n", "", 1},
		{"diff a c", "", "", 0},
		{"diff -s a c", "Files a and c are identical\n", "", 0},
		{"diff -w a b", "", "diff: input too large\n", 2},
		{"diff n x", "Large files n and x differ\n", "", 1},
		{"column -t a", "", "column: input too large\n", 2},
	} {
		if out, errs, status := play(t, &IO{FS: tree}, tt.line); out != tt.out || errs != tt.errs || status != tt.status {
			t.Errorf("%s: %d\n%.200s%s", tt.line, status, out, errs)
		}
	}
}

func TestDiffPassesOverWhatIsClosed(t *testing.T) {
	tree := memFS{fstest.MapFS{}, []string{".env", ".git"}}
	for _, dir := range []string{"a", "b"} {
		for _, name := range []string{".env", ".git/HEAD", "z"} {
			tree.MapFS[dir+"/"+name] = &fstest.MapFile{Data: []byte(dir + "\n")}
		}
	}
	for _, tt := range []struct {
		line, out, errs string
		status          int
	}{
		{"diff -rq a b", "Files a/z and b/z differ\n", "diff: a/.env: protected by the policy, not read\ndiff: a/.git: protected by the policy, not read\ndiff: b/.git: protected by the policy, not read\n", 2},
		{"diff a/.env b/z", "", "diff: a/.env: protected by the policy\n", 2},
		{"diff a/z ../z", "", "diff: ../z: outside the project\n", 2},
		{"cmp a/z a/.env", "", "cmp: a/.env: protected by the policy\n", 2},
		{"sha256sum a/.env", "", "sha256sum: a/.env: protected by the policy\n", 1},
		{"column -t a/.env", "", "column: a/.env: protected by the policy\n", 1},
		{"diff -r -x .* a b", "diff -r -x '.*' a/z b/z\n1c1\n< a\n---\n> b\n", "", 1},
	} {
		if out, errs, status := play(t, &IO{FS: tree}, tt.line); out != tt.out || errs != tt.errs || status != tt.status {
			t.Errorf("%s: %d\n%s%s", tt.line, status, out, errs)
		}
	}
}

func TestDiffOfDirectoriesEnds(t *testing.T) {
	for _, wide := range []int{1, 900} {
		_, errs, status := play(t, &IO{FS: bottomless{memTree(), wide}}, "diff -rN d x")
		if status != 2 || strings.Count(errs, "too many entries") == 0 || strings.Count(errs, "\n") > 2 {
			t.Errorf("%d wide: %d %.200s", wide, status, errs)
		}
	}
}

func TestCmpSaysWhereAFileEnds(t *testing.T) {
	tree := memFS{fstest.MapFS{"long": {Data: []byte("a\nb\nc\n")}, "inside": {Data: []byte("a\nb")}, "line": {Data: []byte("a\n")}, "empty": {}}, nil}
	for line, want := range map[string]string{
		"cmp long inside":  "cmp: EOF on inside after byte 3, in line 2\n",
		"cmp line long":    "cmp: EOF on line after byte 2, line 1\n",
		"cmp long empty":   "cmp: EOF on empty which is empty\n",
		"cmp -s long line": "",
	} {
		if out, errs, status := play(t, &IO{FS: tree}, line); out != "" || errs != want || status != 1 {
			t.Errorf("%s: %d %q %q", line, status, out, errs)
		}
	}
}

func TestSortOfNumbersThatNoFloatHolds(t *testing.T) {
	in := "9007199254740993\n9007199254740992\n0.30000000000000001\n0.3\n-9007199254740993\n-9007199254740992\n"
	want := "-9007199254740993\n-9007199254740992\n0.3\n0.30000000000000001\n9007199254740992\n9007199254740993\n"
	if out, _, _ := play(t, &IO{Stdin: strings.NewReader(in)}, "sort -sn"); out != want {
		t.Errorf("%s", out)
	}
}

func TestDiffPaths(t *testing.T) {
	for _, tt := range []struct {
		line  string
		paths []Path
	}{
		{"diff -U 3 a b", []Path{{3, "a"}, {4, "b"}}}, {"diff -L x a -", []Path{{3, "a"}}}, {"cmp a", []Path{{1, "a"}}}, {"sha1sum - a", []Path{{2, "a"}}},
		{"column -t -s , a", []Path{{4, "a"}}}, {"diff a b -x c", []Path{{1, "a"}, {2, "b"}}}, {"nproc", nil}, {"whoami", nil},
	} {
		argv := strings.Fields(tt.line)
		c, _ := Lookup(argv[0])
		p, err := c.Prepare(argv)
		if err != nil || !slices.Equal(p.Paths, tt.paths) {
			t.Errorf("%s: %v %v", tt.line, p, err)
		}
	}
}

func TestNamesOfUserAndMachine(t *testing.T) {
	for _, tt := range []struct{ line, out, bare string }{
		{"whoami", "ann\n", "whoami: the name of the user is not known\n"},
		{"id -un", "ann\n", "id: the name of the user is not known\n"},
		{"id --user --name", "ann\n", "id: the name of the user is not known\n"},
		{"hostname", "box.example\n", "hostname: the name of the machine is not known\n"},
		{"hostname -s", "box\n", "hostname: the name of the machine is not known\n"},
	} {
		if out, errs, status := play(t, &IO{User: "ann", Host: "box.example"}, tt.line); out != tt.out || errs != "" || status != 0 {
			t.Errorf("%s: %d %q %q", tt.line, status, out, errs)
		}
		if out, errs, status := play(t, &IO{}, tt.line); out != "" || errs != tt.bare || status != 1 {
			t.Errorf("%s without names: %d %q %q", tt.line, status, out, errs)
		}
	}
}

// TestSortIsTheSameWithKeysReadOnce compares the order of keys that were read
// before with that of keys read at each comparison.
func TestSortIsTheSameWithKeysReadOnce(t *testing.T) {
	flags := []string{"-n", "-g", "-h", "-M", "-V", "-f", "-d", "-i", "-r", "-s", "-b", "-u", "-k2", "-k1,1n", "-k2,2gr", "-k2h", "-k1.2,1.3", "-k2,2df", "-k1,1V", "-t,", "-k3Mr"}
	testenv.Check(t, func(t *rapid.T) {
		args := append(rapid.SliceOfN(rapid.SampledFrom(flags), 1, 4).Draw(t, "flags"), "-")
		p, err := sortSyntax().parse(args)
		if err != nil {
			t.Fatal(err)
		}
		s := &sorter{tab: -1, stable: p.has("s"), unique: p.has("u"), sep: '\n'}
		if s.readOrder(p) != nil {
			t.Skip("contradiction")
		}
		if p.has("t") {
			s.tab = ','
		}
		lines := rapid.SliceOfN(rapid.StringMatching(`[-+ ,.a-cA-C0-29eKM_]{0,8}|-?[0-9]{1,20}(\.[0-9]{1,3})?[ ,](jan|Feb|nan|inf|1e3|0x1)`), 0, 30).Draw(t, "lines")
		var got, want [][]byte
		for _, l := range lines {
			got, want = append(got, []byte(l)), append(want, []byte(l))
		}
		s.sort(context.Background(), got)
		slices.SortStableFunc(want, s.compare)
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("%q\n%q\n%q", args, got, want)
		}
	})
}

// TestSortWithoutRoomForKeys has so many keys that they can not be kept.
func TestSortWithoutRoomForKeys(t *testing.T) {
	k, _ := parseSortKey("2,2n")
	s := &sorter{tab: -1, sep: '\n', keys: slices.Repeat([]sortKey{k}, 1000)}
	var got, want [][]byte
	for i := range 1200 {
		line := []byte("x " + strconv.Itoa(i*7919%1200))
		got, want = append(got, line), append(want, line)
	}
	if s.readValues(got) != nil {
		t.Fatal("there is room for the keys")
	}
	s.sort(context.Background(), got)
	slices.SortStableFunc(want, s.compare)
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Error("the order differs")
	}
}

func BenchmarkDiff(b *testing.B) {
	var one, two strings.Builder
	for i := range 20_000 {
		line := strings.Repeat("x", i%31) + string(rune('a'+i%26)) + "\n"
		one.WriteString(line)
		if i%50 != 0 {
			two.WriteString(line)
		}
	}
	tree := memFS{fstest.MapFS{"a": {Data: []byte(one.String())}, "b": {Data: []byte(two.String())}}, nil}
	c, _ := Lookup("diff")
	p, err := c.Prepare([]string{"diff", "-u", "a", "b"})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(one.Len()))
	for b.Loop() {
		if status := p.Run(b.Context(), &IO{FS: tree, Stdout: io.Discard, Stderr: io.Discard}); status != 1 {
			b.Fatal(status)
		}
	}
}

func BenchmarkSortNumber(b *testing.B) { textBench(b, "sort", "-t", " ", "-k2,2V", "-k1,1df") }
