//go:build unix

package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// forest creates files, directories and symlinks in a test directory. A name that ends in a slash
// is a directory, and a value that starts with "->" is a symlink.
func forest(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := plant(dir, content); err != nil {
		t.Fatal(err)
	}
	return dir
}

func plant(dir string, content map[string]string) error {
	for name, text := range content {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		var err error
		if target, link := strings.CutPrefix(text, "->"); link {
			err = os.Symlink(target, file)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(file, 0o755)
		} else {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestResolveByElement tests "..", which refers to the parent of the resolved directory, not of the
// path as written.
func TestResolveByElement(t *testing.T) {
	base := forest(t, map[string]string{
		"in/deep/er/file": "right", "in/file": "wrong", "in/deep/file": "right too",
		"in/dir": "->deep/er", "in/behind": "->dir/../file", "in/twice": "->dir/../../file", "in/below": "->file/../file",
		"in/dot": "->dir/./file", "in/slash": "->dir/", "in/fileslash": "->file/",
		"in/there": "->../in/file", "in/away": "->../out/../in/file", "in/round": "->../../../../../../../../../../../../in",
		"out/sub/": "", "out/secret": "SECRET", "in/exit": "->deep/../../out/secret", "in/hop": "->exit/..",
	})
	inside := filepath.Join(base, "in")
	for name, tree := range trees(t, inside, Options{}) {
		for _, tc := range []struct {
			file, want string
			err        error
		}{
			{"behind", "deep/file", nil},
			{"twice", "file", nil},
			{"below", "", fs.ErrNotExist},
			{"dot", "deep/er/file", nil},
			{"slash", "deep/er", nil},
			{"slash/file", "deep/er/file", nil},
			{"fileslash", "", fs.ErrNotExist},
			{"there", "file", nil},
			{"away", "", ErrOutside},
			{"round", "", ErrOutside},
			{"exit", "", ErrOutside},
			{"hop", "", ErrOutside},
			{"hop/x", "", ErrOutside},
		} {
			to, rel, err := tree.Resolve(tc.file)
			if !errors.Is(err, tc.err) || rel != tc.want || err == nil && to != tree {
				t.Errorf("%s: Resolve(%q) = %q, %v; want %q, %v", name, tc.file, rel, err, tc.want, tc.err)
			}
		}
	}
}

// TestResolveAllows checks that a symlink can point only to what its own tree
// allows, not to what an earlier tree allowed.
func TestResolveAllows(t *testing.T) {
	base := forest(t, map[string]string{
		"a/tob": "->../b/file", "a/toc": "->../b/toc", "b/file": "b", "b/toc": "->../c/file", "c/file": "c", "b/../a/self": "->../a/tob",
	})
	var list []*Tree
	for _, dir := range []string{"a", "b", "c"} {
		tree, err := Open(filepath.Join(base, dir), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		list = append(list, tree)
	}
	a, b, c := list[0], list[1], list[2]
	a.Allow(b, c)
	if to, rel, err := a.Resolve("tob"); to != b || rel != "file" || err != nil {
		t.Errorf("into b: %v, %q, %v", to, rel, err)
	}
	if to, rel, err := a.Resolve("self"); to != b || rel != "file" || err != nil {
		t.Errorf("out and in again: %v, %q, %v", to, rel, err)
	}
	if _, _, err := a.Resolve("toc"); !errors.Is(err, ErrOutside) {
		t.Errorf("a link of b leads into c, which only a allows: %v", err)
	}
	b.Allow(c)
	if to, rel, err := a.Resolve("toc"); to != c || rel != "file" || err != nil {
		t.Errorf("through b into c: %v, %q, %v", to, rel, err)
	}
}

// links generates symlinks among a few directories, two levels deep.
func links(t *rapid.T) map[string]string {
	content := map[string]string{"d/d/f": "1", "d/f": "2", "f": "3", "e/d/f": "4"}
	element := rapid.SampledFrom([]string{"d", "e", "f", "l", "m", "..", ".", ""})
	any := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(element, 1, 4).Draw(t, "elements"), "/") })
	likely := rapid.SampledFrom([]string{"d", "d/d", "../d", "l/..", "m/../f", "f", "d/l", "../f", "e/d/", "d/../e", "../e/d/.."})
	for range rapid.IntRange(3, 8).Draw(t, "links") {
		name := rapid.SampledFrom([]string{"l", "m", "d/l", "d/m", "d/d/l", "e/l", "e/d/m"}).Draw(t, "link")
		target := rapid.OneOf(any, likely).Draw(t, "target")
		if strings.Trim(target, "/") != "" {
			content[name] = "->" + strings.TrimLeft(target, "/")
		}
	}
	return content
}

// TestResolveAsTheSystem compares how a tree and the system resolve symlinks.
func TestResolveAsTheSystem(t *testing.T) {
	followed := 0
	base := t.TempDir()
	n := 0
	testenv.Check(t, func(r *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n), "top")
		if err := plant(dir, links(r)); err != nil {
			t.Fatal(err)
		}
		tree, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"d", "e", "f", "l", "m", "l", "m"}), 1, 3).Draw(r, "name")
		name := strings.Join(names, "/")
		real, systemErr := os.Stat(filepath.Join(dir, name))
		_, rel, err := tree.Resolve(name)
		switch {
		case err == nil:
			if rel != name {
				followed++
			}
			isOwn, lerr := os.Lstat(filepath.Join(dir, rel))
			if lerr != nil || systemErr != nil || !os.SameFile(real, isOwn) {
				r.Fatalf("Resolve(%q) = %q; the system: %v", name, rel, systemErr)
			}
		case !errors.Is(err, ErrOutside) && systemErr == nil:
			r.Fatalf("Resolve(%q): %v; the system finds it", name, err)
		case errors.Is(err, ErrOutside) && systemErr == nil && !leaves(dir, name):
			r.Fatalf("Resolve(%q): %v; it stays inside", name, err)
		}
	})
	if followed == 0 {
		t.Error("no link was followed: the test shows nothing")
	}
}

// leaves reports whether name leaves dir at any point. It resolves each prefix with the system.
func leaves(dir, name string) bool {
	todo, at := strings.Split(name, "/"), dir
	for range 10_000 {
		if len(todo) == 0 {
			return false
		}
		e := todo[0]
		todo = todo[1:]
		next := filepath.Join(at, e)
		if next != dir && !strings.HasPrefix(next, dir+"/") {
			return true
		}
		if target, err := os.Readlink(next); err == nil && e != "" && e != "." && e != ".." {
			todo = append(strings.Split(target, "/"), todo...)
			continue
		}
		at = next
	}
	return false
}
