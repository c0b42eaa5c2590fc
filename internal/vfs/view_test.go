//go:build unix

package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/testenv"
)

// grounds holds two trees in a directory that also contains a secret, and a view of both trees.
// Symlinks in the first tree may point to the second, but not vice versa.
type grounds struct {
	base     string
	in, side *Tree
	view     *View
}

func groundsOf(t testing.TB, portable bool, hidden func(*Tree, string) error) grounds {
	t.Helper()
	base := t.TempDir()
	if err := plant(base, map[string]string{
		"in/a/b/file": "content", "in/.env": "KEY=1", "in/.git/config": "[core]", "in/empty/": "", "in/plain": "plain",
		"in/link": "->a/b/file", "in/dirlink": "->a/b", "in/up": "->../out/secret", "in/x": "->.env", "in/y": "->x", "in/g": "->.git",
		"in/toside": "->../side/file", "in/loop": "->loop", "in/gone": "->nothing", "in/null": "->/dev/null",
		"in/behind": "->dirlink/../mark", "in/a/mark": "right", "in/mark": "wrong", "in/dirout": "->../out",
		"side/file": "side", "side/back": "->../in/plain", "side/self": "->file",
		"out/secret": "SECRET",
	}); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *Tree {
		tree, err := Open(filepath.Join(base, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if portable {
			root, err := os.OpenRoot(tree.Real())
			if err != nil {
				t.Fatal(err)
			}
			tree.Close()
			tree.back = rootBackend{root}
		}
		t.Cleanup(func() { tree.Close() })
		return tree
	}
	g := grounds{base: base, in: open("in"), side: open("side")}
	g.in.Allow(g.side)
	g.view = NewView(ViewOptions{Trees: []*Tree{g.in, g.side}, Dir: g.base + "/in", Hidden: hidden})
	return g
}

func readView(v *View, name string) (string, error) {
	h, err := v.Open(name)
	if err != nil {
		return "", err
	}
	defer h.Close()
	data, err := io.ReadAll(h)
	return string(data), err
}

var errHidden = errors.New("hidden")

// hideSome hides .env and everything in .git.
func hideSome(_ *Tree, rel string) error {
	if rel == ".env" || strings.HasPrefix(rel, ".git/") {
		return errHidden
	}
	return nil
}

func eachGrounds(t *testing.T, f func(t *testing.T, g grounds)) {
	for _, portable := range []bool{false, true} {
		t.Run(fmt.Sprintf("portable=%v", portable), func(t *testing.T) { f(t, groundsOf(t, portable, hideSome)) })
	}
}

func TestViewOpen(t *testing.T) {
	eachGrounds(t, func(t *testing.T, g grounds) {
		for _, tc := range []struct {
			name, want string
			err        error
		}{
			{"plain", "plain", nil},
			{"./a//b/./file", "content", nil},
			{"a/../plain", "plain", nil},
			{g.base + "/in/plain", "plain", nil},
			{g.base + "/in/./a/../plain", "plain", nil},
			{g.base + "/side/file", "side", nil},
			{"//" + g.base + "/side/file", "side", nil},
			{"link", "content", nil},
			{"dirlink/file", "content", nil},
			{"dirlink/../mark", "right", nil},
			{"behind", "right", nil},
			{"toside", "side", nil},
			{g.base + "/side/self", "side", nil},
			{"/dev/null", "", nil},
			{"/dev//./null", "", nil},

			{"../side/file", "", ErrOutside},
			{"../in/plain", "", ErrOutside},
			{"a/../../in/plain", "", ErrOutside},
			{"../out/secret", "", ErrOutside},
			{g.base + "/out/secret", "", ErrOutside},
			{g.base + "/in/../out/secret", "", ErrOutside},
			{g.base + "/out/../in/plain", "", ErrOutside},
			{g.base + "/inside", "", ErrOutside},
			{g.base, "", ErrOutside},
			{"/", "", ErrOutside},
			{"/etc/hostname", "", ErrOutside},
			{"/dev/zero", "", ErrOutside},
			{"/dev/null/x", "", ErrOutside},
			{"up", "", ErrOutside},
			{"dirout/secret", "", ErrOutside},
			{"null", "", ErrOutside},
			{g.base + "/side/back", "", ErrOutside},
			{"dirlink/../../..", "", ErrOutside},
			{"\xff", "", ErrOutside},

			{"", "", fs.ErrNotExist},
			{"nothing", "", fs.ErrNotExist},
			{"nothing/../plain", "", fs.ErrNotExist},
			{"plain/", "", fs.ErrNotExist},
			{"plain/.", "", fs.ErrNotExist},
			{"plain/../plain", "", fs.ErrNotExist},
			{"gone", "", fs.ErrNotExist},
			{strings.Repeat("a/../", 1000) + "plain", "", fs.ErrNotExist},
			{"loop", "", ErrLoop},
			{"a", "", ErrDirectory},
			{".", "", ErrDirectory},
			{"dirlink", "", ErrDirectory},

			{".env", "", errHidden},
			{"./a/../.env", "", errHidden},
			{g.base + "/in/.env", "", errHidden},
			{"x", "", errHidden},
			{"y", "", errHidden},
			{"g/config", "", errHidden},
			{".git/config", "", errHidden},
			{".git/nothing", "", errHidden},
			{"dirlink/../../.env", "", ErrOutside},
			{"a/b/../../.env", "", errHidden},
		} {
			got, err := readView(g.view, tc.name)
			if !errors.Is(err, tc.err) || got != tc.want {
				t.Errorf("Open(%q) = %q, %v; want %q, %v", tc.name, got, err, tc.want, tc.err)
			}
			var pe *fs.PathError
			if err != nil && (!errors.As(err, &pe) || pe.Path != tc.name) {
				t.Errorf("Open(%q): the error is of another path: %v", tc.name, err)
			}
		}
	})
}

// TestViewHiddenName hides a symlink by its own name, regardless of its target.
func TestViewHiddenName(t *testing.T) {
	g := groundsOf(t, false, func(_ *Tree, rel string) error {
		if rel == "link" || rel == "file" {
			return errHidden
		}
		return nil
	})
	for _, name := range []string{"link", "a/../link", "toside"} {
		if _, err := readView(g.view, name); !errors.Is(err, errHidden) {
			t.Errorf("Open(%q): %v", name, err)
		}
	}
	if got, err := readView(g.view, "a/b/file"); got != "content" || err != nil {
		t.Errorf("the file itself: %q, %v", got, err)
	}
}

func TestViewStat(t *testing.T) {
	eachGrounds(t, func(t *testing.T, g grounds) {
		v := g.view
		for _, tc := range []struct {
			name      string
			stat, own fs.FileMode
			err, lerr error
		}{
			{"plain", 0, 0, nil, nil},
			{"a", fs.ModeDir, fs.ModeDir, nil, nil},
			{".", fs.ModeDir, fs.ModeDir, nil, nil},
			{"a/..", fs.ModeDir, fs.ModeDir, nil, nil},
			{g.base + "/side", fs.ModeDir, fs.ModeDir, nil, nil},
			{"link", 0, fs.ModeSymlink, nil, nil},
			{"dirlink", fs.ModeDir, fs.ModeSymlink, nil, nil},
			{"dirlink/", fs.ModeDir, fs.ModeDir, nil, nil},
			{"toside", 0, fs.ModeSymlink, nil, nil},
			{"up", 0, fs.ModeSymlink, ErrOutside, nil},
			{"gone", 0, fs.ModeSymlink, fs.ErrNotExist, nil},
			{"loop", 0, fs.ModeSymlink, ErrLoop, nil},
			{".env", 0, 0, nil, nil},
			{"x", 0, fs.ModeSymlink, nil, nil},
			{"dirout/secret", 0, 0, ErrOutside, ErrOutside},
			{"plain/", 0, 0, fs.ErrNotExist, fs.ErrNotExist},
			{"..", 0, 0, ErrOutside, ErrOutside},
			{"", 0, 0, fs.ErrNotExist, fs.ErrNotExist},
			{"/dev/null", fs.ModeDevice | fs.ModeCharDevice, fs.ModeDevice | fs.ModeCharDevice, nil, nil},
		} {
			for _, way := range []struct {
				call string
				do   func(string) (fs.FileInfo, error)
				mode fs.FileMode
				err  error
			}{{"Stat", v.Stat, tc.stat, tc.err}, {"Lstat", v.Lstat, tc.own, tc.lerr}} {
				info, err := way.do(tc.name)
				if !errors.Is(err, way.err) || err == nil && (info.Mode().Type() != way.mode || info.Name() != path.Base(tc.name)) {
					t.Errorf("%s(%q) = %v, %v; want %v, %v", way.call, tc.name, info, err, way.mode, way.err)
				}
			}
		}
	})
}

func TestViewReadDir(t *testing.T) {
	eachGrounds(t, func(t *testing.T, g grounds) {
		list := func(name string) string {
			infos, err := g.view.ReadDir(name)
			if err != nil {
				return err.Error()
			}
			var names []string
			for _, i := range infos {
				names = append(names, i.Name())
			}
			return strings.Join(names, " ")
		}
		for name, want := range map[string]string{
			"a": "b mark", "dirlink": "file", "dirlink/..": "b mark", ".git": "config", "g": "config", g.base + "/side": "back file self",
			"empty": "", ".": ".env .git a behind dirlink dirout empty g gone link loop mark null plain toside up x y",
		} {
			if got := list(name); got != want {
				t.Errorf("ReadDir(%q) = %q, want %q", name, got, want)
			}
		}
		for name, want := range map[string]error{
			"plain": ErrNotDirectory, "link": ErrNotDirectory, "dirout": ErrOutside, "..": ErrOutside, "/": ErrOutside, "nothing": fs.ErrNotExist,
		} {
			if infos, err := g.view.ReadDir(name); !errors.Is(err, want) {
				t.Errorf("ReadDir(%q) = %v, %v; want %v", name, infos, err, want)
			}
		}
		for name, want := range map[string]string{"link": "a/b/file", "up": "../out/secret", "dirlink/../../in/x": ""} {
			if got, err := g.view.Readlink(name); got != want || (err == nil) != (want != "") {
				t.Errorf("Readlink(%q) = %q, %v", name, got, err)
			}
		}
		if _, err := g.view.Readlink("plain"); !errors.Is(err, ErrNotLink) {
			t.Errorf("Readlink of a file: %v", err)
		}
	})
}

func TestViewLocate(t *testing.T) {
	g := groundsOf(t, false, nil)
	for _, tc := range []struct {
		name string
		tree *Tree
		rel  string
	}{
		{".", g.in, "."},
		{"a/../link/./x", g.in, "link/x"},
		{"dirlink/..", g.in, "."},
		{"never/there", g.in, "never/there"},
		{g.base + "/in", g.in, "."},
		{g.base + "/in/", g.in, "."},
		{g.base + "/side/x", g.side, "x"},
		{"..", nil, ""},
		{"../in", nil, ""},
		{g.base, nil, ""},
		{g.base + "/inn", nil, ""},
		{"/dev/null", nil, ""},
		{"", nil, ""},
	} {
		tree, rel, err := g.view.Locate(tc.name)
		if tree != tc.tree || rel != tc.rel || (err == nil) != (tc.tree != nil) {
			t.Errorf("Locate(%q) = %v, %q, %v; want %q", tc.name, tree, rel, err, tc.rel)
		}
	}
}

func TestViewAt(t *testing.T) {
	g := groundsOf(t, false, hideSome)
	for _, tc := range []struct {
		dir, name, want string
		err             error
	}{
		{g.base + "/side", "file", "side", nil},
		{g.base + "/side", g.base + "/in/plain", "plain", nil},
		{"a/b", "file", "content", nil},
		{"a", "../plain", "plain", nil},
		{"a", "../../in/plain", "", ErrOutside},
		{"dirlink", "file", "content", nil},
		{"dirlink", "../.env", "", errHidden},
		{"dirlink", "../mark", "right", nil},
		{g.base + "/out", "secret", "", ErrOutside},
		{g.base, "in/plain", "plain", nil},
		{"/", g.base[1:] + "/in/plain", "plain", nil},
		{"..", "out/secret", "", ErrOutside},
	} {
		v := g.view.At(tc.dir)
		got, err := readView(v, tc.name)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("at %s, Open(%q) = %q, %v; want %q, %v", tc.dir, tc.name, got, err, tc.want, tc.err)
		}
	}
	if got := g.view.At("a").At("b").Dir(); got != g.base+"/in/a/b" {
		t.Errorf("Dir = %q", got)
	}
	if g.view.Dir() != g.base+"/in" {
		t.Errorf("At changed its view: %q", g.view.Dir())
	}
}

// TestViewNotAllowed checks that a view does not follow symlinks to a tree outside it, even though
// the first tree allows them.
func TestViewNotAllowed(t *testing.T) {
	g := groundsOf(t, false, nil)
	v := NewView(ViewOptions{Trees: []*Tree{g.in}, Dir: g.base + "/in"})
	if got, err := readView(v, "toside"); !errors.Is(err, ErrOutside) {
		t.Errorf("%q, %v", got, err)
	}
	empty := NewView(ViewOptions{Dir: g.base + "/in"})
	if got, err := readView(empty, "plain"); !errors.Is(err, ErrOutside) {
		t.Errorf("a view of nothing: %q, %v", got, err)
	}
}

// TestViewNested nests one tree in another, and adds a FromFS tree.
func TestViewNested(t *testing.T) {
	g := groundsOf(t, false, nil)
	a, err := Open(g.base+"/in/a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	own := FromFS(os.DirFS(g.base+"/side"), "vade:own")
	v := NewView(ViewOptions{Trees: []*Tree{a, g.in, own}, Dir: a.Real()})
	for name, want := range map[string]string{"b/file": "content", "../plain": "plain", "../a/mark": "right", "vade:own/file": "side", "vade:own/../b/file": ""} {
		if got, err := readView(v, name); got != want || (err == nil) != (want != "") {
			t.Errorf("Open(%q) = %q, %v", name, got, err)
		}
	}
	if tree, rel, err := v.Locate(g.base + "/in/a/mark"); tree != a || rel != "mark" || err != nil {
		t.Errorf("the first tree that holds it: %v, %q, %v", tree, rel, err)
	}
}

// TestViewAsTheSystem compares how a view and the system resolve names.
func TestViewAsTheSystem(t *testing.T) {
	base, n, followed := t.TempDir(), 0, 0
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
		element := rapid.SampledFrom([]string{"l", "m", "d", "e", "f", "l", "m", "..", ".", ""})
		name := strings.TrimLeft(strings.Join(rapid.SliceOfN(element, 1, 5).Draw(r, "name"), "/"), "/")
		if name == "" {
			return
		}
		v := NewView(ViewOptions{Trees: []*Tree{tree}, Dir: dir})
		w, err := v.follow(name, true)
		seen, systemErr := os.Stat(dir + "/" + name)
		switch {
		case err == nil:
			if w.links > 0 {
				followed++
			}
			isOwn, lerr := os.Lstat(tree.RealPath(w.at))
			if lerr != nil || systemErr != nil || !os.SameFile(seen, isOwn) || !fs.ValidPath(w.at) {
				r.Fatalf("%q leads to %q; the system: %v", name, w.at, systemErr)
			}
		case !errors.Is(err, ErrOutside) && systemErr == nil:
			r.Fatalf("%q: %v; the system finds it", name, err)
		case errors.Is(err, ErrOutside) && systemErr == nil && !leaves(dir, name) && !leavesAsText(name):
			r.Fatalf("%q: %v; it stays inside", name, err)
		}
	})
	if followed == 0 {
		t.Error("no link was followed: the test shows nothing")
	}
}

