//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// trees opens the same directory with each backend for this system.
func trees(t *testing.T, dir string, o Options) map[string]*Tree {
	t.Helper()
	all := map[string]*Tree{}
	first, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	all["default"] = first
	root, err := os.OpenRoot(first.Real())
	if err != nil {
		t.Fatal(err)
	}
	portable := &Tree{dir: first.dir, real: first.real, back: rootBackend{root}, hardLinks: o.HardLinks}
	portable.allow = []*Tree{portable}
	all["portable"] = portable
	t.Cleanup(func() {
		first.Close()
		portable.Close()
	})
	return all
}

// layout creates a tree with one entry of each type, and a secret next to it.
func layout(t *testing.T) (inside, outside string) {
	t.Helper()
	base := t.TempDir()
	inside, outside = filepath.Join(base, "in"), filepath.Join(base, "out")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(filepath.Join(inside, "a/b"), 0o755))
	check(os.MkdirAll(outside, 0o755))
	check(os.WriteFile(filepath.Join(outside, "secret"), []byte("SECRET"), 0o644))
	check(os.WriteFile(filepath.Join(inside, "a/b/file"), []byte("content"), 0o644))
	check(os.WriteFile(filepath.Join(inside, "empty"), nil, 0o644))
	for link, target := range map[string]string{
		"link": "a/b/file", "dirlink": "a", "abs": filepath.Join(inside, "a/b/file"), "up": "../out/secret", "upabs": filepath.Join(outside, "secret"),
		"loop": "loop", "x": "y", "y": "x", "gone": "nothing", "a/back": "../a/b", "a/out": "../../out",
	} {
		check(os.Symlink(target, filepath.Join(inside, link)))
	}
	check(syscall.Mkfifo(filepath.Join(inside, "pipe"), 0o644))
	check(os.Link(filepath.Join(outside, "secret"), filepath.Join(inside, "hard")))
	return inside, outside
}

func TestReadFile(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		for _, tc := range []struct {
			file string
			want string
			err  error
		}{
			{"a/b/file", "content", nil},
			{"empty", "", nil},
			{"nothing", "", fs.ErrNotExist},
			{"a/b/file/x", "", fs.ErrNotExist},
			{"a", "", ErrDirectory},
			{".", "", ErrDirectory},
			{"link", "", ErrLink},
			{"dirlink/b/file", "", ErrLink},
			{"up", "", ErrLink},
			{"loop", "", ErrLink},
			{"pipe", "", ErrNotRegular},
			{"hard", "", ErrHardLink},
			{"../out/secret", "", ErrOutside},
			{"/etc/hostname", "", ErrOutside},
			{"a/../../out/secret", "", ErrOutside},
			{"", "", ErrOutside},
		} {
			got, err := within(t, func() ([]byte, error) { return tree.ReadFile(tc.file, 100) })
			if !errors.Is(err, tc.err) || string(got) != tc.want {
				t.Errorf("%s: ReadFile(%q) = %q, %v; want %q, %v", name, tc.file, got, err, tc.want, tc.err)
			}
		}
		if _, err := tree.ReadFile("a/b/file", 6); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: 7 bytes with a limit of 6: %v", name, err)
		}
		if got, err := tree.ReadFile("a/b/file", 7); err != nil || string(got) != "content" {
			t.Errorf("%s: 7 bytes with a limit of 7: %q, %v", name, got, err)
		}
		buf := make([]byte, 4)
		if n, size, err := tree.ReadHead("a/b/file", buf); n != 4 || size != 7 || err != nil || string(buf) != "cont" {
			t.Errorf("%s: ReadHead = %d, %d, %v, %q", name, n, size, err, buf)
		}
	}
	for name, tree := range trees(t, inside, Options{HardLinks: true}) {
		if got, err := tree.ReadFile("hard", 100); err != nil || string(got) != "SECRET" {
			t.Errorf("%s: a hard link that is allowed: %q, %v", name, got, err)
		}
	}
}

// within fails the test if the call blocks, as it would when opening a FIFO.
func within(t *testing.T, f func() ([]byte, error)) ([]byte, error) {
	t.Helper()
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := f()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-time.After(10 * time.Second):
		t.Fatal("the call does not return")
		return nil, nil
	}
}

