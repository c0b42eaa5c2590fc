package pathmatch

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestIgnoreNested(t *testing.T) {
	root := (*Ignore)(nil).Enter("", []byte("*.log\n/out\nbuild/\n"))
	web := root.Enter("web", []byte("!keep.log\n/out\n"))
	deep := web.Enter("web/src", []byte("*.ts\r\n# a note\r\n!a.ts\r\n"))
	for _, tc := range []struct {
		ig   *Ignore
		path string
		dir  bool
		want bool
	}{
		{nil, "x.log", false, false},
		{root, "x.log", false, true},
		{root, "web/keep.log", false, true},
		{web, "web/keep.log", false, false},
		{web, "web/other.log", false, true},
		{web, "other/keep.log", false, true},
		{root, "out", true, true},
		{root, "web/out", true, false},
		{web, "web/out", true, true},
		{web, "web/x/out", true, false},
		{root, "build", false, false},
		{root, "build/x", false, true},
		{deep, "web/src/b.ts", false, true},
		{deep, "web/src/a.ts", false, false},
		{deep, "web/b.ts", false, false},
		{deep, "web/src/build/a.ts", false, true},
		{deep, "web/src/x/keep.log", false, false},
		{deep, "websrc/keep.log", false, true},
	} {
		if got := tc.ig.Ignored(tc.path, tc.dir); got != tc.want {
			t.Errorf("Ignored(%q, %v) = %v, want %v", tc.path, tc.dir, got, tc.want)
		}
	}
}

func TestEnterIsImmutable(t *testing.T) {
	root := (*Ignore)(nil).Enter(".", []byte("a\n"))
	child := root.Enter("x", []byte("b\n"))
	if root.Ignored("x/b", false) || !child.Ignored("x/b", false) || !child.Ignored("x/a", false) {
		t.Error("a child changes its parent or forgets it")
	}
	if root.Enter("y", nil) != root || root.Enter("y", []byte("# nothing\n\n")) != root {
		t.Error("a directory without patterns makes a new Ignore")
	}
}

func TestIgnoreByteOrderMark(t *testing.T) {
	if ig := (*Ignore)(nil).Enter("a", []byte("\xef\xbb\xbfok\n\n[bad\n")); !ig.Ignored("a/ok", false) {
		t.Error("a byte order mark hides the first pattern")
	}
}

// TestNestedAgainstGit walks random trees with several .gitignore files and
// compares the result for every visited path against git's.
func TestNestedAgainstGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and a file system that takes any name")
	}
	r := rand.New(rand.NewPCG(5, 6))
	root := t.TempDir()
	if out, err := exec.Command(git, "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range 400 {
		dir := filepath.Join(root, "abcdefghijklmnopqrstuvwxyz"[r.IntN(26):][:1], filepath.FromSlash(randomPath(r)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			parent := dir
			for range r.IntN(3) {
				parent = filepath.Dir(parent)
			}
			if parent != root {
				os.WriteFile(filepath.Join(parent, ".gitignore"), []byte(randomPattern(r)+"\n"+randomPattern(r)+"\n"), 0o644)
			}
			os.WriteFile(filepath.Join(dir, names[r.IntN(len(names))]+".x"), nil, 0o644)
		}
	}
	var asked []string
	got := map[string]bool{}
	var walk func(dir string, ig *Ignore)
	walk = func(dir string, ig *Ignore) {
		content, _ := os.ReadFile(filepath.Join(root, dir, ".gitignore"))
		ig = ig.Enter(dir, content)
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			path := strings.TrimPrefix(dir+"/"+e.Name(), "/")
			if path == ".git" {
				continue
			}
			asked = append(asked, path)
			got[path] = ig.Ignored(path, e.IsDir())
			if e.IsDir() && !got[path] {
				walk(path, ig)
			}
		}
	}
	walk("", nil)

	cmd := exec.Command(git, "check-ignore", "--no-index", "--stdin", "-z")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+root)
	cmd.Stdin = strings.NewReader(strings.Join(asked, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for path := range bytes.SplitSeq(out, []byte{0}) {
		ignored[string(path)] = true
	}
	for _, path := range asked {
		if got[path] != ignored[path] {
			t.Errorf("Ignored(%q) = %v, git says %v", path, got[path], ignored[path])
		}
	}
	t.Logf("%d paths, %d ignored", len(asked), len(ignored)-1)
}
