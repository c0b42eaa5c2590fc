//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownerCase is a change to a valid chain of directories, base/a/b.
type ownerCase struct {
	name   string
	change func(t *testing.T, base string)
	// dir is the directory to check, relative to base. at is the path that has the error, or "".
	dir, at string
	problem string
}

func withMode(path string, mode fs.FileMode) func(*testing.T, string) {
	return func(t *testing.T, base string) {
		t.Helper()
		if err := os.Chmod(filepath.Join(base, path), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func withOwner(path string, user, group int) func(*testing.T, string) {
	return func(t *testing.T, base string) {
		t.Helper()
		if os.Geteuid() != 0 {
			t.Skip("only root may give a file away")
		}
		if err := os.Lchown(filepath.Join(base, path), user, group); err != nil {
			t.Fatal(err)
		}
	}
}

func withLink(target, name string) func(*testing.T, string) {
	return func(t *testing.T, base string) {
		t.Helper()
		if err := os.Symlink(strings.ReplaceAll(target, "BASE", base), filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func inTurn(list ...func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, base string) {
		t.Helper()
		for _, f := range list {
			f(t, base)
		}
	}
}

func runOwner(t *testing.T, check func(string) error, cases []ownerCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{"a/b", "c"} {
				if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := check(base); err != nil {
				t.Skipf("the directory of the test is itself no good: %v", err)
			}
			tc.change(t, base)
			err = check(filepath.Join(base, tc.dir))
			var wrong *OwnerError
			switch {
			case tc.at == "" && err != nil:
				t.Errorf("got %v, want nothing", err)
			case tc.at == "":
			case !errors.As(err, &wrong):
				t.Errorf("got %v, want an OwnerError", err)
			case wrong.Path != filepath.Join(base, tc.at) || !strings.Contains(wrong.Problem, tc.problem) || wrong.Fix == "":
				t.Errorf("got %+v, want %s %s", wrong, tc.at, tc.problem)
			}
		})
	}
}

func TestUserOnly(t *testing.T) {
	none := func(*testing.T, string) {}
	runOwner(t, UserOnly, []ownerCase{
		{"good", none, "a/b", "", ""},
		{"private", withMode("a/b", 0o700), "a/b", "", ""},
		{"others write", withMode("a/b", 0o757), "a/b", "a/b", "writable by others"},
		{"group writes", withMode("a/b", 0o775), "a/b", "a/b", "writable by its group"},
		{"sticky itself", withMode("a/b", 0o777|fs.ModeSticky), "a/b", "a/b", "writable by others"},
		{"others write above", withMode("a", 0o757), "a/b", "a", "writable by others"},
		{"group writes above", withMode("a", 0o775), "a/b", "a", "writable by its group"},
		{"sticky above", withMode("a", 0o777|fs.ModeSticky), "a/b", "", ""},
		{"link", withLink("a", "x"), "x/b", "", ""},
		{"absolute link", withLink("BASE/a", "x"), "x/b", "", ""},
		{"link up", inTurn(withLink("../a/b", "c/x"), withMode("a", 0o757)), "c/x", "a", "writable by others"},
		{"link to a bad place", inTurn(withLink("a/b", "x"), withMode("a/b", 0o757)), "x", "a/b", "writable by others"},
		{"link in a bad place", inTurn(withLink("../a", "c/x"), withMode("c", 0o757)), "c/x/b", "c", "writable by others"},
		{"dots", withMode("a", 0o757), "c/../a/./b", "a", "writable by others"},
		{"root's group writes", inTurn(withMode("a/b", 0o775), withOwner("a/b", 0, 0)), "a/b", "a/b", "writable by its group"},
		{"another owner", withOwner("a/b", 12345, 0), "a/b", "a/b", "belongs to user 12345"},
		{"another owner above", withOwner("a", 12345, 0), "a/b", "a", "belongs to user 12345"},
		{"another's link in a shared directory", inTurn(withMode("c", 0o777|fs.ModeSticky), withLink("../a", "c/x"), withOwner("c/x", 12345, 0)), "c/x", "c/x", "belongs to user 12345"},
	})
}

func TestSystemOnly(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has directories of root to change")
	}
	runOwner(t, SystemOnly, []ownerCase{
		{"good", withMode("a/b", 0o755), "a/b", "", ""},
		{"others write", withMode("a/b", 0o757), "a/b", "a/b", "writable by others"},
		{"a group writes", inTurn(withOwner("a/b", 0, 12345), withMode("a/b", 0o775)), "a/b", "a/b", "writable by its group"},
		{"a group writes above", inTurn(withOwner("a", 0, 12345), withMode("a", 0o775)), "a/b", "a", "writable by its group"},
		{"a group reads", inTurn(withOwner("a/b", 0, 12345), withMode("a/b", 0o755)), "a/b", "", ""},
		{"another owner", withOwner("a/b", 12345, 0), "a/b", "a/b", "not to root"},
		{"another owner above", withOwner("a", 12345, 0), "a/b", "a", "not to root"},
		{"another's link", inTurn(withLink("a/b", "x"), withOwner("x", 12345, 0)), "x", "x", "not to root"},
	})
}

// TestSystemOnlyForOrdinaryUser does not need privileges: the user's files do not belong to the
// system, but /usr does.
func TestSystemOnlyForOrdinaryUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("what root makes is the system's")
	}
	var wrong *OwnerError
	if err := SystemOnly(t.TempDir()); !errors.As(err, &wrong) {
		t.Errorf("the user's own directory: %v", err)
	}
}

func TestOwnerOfFile(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"loop": "loop", "gone": "nothing"} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	var wrong *OwnerError
	for _, dir := range []string{"relative", "", file, file + "/x"} {
		if err := UserOnly(dir); !errors.As(err, &wrong) {
			t.Errorf("UserOnly(%q) = %v, want an OwnerError", dir, err)
		}
	}
	for _, name := range []string{"missing", "gone"} {
		if err := UserOnly(filepath.Join(base, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want that it does not exist", name, err)
		}
	}
	if err := UserOnly(filepath.Join(base, "loop")); !errors.Is(err, ErrLoop) {
		t.Errorf("loop: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	base := t.TempDir()
	check := func(name string) error {
		t.Helper()
		path := filepath.Join(base, name)
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return private(path, info)
	}
	for name, mode := range map[string]fs.FileMode{"good": 0o600, "read": 0o400, "group": 0o640, "others": 0o604, "exec": 0o601, "linked": 0o600} {
		path := filepath.Join(base, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(base, "linked"), filepath.Join(base, "second")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"good": "", "read": "", "group": "accessible to its group", "others": "accessible to its group", "exec": "accessible to its group", "linked": "hard link"} {
		err := check(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may give a file away")
	}
	if err := os.Chown(filepath.Join(base, "good"), 12345, -1); err != nil {
		t.Fatal(err)
	}
	if err := check("good"); err == nil || !strings.Contains(err.Error(), "belongs to user 12345") {
		t.Errorf("another's file: %v", err)
	}
}
