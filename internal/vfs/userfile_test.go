//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestUserOnlyFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "policy")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("policy", link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link} {
		if err := UserOnlyFile(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var owner *OwnerError
	for _, tt := range []struct {
		path string
		mode fs.FileMode
	}{{file, 0o666}, {file, 0o664}, {dir, 0o777}} {
		old, err := os.Stat(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(tt.path, tt.mode); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, link} {
			if err := UserOnlyFile(name); !errors.As(err, &owner) {
				t.Errorf("%s with %o for %s: %v", name, tt.mode, tt.path, err)
			}
		}
		if err := os.Chmod(tt.path, old.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	if err := UserOnlyFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestReadUserFile(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(real, "p"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "p"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadUserFile(filepath.Join(dir, "link"), 10); err != nil || string(data) != "text" {
		t.Errorf("through a link: %q, %v", data, err)
	}
	for name, want := range map[string]error{"none": fs.ErrNotExist, "fifo": ErrNotRegular, "dotfiles": ErrDirectory} {
		if _, err := ReadUserFile(filepath.Join(dir, name), 10); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadUserFile(filepath.Join(dir, "link"), 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestAbove(t *testing.T) {
	dir := t.TempDir()
	tree, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	v := NewView(ViewOptions{Trees: []*Tree{tree}, Dir: tree.Real()})
	if info, err := v.LstatParent(".."); err != nil || !info.IsDir() {
		t.Errorf("..: %v, %v", info, err)
	}
	for _, name := range []string{"../..", ".", "../x", "/"} {
		if _, err := v.LstatParent(name); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
