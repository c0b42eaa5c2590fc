package trust

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	file := func(path, data string) File { return File{Path: path, Data: []byte(data)} }
	ifMissing := func(path, data string) File {
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
		"binary":         {[]File{ifMissing("f", "\x00a")}, []File{file("f", "\x00b")}, []string{"changed f " + NoteBinary + "||"}},
		"became binary":  {[]File{file("f", "a")}, []File{file("f", "\xff")}, []string{"changed f " + NoteBinary + "||"}},
		"not kept":       {[]File{ifMissing("f", "a")}, []File{file("f", "b")}, []string{"changed f " + NoteNotKept + "||"}},
		"large":          {[]File{file("f", "a")}, []File{large}, []string{"changed f " + NoteLarge + "||"}},
		"was large":      {[]File{large}, []File{file("f", "a")}, []string{"changed f " + NoteLarge + "||"}},
		"large is added": {nil, []File{large}, []string{"added f " + NoteLarge + "||"}},
		"two hunks": {[]File{file("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")}, []File{file("f", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n")},
			[]string{"changed f |@@ -1,4 +1,4 @@|-1|+x| 2| 3| 4|@@ -7,4 +7,4 @@| 7| 8| 9|-10|+y||"}},
		"one hunk": {[]File{file("f", "1\n2\n3\n4\n5\n6\n7\n")}, []File{file("f", "x\n2\n3\n4\n5\n6\ny\n")},
			[]string{"changed f |@@ -1,7 +1,7 @@|-1|+x| 2| 3| 4| 5| 6|-7|+y||"}},
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

// TestLongestDiff compares texts that have the maximum stored size.
func TestLongestDiff(t *testing.T) {
	old := &Record{Files: []File{{Path: "f", Data: []byte(strings.Repeat("\n", MaxText))}}}
	c := Diff(old, &Closure{Files: []File{{Path: "f", Data: []byte(strings.Repeat("a\n", MaxText/2))}}})
	if len(c) != 1 || c[0].Unified == "" || len(c[0].Unified) > 1<<20 {
		t.Errorf("%d changes, %q", len(c), c[0].Note)
	}
}
