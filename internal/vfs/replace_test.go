package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestReplace(t *testing.T) {
	top := t.TempDir()
	outside := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(top, "a/b.md"), "old")
	write(filepath.Join(top, "twin.md"), "old")
	write(filepath.Join(outside, "x.md"), "old")
	for _, err := range []error{
		os.Link(filepath.Join(top, "twin.md"), filepath.Join(outside, "twin.md")),
		os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(top, "link.md")),
		os.Symlink(outside, filepath.Join(top, "out")),
		os.Symlink("a", filepath.Join(top, "in")),
	} {
		if err != nil {
			t.Skip("no links here:", err)
		}
	}
	tree, err := Open(filepath.ToSlash(top), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for name, want := range map[string]error{
		"link.md": ErrLink, "out/x.md": ErrLink, "in/b.md": ErrLink, "twin.md": ErrHardLink, "gone.md": os.ErrNotExist, "a": ErrDirectory,
	} {
		if err := tree.Replace(name, []byte("old"), []byte("new")); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", name, err, want)
		}
	}
	if err := tree.Replace("../"+filepath.Base(outside)+"/x.md", []byte("old"), []byte("new")); err == nil {
		t.Error("a file outside was replaced")
	}
	if err := tree.Replace("a/b.md", []byte("other"), []byte("new")); !errors.Is(err, ErrChanged) {
		t.Errorf("another content: %v", err)
	}
	if err := tree.Replace("a/b.md", []byte("old"), []byte("newer")); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(filepath.Join(top, "a/b.md"))
	info, err := os.Stat(filepath.Join(top, "a/b.md"))
	if err != nil || string(data) != "newer" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q %v %v", data, info.Mode(), err)
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "x.md")); string(data) != "old" {
		t.Errorf("what is outside became %q", data)
	}
	if left, _ := filepath.Glob(filepath.Join(top, "a/.vade-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := FromFS(fstest.MapFS{"a": {}}, "x").Replace("a", nil, nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a file system in memory: %v", err)
	}
}
