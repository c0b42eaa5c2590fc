package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func newWriter(t *testing.T, o WriterOptions) (*Writer, string) {
	t.Helper()
	top := t.TempDir()
	tree, err := Open(filepath.ToSlash(top), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := tree.Writer(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); tree.Close() })
	return w, top
}

func TestWriter(t *testing.T) {
	w, top := newWriter(t, WriterOptions{})
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	is := func(err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	}
	ok(w.Mkdir("a"))
	is(w.Mkdir("a"), fs.ErrExist)
	is(w.Mkdir("b/c"), fs.ErrNotExist)
	ok(w.Create("a/x", []byte("1"), true))
	is(w.Create("a/x", []byte("2"), false), ErrExists)
	is(w.Replace("a/x", []byte("other"), []byte("2"), false), ErrChanged)
	if info, err := os.Stat(filepath.Join(top, "a/x")); err != nil || HasExecBits() && info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v %v", info, err)
	}
	ok(w.Replace("a/x", []byte("1"), []byte("2"), false))
	if data, err := os.ReadFile(filepath.Join(top, "a/x")); err != nil || string(data) != "2" {
		t.Errorf("%q %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(top, "a/x")); err != nil || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("%v %v", info, err)
	}
	is(w.Remove("a/x", []byte("1")), ErrChanged)
	if err := w.Symlink("x", "a/l"); err != nil {
		t.Skip("no links here:", err)
	}
	is(w.Symlink("y", "a/l"), ErrExists)
	is(w.Remove("a/l", []byte("2")), ErrLink)
	is(w.Replace("a/l", []byte("2"), []byte("3"), false), ErrLink)
	is(w.Create("a/l/x", nil, false), ErrLink)
	is(w.Unlink("a/l", "y"), ErrChanged)
	is(w.RemoveDir("a/l"), ErrLink)
	ok(w.Unlink("a/l", "x"))
	if err := w.RemoveDir("a"); err == nil {
		t.Error("a directory with a file in it is gone")
	}
	ok(w.Remove("a/x", []byte("2")))
	ok(w.RemoveDir("a"))
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../b", "a//b", "NUL", `a\b`, "x:y"} {
		is(w.Create(name, nil, false), ErrOutside)
		is(w.Mkdir(name), ErrOutside)
	}
	if left, err := os.ReadDir(top); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// TestWriterThroughLinks checks that no operation follows a symlink in a path.
func TestWriterThroughLinks(t *testing.T) {
	w, top := newWriter(t, WriterOptions{})
	outside := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(outside, "x"), []byte("1"), 0o644), os.Mkdir(filepath.Join(outside, "d"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(top, "out")); err != nil {
		t.Skip("no links here:", err)
	}
	for what, err := range map[string]error{
		"create": w.Create("out/new", nil, false), "replace": w.Replace("out/x", []byte("1"), []byte("2"), false), "remove": w.Remove("out/x", []byte("1")),
		"mkdir": w.Mkdir("out/e"), "rmdir": w.RemoveDir("out/d"), "symlink": w.Symlink("x", "out/l"),
	} {
		if !errors.Is(err, ErrLink) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := w.Sweep("out"); !errors.Is(err, ErrLink) {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "x")); err != nil || string(data) != "1" {
		t.Errorf("%q %v", data, err)
	}
}

// TestSweep checks that Sweep removes the files left by an interrupted run, and no others.
func TestSweep(t *testing.T) {
	ended := errors.New("ended")
	for _, at := range []string{"write", "rename"} {
		var dead bool
		w, top := newWriter(t, WriterOptions{Before: func(change, _ string) error {
			if dead = dead || change == at; dead {
				return ended
			}
			return nil
		}})
		if err := w.Create("x", []byte("1"), false); !errors.Is(err, ended) {
			t.Errorf("%v", err)
		}
		left, err := os.ReadDir(top)
		if err != nil || len(left) != 1 || !IsTemporary(left[0].Name()) {
			t.Fatalf("%v %v", left, err)
		}
		w.before = nil
		isOwn := []string{".vade-sync-", ".vade-sync-zzzzzzzzzzzzzzzz.tmp", "x.tmp", ".vade-0123456789abcdef.tmp"}
		for _, name := range isOwn {
			if err := os.WriteFile(filepath.Join(top, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := w.Sweep("."); n != 1 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		if left, _ := os.ReadDir(top); len(left) != len(isOwn) {
			t.Errorf("%v", left)
		}
	}
}

func TestLock(t *testing.T) {
	top := filepath.ToSlash(t.TempDir())
	var trees [2]*Tree
	for i := range trees {
		tree, err := Open(top, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		trees[i] = tree
	}
	release, err := trees[0].Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trees[1].Lock(); !errors.Is(err, ErrBusy) {
		if runtime.GOOS == "linux" {
			t.Fatal("a second one has the lock:", err)
		}
		t.Skip("no locks here:", err)
	}
	release()
	if release, err = trees[1].Lock(); err != nil {
		t.Error(err)
	} else {
		release()
	}
	if left, err := os.ReadDir(top); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}
