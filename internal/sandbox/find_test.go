//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := func(dir, name string, dirMode, mode fs.FileMode) string {
		t.Helper()
		dir = filepath.Join(base, dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(file, mode), os.Chmod(dir, dirMode)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	good := place("good", "tool", 0o755, 0o755)
	open := place("open", "tool", 0o777, 0o755)
	sticky := place("sticky", "tool", 0o777|fs.ModeSticky, 0o755)
	shared := place("shared", "tool", 0o775, 0o755)
	loose := place("loose", "tool", 0o755, 0o775)
	plain := place("plain", "tool", 0o755, 0o644)
	below := place("open/below", "tool", 0o755, 0o755)
	links := filepath.Join(base, "links")
	if err := errors.Join(os.Mkdir(links, 0o755), os.Symlink(good+"/tool", links+"/tool"), os.Symlink(open+"/tool", links+"/bad")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, name string
		s          Search
		want       string
	}{
		{"found", "tool", Search{Path: good}, good + "/tool"},
		{"first that is trusted", "tool", Search{Path: open + ":" + good}, good + "/tool"},
		{"link is followed", "tool", Search{Path: links}, good + "/tool"},
		{"link into an untrusted place", "bad", Search{Path: links}, ""},
		{"directory for all to write", "tool", Search{Path: open}, ""},
		{"sticky directory", "tool", Search{Path: sticky}, ""},
		{"directory for the group to write", "tool", Search{Path: shared}, ""},
		{"below a directory for all to write", "tool", Search{Path: below}, ""},
		{"file for the group to write", "tool", Search{Path: loose}, ""},
		{"not executable", "tool", Search{Path: plain}, ""},
		{"forbidden", "tool", Search{Path: good, Forbid: []string{base}}, ""},
		{"link into what is forbidden", "tool", Search{Path: links, Forbid: []string{good}}, ""},
		{"link out of what is forbidden", "tool", Search{Path: links, Forbid: []string{links}}, ""},
		{"a forbidden path is not a name prefix", "tool", Search{Path: good, Forbid: []string{base + "/goo"}}, good + "/tool"},
		{"relative directory", "tool", Search{Path: ".:good"}, ""},
		{"empty entry", "tool", Search{Path: ":"}, ""},
		{"roundabout entry", "tool", Search{Path: good + "/../good"}, ""},
		{"a path", "good/tool", Search{Path: base}, ""},
		{"a way up", "..", Search{Path: good}, ""},
		{"empty name", "", Search{Path: good}, ""},
		{"system only", "tool", Search{Path: good, System: true}, ""},
		{"nothing", "none", Search{Path: good}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := Find(c.name, c.s)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Find = %q, %v; want %q", got, err, c.want)
			}
			if err != nil && !errors.Is(err, ErrNotFound) {
				t.Errorf("unexpected error: %v", err)
			}
		})
	}
	if path, err := Find("env", Search{System: true}); err != nil || !filepath.IsAbs(path) {
		t.Errorf("Find(env) in the system directories = %q, %v", path, err)
	}
}

func TestCheckDirs(t *testing.T) {
	dir := func(mode fs.FileMode, trusted bool) owner { return owner{fs.ModeDir | mode, trusted} }
	for _, c := range []struct {
		what string
		fs   map[string]owner
		ok   bool
	}{
		{"all in order", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o755, true), "/": dir(0o755, true)}, true},
		{"sticky above", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o777|fs.ModeSticky, true), "/": dir(0o755, true)}, true},
		{"sticky itself", map[string]owner{"/a/b": dir(0o777|fs.ModeSticky, true), "/a": dir(0o755, true), "/": dir(0o755, true)}, false},
		{"open above", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o757, true), "/": dir(0o755, true)}, false},
		{"group above", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o775, true), "/": dir(0o755, true)}, false},
		{"stranger above", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o755, false), "/": dir(0o755, true)}, false},
		{"stranger's root", map[string]owner{"/a/b": dir(0o755, true), "/a": dir(0o755, true), "/": dir(0o755, false)}, false},
		{"a file", map[string]owner{"/a/b": {0o755, true}, "/a": dir(0o755, true), "/": dir(0o755, true)}, false},
		{"missing", map[string]owner{"/a/b": dir(0o755, true)}, false},
	} {
		err := checkDirs("/a/b", func(path string) (owner, error) {
			if o, ok := c.fs[path]; ok {
				return o, nil
			}
			return owner{}, fs.ErrNotExist
		})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
