package vfs

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

func TestStamp(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	tree, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	stamp := func() Fingerprint {
		t.Helper()
		s, err := tree.Fingerprint("a")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, now := stamp(), time.Now()
	if stamp().Unchanged(first, now) {
		t.Error("a file of this very moment is taken for certain")
	}
	if later := now.Add(time.Hour); !stamp().Unchanged(first, later) {
		t.Error("a file that nobody has touched is taken for another")
	}
	write("two")
	if err := os.Chtimes(file, now.Add(-time.Minute), now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if stamp().Unchanged(first, now.Add(time.Hour)) {
		t.Error("another text of the same length is taken for the first")
	}
	if _, err := tree.Fingerprint("none"); err == nil {
		t.Error("a file that is not there has a stamp")
	}
	if _, err := tree.Fingerprint("../a"); err == nil {
		t.Error("a name that leads out has a stamp")
	}
}

// TestStampWithoutTime checks that a file is never reported as unchanged if the file system does
// not record timestamps.
func TestStampWithoutTime(t *testing.T) {
	tree := FromFS(fstest.MapFS{"a": {Data: []byte("x")}}, "app")
	s, err := tree.Fingerprint("a")
	if err != nil {
		t.Fatal(err)
	}
	if s.Unchanged(s, time.Now()) {
		t.Error("it is taken for certain")
	}
}