func leavesAsText(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if c := path.Clean(at); c == ".." || strings.HasPrefix(c, "../") {
			return true
		}
	}
	return false
}

// FuzzLocate checks that names outside the trees can neither be located nor opened, and that hidden
// files stay hidden.
func FuzzLocate(f *testing.F) {
	g := groundsOf(f, false, hideSome)
	for _, seed := range []string{
		"plain", "../out/secret", "BASE/out/secret", "BASE/in/../out/secret", "dirout/secret", "up", "x", "g/config", "dirlink/../../out", "//BASE/side/file",
		"/dev/null", "BASE/in/dirlink/../mark", "a/\xff", "a\x00b", `..\out\secret`, "toside/..", "./.env", "BASE/side/back", strings.Repeat("../", 50) + "etc/hostname",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		name = strings.ReplaceAll(name, "BASE", g.base)
		tree, rel, err := g.view.Locate(name)
		if err == nil {
			abs := name
			if !path.IsAbs(abs) {
				abs = g.base + "/in/" + abs
			}
			if !fs.ValidPath(rel) || tree != g.in && tree != g.side || tree.RealPath(rel) != path.Clean(abs) {
				t.Errorf("Locate(%q) = %v, %q", name, tree, rel)
			}
		}
		got, openErr := readView(g.view, name)
		if err != nil && openErr == nil && got != "" {
			t.Errorf("Open(%q) = %q, Locate: %v", name, got, err)
		}
		if got == "SECRET" || got == "KEY=1" || got == "[core]" {
			t.Errorf("Open(%q) = %q", name, got)
		}
		if w, err := g.view.follow(name, true); err == nil && (!fs.ValidPath(w.at) || w.tree != g.in && w.tree != g.side) {
			t.Errorf("%q leads to %v, %q", name, w.tree, w.at)
		}
	})
}
