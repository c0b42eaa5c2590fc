package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCountLines(t *testing.T) {
	for _, tc := range []struct {
		src         string
		lines, wide int
	}{
		{"", 0, 0},
		{"package a\n\nvar x = 1\n", 3, 0},
		{strings.Repeat("é", 120) + "\n" + strings.Repeat("x", 121), 2, 1},
		{"\t" + strings.Repeat("x", 116) + "\r\n\t" + strings.Repeat("x", 117) + "\n", 2, 1},
	} {
		if lines, wide := countLines([]byte(tc.src)); lines != tc.lines || wide != tc.wide {
			t.Errorf("%q: %d lines, %d wide; want %d, %d", tc.src, lines, wide, tc.lines, tc.wide)
		}
	}
}

func TestCountTokens(t *testing.T) {
	for src, want := range map[string]int{
		"package a\n":                       2,
		"package a // comment\n\nvar x = 1": 6,
		"package a; var x = 1;":             8,
		"package a\nfunc f() {\n}\n":        8,
	} {
		if got := countTokens([]byte(src)); got != want {
			t.Errorf("%q: %d tokens, want %d", src, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"go.mod": "module example.org/a\n\nrequire b.org/b v1.0.0\n", "a.go": "package a", "a_test.go": "package a", "testdata/b.go": "no Go",
		".git/c.go": "", "x/y/go.mod": "module example.org/a/x/y\n", "x/y/z/d.go": "package z", "README.md": "",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	sources, modules, err := read(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) != 2 || sources["a.go"] == nil || sources["x/y/z/d.go"] == nil {
		t.Errorf("read %d files", len(sources))
	}
	if len(modules) != 2 || modules["."].Module.Mod.Path != "example.org/a" || len(modules["."].Require) != 1 || modules["x/y"] == nil {
		t.Errorf("%d modules", len(modules))
	}
}

func TestTestFigures(t *testing.T) {
	const output = `# a line of the go command
{"Time":"2026-01-02T03:04:05Z","Action":"start","Package":"github.com/vadehq/vade"}
{"Time":"2026-01-02T03:04:06Z","Action":"attr","Package":"github.com/vadehq/vade","Test":"TestA","Key":"figure/conformance/x@1/exact","Value":"12"}
{"Time":"2026-01-02T03:04:06Z","Action":"attr","Package":"github.com/vadehq/vade","Test":"TestA","Key":"other","Value":"x y"}
{"Time":"2026-01-02T03:04:06Z","Action":"pass","Package":"github.com/vadehq/vade","Test":"TestA","Elapsed":1}
{"Time":"2026-01-02T03:04:06Z","Action":"skip","Package":"github.com/vadehq/vade","Test":"TestB","Elapsed":0}
{"Time":"2026-01-02T03:04:07Z","Action":"pass","Package":"github.com/vadehq/vade","Elapsed":1.5}
{"Time":"2026-01-02T03:04:07Z","Action":"fail","Package":"github.com/vadehq/vade/internal/x","Test":"TestC","Elapsed":0}
{"Time":"2026-01-02T03:04:08Z","Action":"skip","Package":"github.com/vadehq/vade/bench/empty","Elapsed":0}
`
	want := map[string]float64{
		"tests/slow/all": 3, "tests/slow/failed": 1, "tests/slow/skipped": 1, "conformance/x@1/exact": 12, "tests/slow/seconds/.": 1.5, "tests/slow/seconds/wall": 3,
	}
	got, err := testFigures(strings.NewReader(output))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (- want):\n%s", err, diff)
	}
	delete(want, "tests/slow/seconds/.")
	delete(want, "tests/slow/seconds/wall")
	const cached = `{"Time":"2026-01-02T03:04:06Z","Action":"output","Package":"github.com/vadehq/vade","Output":"ok  \tgithub.com/vadehq/vade\t(cached)\n"}` + "\n"
	got, err = testFigures(strings.NewReader(cached + output))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("cached: %v (- want):\n%s", err, diff)
	}
	for _, bad := range []string{"", "no JSON\n", `{"Action":"attr","Key":"figure/x","Value":"many"}`} {
		if got, err := testFigures(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %v and no error", bad, got)
		}
	}
}

func TestPrintDiff(t *testing.T) {
	old := baseline{map[string]float64{
		"conformance/x@1/exact": 40, "conformance/x@1/cases": 48, "conformance/x@1/different": 8, "conformance/y@1/exact": 3, "packages/a/lines": 100,
		"packages/b/lines": 50, "binary/bytes": 1000, "run/a / b/wall ratio": 2, "tests/slow/seconds/wall": 9, "tests/slow/all": 100, "attacks/own/harmless": 5,
	}, "one"}
	now := baseline{map[string]float64{
		"conformance/x@1/exact": 39, "conformance/x@1/cases": 49, "conformance/x@1/different": 7, "packages/a/lines": 101,
		"packages/c/lines": 5, "binary/bytes": 1001, "run/a / b/wall ratio": 2.1, "tests/slow/seconds/wall": 90, "tests/slow/all": 101,
	}, "two"}
	const want = `changed  conformance/x@1/cases      48 → 49
better   conformance/x@1/different  8 → 7
WORSE    conformance/x@1/exact      40 → 39
WORSE    conformance/y@1/exact      3 → –
WORSE    packages/a/lines           100 → 101
gone     packages/b/lines           50 → –
new      packages/c/lines           – → 5
changed  tests/slow/all             100 → 101
3 worse, 1 better, 2 changed, 1 new, 1 gone
not compared: attacks; times, measured on one
`
	if mark := ruleOf("tests/slow/seconds/a").mark(1, 3, true, true); mark != "" {
		t.Errorf("two seconds more are %s", mark)
	}
	var out strings.Builder
	printDiff(&out, old, now)
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(- want):\n%s", diff)
	}
}
