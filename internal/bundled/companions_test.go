package bundled

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/internal/vfs"
)

func skills() fstest.MapFS {
	return fstest.MapFS{
		"plain/SKILL.md":      {Data: []byte("text")},
		"rich/SKILL.md":       {Data: []byte("text")},
		"rich/reference/a.md": {Data: []byte("one\n")},
		"rich/scripts/run.sh": {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"other/SKILL.md":      {Data: []byte("text")},
		"other/table.csv":     {Data: []byte("1,2\n")},
	}
}

func place(t *testing.T) string {
	t.Helper()
	return filepath.ToSlash(filepath.Join(t.TempDir(), "vade", "companions"))
}

func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if p != dir {
			names = append(names, p)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestCompanions(t *testing.T) {
	at := place(t)
	var c Companions
	if dir, err := c.Dir(skills(), "plain", []string{at}); dir != "" || err != nil {
		t.Errorf("a skill without files: %q, %v", dir, err)
	}
	if len(left(t, at)) > 0 {
		t.Error("something was made for a skill without files")
	}
	dir, err := c.Dir(skills(), "rich", []string{at})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Dir(skills(), "rich", []string{at}); again != dir {
		t.Errorf("the second call gives %s, the first %s", again, dir)
	}
	other, err := c.Dir(skills(), "other", []string{at})
	if err != nil || filepath.Dir(other) != filepath.Dir(dir) {
		t.Errorf("%s is not beside %s, %v", other, dir, err)
	}
	if data, err := os.ReadFile(dir + "/reference/a.md"); string(data) != "one\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(dir + "/SKILL.md"); err == nil {
		t.Error("the text itself was written")
	}
	if info, err := os.Stat(dir + "/scripts/run.sh"); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("a file can be run: %v, %v", info, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if names := left(t, at); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if _, err := c.Dir(skills(), "rich", []string{at}); !errors.Is(err, vfs.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestCompanionsRace makes 64 concurrent first calls.
func TestCompanionsRace(t *testing.T) {
	at := place(t)
	var mu sync.Mutex
	changes := map[string]int{}
	c := Companions{options: vfs.TempDirOptions{Before: func(change, name string) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(name, "vade-") {
			name = "scratch"
		}
		changes[change+" "+name]++
		return nil
	}}}
	const callers = 64
	dirs, begin := make([]string, callers), make(chan struct{})
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			<-begin
			dir, err := c.Dir(skills(), "rich", []string{at})
			if err != nil {
				t.Error(err)
			}
			if _, err := os.ReadFile(dir + "/reference/a.md"); err != nil {
				t.Error(err)
			}
			dirs[i] = dir
		})
	}
	close(begin)
	wg.Wait()
	for _, dir := range dirs {
		if dir != dirs[0] || dir == "" {
			t.Fatalf("%s and %s", dir, dirs[0])
		}
	}
	for _, change := range []string{"mkdir scratch", "mkdir rich", "create reference/a.md", "write reference/a.md", "create scripts/run.sh", "verify rich"} {
		if changes[change] != 1 {
			t.Errorf("%q was done %d times", change, changes[change])
		}
	}
	c.Close()
	if names := left(t, at); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// TestCompanionsCloseDuringCalls calls Close during many concurrent calls. No
// files may remain, whichever call wins.
func TestCompanionsCloseDuringCalls(t *testing.T) {
	for range 20 {
		at := place(t)
		var c Companions
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _, _ = c.Dir(skills(), "rich", []string{at}) })
		}
		wg.Go(func() { c.Close() })
		wg.Wait()
		c.Close()
		if names := left(t, at); len(names) > 0 {
			t.Fatalf("left behind: %v", names)
		}
	}
}

