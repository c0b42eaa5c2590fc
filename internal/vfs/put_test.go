//go:build unix

package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
)

func TestPut(t *testing.T) {
	top, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "x.json")
	if err := errors.Join(
		os.WriteFile(secret, []byte("old"), 0o600),
		os.WriteFile(filepath.Join(top, "mine.json"), []byte("old"), 0o600),
		os.Mkdir(filepath.Join(top, "dir"), 0o755),
		os.Symlink(secret, filepath.Join(top, "link.json")),
		os.Symlink(filepath.Join(outside, "new.json"), filepath.Join(top, "hanging.json")),
		os.Symlink(outside, filepath.Join(top, "out")),
		syscall.Mkfifo(filepath.Join(top, "pipe"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	tree, err := Open(top, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for name, want := range map[string]error{
		"link.json": ErrLink, "hanging.json": ErrLink, "out/x.json": ErrLink, "out/new/x.json": ErrLink, "dir": ErrDirectory, ".": ErrDirectory,
		"pipe": ErrNotRegular, "mine.json/x": ErrNotDirectory, "../x": ErrOutside,
	} {
		if err := tree.Put(name, []byte("new")); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", name, err, want)
		}
	}
	for name, mode := range map[string]os.FileMode{"mine.json": 0o600, "a/b/c.json": 0o644, "dir/d.json": 0o644} {
		if err := tree.Put(name, []byte("new")); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, _ := os.ReadFile(filepath.Join(top, name))
		if info, err := os.Stat(filepath.Join(top, name)); err != nil || string(data) != "new" || info.Mode().Perm() != mode {
			t.Errorf("%s: %q %v %v", name, data, info.Mode(), err)
		}
	}
	if data, _ := os.ReadFile(secret); string(data) != "old" {
		t.Errorf("what is outside became %q", data)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("outside there is now %v", left)
	}
	left, _ := filepath.Glob(filepath.Join(top, ".vade-*"))
	if len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	if err := FromFS(fstest.MapFS{}, "x").Put("a", nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a file system of no system: %v", err)
	}
}
