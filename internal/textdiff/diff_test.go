package textdiff

import "testing"

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	after := "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl2"
	want := `--- a/x.md
+++ b/x.md
@@ -1,5 +1,5 @@
 a
-b
+B
 c
 d
 e
@@ -9,4 +9,4 @@
 i
 j
 k
-l
+l2
\ No newline at end of file
`
	if got := Diff("x.md", before, after); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := Diff("x", "a", "a"); got != "" {
		t.Errorf("no change is %q", got)
	}
	if got := Diff("x", "", "a\n"); got != "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n" {
		t.Errorf("got %q", got)
	}
}