func TestCompanionsFail(t *testing.T) {
	for _, failure := range []error{syscall.ENOSPC, syscall.EROFS} {
		at, fail := place(t), true
		c := Companions{options: vfs.TempDirOptions{Before: func(change, _ string) error {
			if fail && change == "write" {
				return failure
			}
			return nil
		}}}
		dir, err := c.Dir(skills(), "rich", []string{at})
		if dir != "" || !errors.Is(err, failure) {
			t.Errorf("%q, %v", dir, err)
		}
		if names := left(t, at); len(names) > 0 {
			t.Errorf("left behind: %v", names)
		}
		fail = false
		if dir, err := c.Dir(skills(), "rich", []string{at}); dir == "" || err != nil {
			t.Errorf("when there is room again: %q, %v", dir, err)
		}
		c.Close()
	}
	var c Companions
	if _, err := c.Dir(skills(), "rich", nil); !errors.Is(err, errNowhere) {
		t.Errorf("without a place: %v", err)
	}
}

// TestCompanionsNextPlace checks that an untrusted parent directory is left
// unchanged and the next one is used.
func TestCompanionsNextPlace(t *testing.T) {
	bad, good := place(t), place(t)
	elsewhere := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(bad), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, bad); err != nil {
		t.Skipf("no link can be made here: %v", err)
	}
	var c Companions
	defer c.Close()
	dir, err := c.Dir(skills(), "rich", []string{bad, good})
	if err != nil || !strings.HasPrefix(dir, good) {
		t.Errorf("%s, %v", dir, err)
	}
	if names := left(t, elsewhere); len(names) > 0 {
		t.Errorf("written through a link: %v", names)
	}
}

// TestCompanionsTampered modifies the written files between two calls.
func TestCompanionsTampered(t *testing.T) {
	for name, tamper := range map[string]func(dir string) error{
		"other bytes": func(dir string) error { return os.WriteFile(dir+"/reference/a.md", []byte("two\n"), 0o600) },
		"gone":        func(dir string) error { return os.RemoveAll(dir) },
		"all gone":    func(dir string) error { return os.RemoveAll(filepath.Dir(dir)) },
		"replaced": func(dir string) error {
			elsewhere := filepath.Dir(filepath.Dir(dir)) + "/mine"
			return errors.Join(os.Rename(filepath.Dir(dir), elsewhere), os.Symlink(elsewhere, filepath.Dir(dir)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := place(t)
			var c Companions
			first, err := c.Dir(skills(), "rich", []string{at})
			if err != nil {
				t.Fatal(err)
			}
			if err := tamper(first); err != nil {
				t.Skipf("the copy cannot be changed here: %v", err)
			}
			second, err := c.Dir(skills(), "rich", []string{at})
			if err != nil || second == first {
				t.Fatalf("%s again, %v", second, err)
			}
			if data, err := os.ReadFile(second + "/reference/a.md"); string(data) != "one\n" {
				t.Errorf("%q, %v", data, err)
			}
			if third, _ := c.Dir(skills(), "rich", []string{at}); third != second {
				t.Errorf("the third call gives %s, the second %s", third, second)
			}
			c.Close()
		})
	}
}

func TestCompanionsAreBounded(t *testing.T) {
	large := fstest.MapFS{"x/SKILL.md": {}, "x/a": {Data: make([]byte, MaxBytes)}, "x/b": {Data: []byte("1")}}
	many := fstest.MapFS{"x/SKILL.md": {}}
	for i := range MaxFiles + 1 {
		many["x/"+strings.Repeat("i", i+1)] = &fstest.MapFile{}
	}
	link := fstest.MapFS{"x/SKILL.md": {}, "x/a": {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}}
	for name, fsys := range map[string]fs.FS{"large": large, "many": many, "a link": link} {
		at := place(t)
		var c Companions
		if dir, err := c.Dir(fsys, "x", []string{at}); dir != "" || err == nil {
			t.Errorf("%s: %q, %v", name, dir, err)
		}
		if len(left(t, at)) > 0 {
			t.Errorf("%s: something was made", name)
		}
		c.Close()
	}
}
