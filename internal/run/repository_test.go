package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/policy"
)

// inRepository turns the project into a git repository with one commit.
func inRepository(t *testing.T, dir string) func(args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "a.txt", "sub")
	git("commit", "-qm", "one")
	return git
}

// TestGitDoesNotQuoteFiles checks that git does not print a protected file in its output or error
// messages, even in a repository set up to make it do so.
func TestGitDoesNotQuoteFiles(t *testing.T) {
	requireSandbox(t)
	for name, lay := range map[string]func(t *testing.T, dir string, git func(...string)){
		"ignored revisions": func(_ *testing.T, _ string, git func(...string)) { git("config", "blame.ignoreRevsFile", ".env") },
		"mailmap":           func(_ *testing.T, _ string, git func(...string)) { git("config", "mailmap.file", ".env") },
		"order":             func(_ *testing.T, _ string, git func(...string)) { git("config", "diff.orderFile", ".env") },
		"grafts":            func(t *testing.T, dir string, _ func(...string)) { mustLink(t, dir, "../../.env", ".git/info/grafts") },
		"packed":            func(t *testing.T, dir string, _ func(...string)) { mustLink(t, dir, "../.env", ".git/packed-refs") },
		"bisect": func(t *testing.T, dir string, _ func(...string)) {
			mustLink(t, dir, "../.env", ".git/BISECT_START")
			mustLink(t, dir, "../.env", ".git/BISECT_LOG")
		},
		"rebase": func(t *testing.T, dir string, _ func(...string)) {
			if err := os.Mkdir(filepath.Join(dir, ".git/rebase-merge"), 0o755); err != nil {
				t.Fatal(err)
			}
			mustLink(t, dir, "../../.env", ".git/rebase-merge/done")
			mustLink(t, dir, "../../.env", ".git/rebase-merge/git-rebase-todo")
		},
		"second name": func(t *testing.T, dir string, _ func(...string)) {
			if err := os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, ".git/shallow")); err != nil {
				t.Skip(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := project(t, "version: 1\n", nil)
			lay(t, dir, inRepository(t, dir))
			for _, text := range []string{"git status", "git log -1", "git blame a.txt", "git diff HEAD", "git branch -a", "git describe --always"} {
				if got := r.Run(t.Context(), text, nil); strings.Contains(got.Output+got.Stderr, "secret") {
					t.Errorf("%q prints the file: %q", text, got.Output)
				}
			}
		})
	}
}

// TestGitDoesNotReadHardLinks checks that git does not read a tracked file that is a hard link to a
// protected file. It also checks that harmless hard links are accepted: untracked ones, which
// package managers create, and links between two clones' objects.
func TestGitDoesNotReadHardLinks(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "version: 1\n", nil)
	git := inRepository(t, dir)
	hardLink := func(to, name string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, name))
		if err := os.Link(filepath.Join(dir, to), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	commands := []string{"git diff", "git diff HEAD -- a.txt", "git diff-files -p", "git diff-index -p HEAD", "git grep -h secret", "git blame sub/b.txt",
		"git -C sub diff", "cd sub && git grep -h secret :/"}
	hardLink(".env", "node_modules")
	hardLink("esc", ".git/objects/esc")
	for _, text := range commands {
		if got := r.Run(t.Context(), text, nil); got.Failure != nil && got.Failure.Reason != "" {
			t.Errorf("%q is refused because of a link that git does not read: %+v", text, got.Failure)
		}
	}
	hardLink(".env", "sub/b.txt")
	for _, text := range commands {
		got := r.Run(t.Context(), text, nil)
		if strings.Contains(got.Output+got.Stderr, "secret") {
			t.Errorf("%q prints the file: %q", text, got.Output)
		}
		if got.Failure == nil || got.Failure.Reason != policy.ReasonRepository || !strings.Contains(got.Failure.Message, "b.txt") {
			t.Errorf("%q: %+v", text, got.Failure)
		}
	}
	for _, text := range []string{"git status", "git log -p", "git show HEAD:sub/b.txt"} {
		if got := r.Run(t.Context(), text, nil); got.Failure != nil {
			t.Errorf("%q, which reads no file: %+v", text, got.Failure)
		}
	}
	// blame reads a file that is in HEAD even if it is not in the index.
	git("rm", "-q", "--cached", "sub/b.txt")
	if got := r.Run(t.Context(), "git blame sub/b.txt", nil); got.Failure == nil || got.Failure.Reason != policy.ReasonRepository {
		t.Errorf("blame without the index: %+v, %q", got.Failure, got.Output)
	}
}

func mustLink(t *testing.T, dir, to, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// TestTokensAreRemoved checks that output never contains a password from a URL
// in the repository's configuration or logs.
func TestTokensAreRemoved(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "version: 1\n", nil)
	git := inRepository(t, dir)
	git("config", "remote.origin.url", "https://user:secret@h.invalid/x.git")
	git("config", "branch.main.remote", "https://user:secret@h.invalid/x.git")
	git("config", "branch.main.merge", "refs/heads/main")
	git("update-ref", "-m", "pull https://user:secret@h.invalid/x.git", "refs/heads/main", "HEAD")
	git("reset", "-q", "--soft", "HEAD")
	for _, text := range []string{"git remote -v", "git config remote.origin.url", "git for-each-ref --format='%(push:remotename)'", "git reflog", "git log -g -1 --format=%gs", "git branch -vv", "git status -sb"} {
		got := r.Run(t.Context(), text, nil)
		if strings.Contains(got.Output+got.Stderr, "secret") {
			t.Errorf("%q prints the password: %q", text, got.Output)
		}
	}
	if got := r.Run(t.Context(), "git remote -v", nil); !got.Redacted || !strings.Contains(got.Output, "https://***@h.invalid/x.git") {
		t.Errorf("%+v", got)
	}
}

// TestGrantedGit checks that granting git does not re-enable programs that the
// repository configures.
func TestGrantedGit(t *testing.T) {
	requireSandbox(t)
	r, dir := project(t, "shell: granted\nallow: [Bash(git:*)]\n", nil)
	git := inRepository(t, dir)
	if got := r.Run(t.Context(), "git status --ignore-submodules=none", nil); got.Failure != nil {
		t.Errorf("%+v", got.Failure)
	}
	git("config", "alias.foo", "!echo secret")
	if got := r.Run(t.Context(), "git foo", nil); got.Failure == nil || got.Failure.Reason != policy.ReasonRepository {
		t.Errorf("an alias: %+v, %+v", got, got.Failure)
	}
	git("config", "--unset", "alias.foo")
	git("config", "core.fsmonitor", "echo secret >&2; false")
	got := r.Run(t.Context(), "git status --ignore-submodules=none", nil)
	if got.Failure == nil || got.Failure.Reason != policy.ReasonRepository || strings.Contains(got.Output, "secret") {
		t.Errorf("%+v, %+v", got, got.Failure)
	}
	dry, _ := project(t, "version: 1\n", func(o *Options) { o.DryRun = true })
	if got := dry.Run(t.Context(), "git status", nil); got.Failure != nil {
		t.Errorf("a dry run without a repository: %+v", got.Failure)
	}
}
