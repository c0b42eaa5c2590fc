package worktree_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/worktree"
)

// repository holds a checkout with one commit, and a directory for worktrees.
type repository struct {
	t          *testing.T
	dir, store string
	git        string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	git, err := sandbox.Find("git", sandbox.Search{Path: os.Getenv("PATH")})
	if err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	r := &repository{t: t, dir: filepath.Join(home, "project"), store: filepath.Join(home, "store"), git: git}
	if err := os.MkdirAll(r.store, 0o700); err != nil {
		t.Fatal(err)
	}
	r.write(r.dir, "a.txt", "a\n")
	r.run("init", "-q", "-b", "main")
	r.run("config", "user.name", "a")
	r.run("config", "user.email", "a@example.com")
	r.run("add", "-A")
	r.run("commit", "-qm", "first")
	return r
}

func (r *repository) write(dir, name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) run(args ...string) string { return r.at(r.dir, args...) }

func (r *repository) at(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.git, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) add(branch string, replace bool) (*worktree.Worktree, error) {
	return worktree.Add(r.t.Context(), worktree.Options{
		Git: r.git, Project: r.dir, Dir: filepath.Join(r.store, strings.ReplaceAll(branch, "/", "-"), "tree"), Store: r.store,
		Branch: branch, ID: "id", Replace: replace,
	})
}

func (r *repository) mustAdd(branch string) *worktree.Worktree {
	r.t.Helper()
	w, err := r.add(branch, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// TestReplaceKeepsCheckouts checks that a branch is not replaced if the user has checked it out.
func TestReplaceKeepsCheckouts(t *testing.T) {
	r := newRepository(t)
	r.run("checkout", "-q", "-b", "vade/plan/a")
	r.write(r.dir, "mine.txt", "mine\n")
	if _, err := r.add("vade/plan/a", true); err == nil || !strings.Contains(err.Error(), "is checked out in") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "mine.txt")); err != nil {
		t.Error(err)
	}
	r.run("checkout", "-q", "main")
	if _, err := r.add("vade/plan/a", true); err != nil {
		t.Error(err)
	}
	other := worktree.Worktree{Git: r.git, Dir: r.dir, Project: r.dir, Store: r.store, Branch: "main"}
	if err := other.Remove(t.Context()); err == nil {
		t.Error("the checkout was removed")
	}
}

// TestMerge checks that a merge contains exactly the worktree's content,
// regardless of what the agent did to its branch.
func TestMerge(t *testing.T) {
	for name, change := range map[string]func(r *repository, w *worktree.Worktree){
		"uncommitted": func(*repository, *worktree.Worktree) {},
		"detached":    func(r *repository, w *worktree.Worktree) { r.at(w.Dir, "checkout", "-q", "--detach") },
		"another":     func(r *repository, w *worktree.Worktree) { r.at(w.Dir, "checkout", "-q", "-b", "feature") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.run("tag", "try")
			w := r.mustAdd("try")
			change(r, w)
			r.write(w.Dir, "new.txt", "new\n")
			if err := w.Merge(t.Context(), "message"); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "new.txt")); err != nil {
				t.Error(err)
			}
			if got, want := r.run("rev-parse", "refs/heads/try"), r.at(w.Dir, "rev-parse", "HEAD"); got != want {
				t.Errorf("the branch is at %s, not at %s", got, want)
			}
			if err := w.Remove(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMergeRefuses checks that a failed merge keeps the worktree and does not change the
// checkout.
func TestMergeRefuses(t *testing.T) {
	for name, x := range map[string]struct {
		change func(r *repository, w *worktree.Worktree)
		want   string
	}{
		"on no branch": {func(r *repository, _ *worktree.Worktree) { r.run("checkout", "-q", "--detach") }, "is not on a branch"},
		"in a merge": {func(r *repository, _ *worktree.Worktree) {
			r.write(r.dir, ".git/MERGE_HEAD", r.run("rev-parse", "HEAD")+"\n")
		}, "a merge is in progress"},
		"repository inside": {func(r *repository, w *worktree.Worktree) {
			r.write(w.Dir, "sub/x.txt", "x\n")
			r.at(filepath.Join(w.Dir, "sub"), "init", "-q")
			r.at(filepath.Join(w.Dir, "sub"), "add", "-A")
			r.at(filepath.Join(w.Dir, "sub"), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
		}, "is a separate git repository"},
		"ignored file": {func(r *repository, w *worktree.Worktree) {
			r.write(w.Dir, ".env", "theirs\n")
			r.write(r.dir, ".env", "mine\n")
			r.write(r.dir, ".gitignore", ".env\n")
		}, ".env exists in the checkout"},
		"ignored directory": {func(r *repository, w *worktree.Worktree) {
			r.write(w.Dir, "build", "theirs\n")
			r.write(r.dir, "build/out", "mine\n")
			r.write(r.dir, ".gitignore", "build/\n")
		}, "build exists in the checkout"},
		"changed submodule": {func(r *repository, w *worktree.Worktree) {
			sub := filepath.Join(w.Dir, "sub")
			r.write(sub, "x.txt", "x\n")
			r.at(sub, "init", "-q")
			r.at(sub, "add", "-A")
			r.at(sub, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
			r.at(w.Dir, "add", "-A")
			r.at(w.Dir, "commit", "-qm", "x")
			w.Base = r.at(w.Dir, "rev-parse", "HEAD")
			r.write(sub, "x.txt", "changed\n")
		}, "sub has uncommitted changes, which a commit in the worktree would not include"},
		"another .git": {func(r *repository, w *worktree.Worktree) {
			r.write(w.Dir, "g/HEAD", "ref: refs/heads/x\n")
			r.write(w.Dir, "g/config", "[filter \"z\"]\n\tclean = touch ../pwned\n")
			r.write(w.Dir, ".git", "gitdir: g\n")
		}, "was changed during the run"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			w := r.mustAdd("try")
			r.write(w.Dir, "new.txt", "new\n")
			x.change(r, w)
			if err := w.Merge(t.Context(), "message"); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Error(err)
			}
			if clean, _ := w.Clean(t.Context()); clean {
				t.Error("the worktree counts as clean")
			}
			if _, err := os.Stat(filepath.Join(w.Dir, "new.txt")); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "new.txt")); err == nil {
				t.Error("it was merged")
			}
		})
	}
}

// TestEditedLinks checks that a symlink to a named pipe, which an agent put in
// place of a copy, counts as a change and is not opened.
func TestEditedLinks(t *testing.T) {
	r := newRepository(t)
	r.write(r.dir, ".git/info/exclude", "local.md\n")
	r.write(r.dir, "local.md", "local\n")
	w := r.mustAdd("try")
	w.Copies = []string{":(top,literal)local.md"}
	if out, err := exec.Command("mkfifo", filepath.Join(w.Dir, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	if err := os.Symlink("pipe", filepath.Join(w.Dir, "local.md")); err != nil {
		t.Fatal(err)
	}
	edited, err := w.Edited(t.Context())
	if err != nil || len(edited) != 1 {
		t.Error(edited, err)
	}
}

// TestAddAtOnce concurrently adds and removes worktrees. Without a lock, git
// fails when it reads an entry that another git process is writing.
func TestAddAtOnce(t *testing.T) {
	r := newRepository(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 3 {
				w, err := r.add(fmt.Sprintf("vade/%d-%d", n, i), true)
				if err == nil {
					err = w.Remove(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
