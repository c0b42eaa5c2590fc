package vfs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestPrivateSweep checks that Sweep removes unfinished files and, if there are
// too many files, the oldest ones.
func TestPrivateSweep(t *testing.T) {
	long := time.Now().Add(-2 * leftoverAge)
	ages := map[string]time.Time{privateTemporary + "old": long, privateTemporary + "new": time.Now()}
	for i := range 9 {
		ages[strconv.Itoa(i)] = long.Add(time.Duration(i) * time.Second)
	}
	for _, x := range []struct {
		files int
		size  int64
		want  []string
	}{
		{0, 0, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
		{3, 0, []string{"6", "7", "8"}},
		{0, 59, []string{"4", "5", "6", "7", "8"}},
		{2, 1000, []string{"7", "8"}},
	} {
		dir := filepath.Join(t.TempDir(), "private")
		d, err := MakePrivate(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for name, at := range ages {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte("0123456789"), 0o600))
			must(t, os.Chtimes(filepath.Join(dir, name), at, at))
		}
		d.Sweep(x.files, x.size)
		names, more, err := d.Names()
		if err != nil || more || !slices.Equal(names, x.want) {
			t.Errorf("%d files of %d bytes: %v are left, %v", x.files, x.size, names, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, privateTemporary+"old")); err == nil {
			t.Error("an old unfinished file is left")
		}
		if _, err := os.Lstat(filepath.Join(dir, privateTemporary+"new")); err != nil {
			t.Error("a file that is being written is gone")
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