func TestResolve(t *testing.T) {
	inside, outside := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		for _, tc := range []struct {
			file, want string
			err        error
		}{
			{"a/b/file", "a/b/file", nil},
			{"link", "a/b/file", nil},
			{"abs", "a/b/file", nil},
			{"dirlink", "a", nil},
			{"dirlink/b/file", "a/b/file", nil},
			{"a/back/file", "a/b/file", nil},
			{"dirlink/back/file", "a/b/file", nil},
			{"up", "", ErrOutside},
			{"upabs", "", ErrOutside},
			{"a/out/secret", "", ErrOutside},
			{"loop", "", ErrLoop},
			{"x", "", ErrLoop},
			{"gone", "", fs.ErrNotExist},
			{"../out", "", ErrOutside},
		} {
			to, rel, err := tree.Resolve(tc.file)
			if !errors.Is(err, tc.err) || rel != tc.want || err == nil && to != tree {
				t.Errorf("%s: Resolve(%q) = %q, %v; want %q, %v", name, tc.file, rel, err, tc.want, tc.err)
			}
		}
		other, err := Open(outside, Options{HardLinks: true})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		tree.Allow(other)
		if to, rel, err := tree.Resolve("up"); err != nil || to != other || rel != "secret" {
			t.Errorf("%s: into an allowed tree: %v, %q, %v", name, to, rel, err)
		}
	}
}

func TestReadDir(t *testing.T) {
	inside, _ := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		entries, more, err := tree.ReadDir("a", 10)
		want := []Entry{{"b", Dir}, {"back", Link}, {"out", Link}}
		if err != nil || more || len(entries) != len(want) {
			t.Fatalf("%s: %v, %v, %v", name, entries, more, err)
		}
		for i := range want {
			if entries[i] != want[i] {
				t.Errorf("%s: entry %d is %v, want %v", name, i, entries[i], want[i])
			}
		}
		if entries, more, err := tree.ReadDir("a", 2); len(entries) != 2 || !more || err != nil {
			t.Errorf("%s: with a limit of 2: %v, %v, %v", name, entries, more, err)
		}
		if _, _, err := tree.ReadDir("dirlink", 10); !errors.Is(err, ErrLink) {
			t.Errorf("%s: a link to a directory: %v", name, err)
		}
		if _, _, err := tree.ReadDir("nothing", 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: nothing: %v", name, err)
		}
		for file, want := range map[string]Type{"pipe": Other, "link": Link, "a": Dir, "empty": File, ".": Dir} {
			if typ, err := tree.Lstat(file); typ != want || err != nil {
				t.Errorf("%s: Lstat(%q) = %v, %v; want %v", name, file, typ, err, want)
			}
		}
	}
}

// TestSwap repeatedly replaces a file with a symlink to a secret and back while
// it is being read. No read may return the secret.
func TestSwap(t *testing.T) {
	inside, outside := layout(t)
	for name, tree := range trees(t, inside, Options{}) {
		stop := make(chan struct{})
		stopped := make(chan struct{})
		target := filepath.Join(inside, "swap")
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
				}
				tmp := target + ".tmp"
				_ = os.Symlink(filepath.Join(outside, "secret"), tmp)
				_ = os.Rename(tmp, target)
				_ = os.WriteFile(tmp, []byte("plain"), 0o644)
				_ = os.Rename(tmp, target)
			}
		}()
		for range 20_000 {
			if got, err := tree.ReadFile("swap", 100); err == nil && string(got) == "SECRET" {
				t.Errorf("%s: the secret was read", name)
				break
			}
		}
		close(stop)
		<-stopped
		os.Remove(target)
	}
}

func TestFromFS(t *testing.T) {
	tree := FromFS(fstest.MapFS{"a/b": {Data: []byte("x")}}, "mem")
	if got, err := tree.ReadFile("a/b", 10); err != nil || string(got) != "x" {
		t.Errorf("ReadFile = %q, %v", got, err)
	}
	if _, err := tree.ReadFile("a", 10); !errors.Is(err, ErrDirectory) {
		t.Errorf("a directory: %v", err)
	}
	if got := tree.Path("a/b"); got != "mem/a/b" {
		t.Errorf("Path = %q", got)
	}
	if rel, ok := tree.Rel("mem/a"); !ok || rel != "a" {
		t.Errorf("Rel = %q, %v", rel, ok)
	}
	if _, ok := tree.Rel("memo/a"); ok {
		t.Error("memo is not below mem")
	}
	entries, _, err := tree.ReadDir(".", 10)
	if err != nil || len(entries) != 1 || entries[0] != (Entry{"a", Dir}) {
		t.Errorf("ReadDir = %v, %v", entries, err)
	}
}

func TestAncestors(t *testing.T) {
	got := Ancestors("/a/b")
	if len(got) != 3 || got[0] != "/a/b" || got[1] != "/a" || got[2] != "/" {
		t.Errorf("Ancestors = %q", got)
	}
}
