//go:build unix

package bundle

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/vfs"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open writes files into the directory "skill" and opens its parent.
func open(t *testing.T, files map[string]string) (*vfs.Tree, string) {
	t.Helper()
	top := t.TempDir()
	for name, text := range files {
		at := filepath.Join(top, "skill", filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(text), 0o644))
	}
	tree, err := vfs.Open(top, vfs.Options{})
	must(t, err)
	t.Cleanup(func() { tree.Close() })
	return tree, filepath.Join(top, "skill")
}

func read(t *testing.T, tree *vfs.Tree) (map[string]*signal.File, map[string]signal.Missed) {
	t.Helper()
	p, err := Read(context.Background(), Request{Name: "skill", Kind: definition.Skill, Tree: tree, Main: "skill/SKILL.md", Dir: "skill"})
	must(t, err)
	files, missed := map[string]*signal.File{}, map[string]signal.Missed{}
	for _, f := range p.Files {
		files[f.Path] = f
	}
	for _, m := range p.Missed {
		missed[m.Path] = m
	}
	if p.Files[0].Path != "SKILL.md" {
		t.Errorf("the first file is %s, not the definition's own", p.Files[0].Path)
	}
	return files, missed
}

// TestNotFollowed checks that pipes and symlinks that lead out of the tree or
// to themselves are reported and not opened.
func TestNotFollowed(t *testing.T) {
	tree, dir := open(t, map[string]string{"SKILL.md": "# A\n", "a/run.sh": "echo a\n"})
	must(t, os.Chmod(filepath.Join(dir, "a/run.sh"), 0o755))
	must(t, os.Symlink("/etc/hostname", filepath.Join(dir, "host")))
	must(t, os.Symlink(".", filepath.Join(dir, "again")))
	must(t, os.Symlink("../..", filepath.Join(dir, "a/above")))
	must(t, os.WriteFile(filepath.Join(dir, "../.env"), []byte("A=1\n"), 0o644))
	must(t, os.Symlink("../.env", filepath.Join(dir, "env")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "../other"), []byte("B=1\n"), 0o644))
	must(t, os.Link(filepath.Join(dir, "../other"), filepath.Join(dir, "hard.sh")))
	files, missed := read(t, tree)
	if len(files) != 2 || !files["a/run.sh"].Exec || files["SKILL.md"].Exec {
		t.Errorf("%v", files)
	}
	for name, why := range map[string]signal.Reason{"host": signal.MissedLink, "again": signal.MissedLink, "a/above": signal.MissedLink, "env": signal.MissedLink, "pipe": signal.MissedSpecial, "hard.sh": signal.MissedHardLink} {
		if missed[name].Reason != why {
			t.Errorf("%s: %+v", name, missed[name])
		}
	}
	if !strings.Contains(missed["host"].Note, "/etc/hostname") {
		t.Errorf("the link does not say where it leads: %+v", missed["host"])
	}
}

// TestLinks checks that a symlink's target is read under the symlink's path and
// is part of the digest.
func TestLinks(t *testing.T) {
	tree, dir := open(t, map[string]string{"SKILL.md": "# A\n", "own.md": "own\n"})
	for name, text := range map[string]string{"docs/x.sh": "one\n", "docs/more/y.md": "two\n", "docs/long.md": strings.Repeat("text\n", MaxFile/5+1)} {
		at := filepath.Join(dir, "..", name)
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(text), 0o755))
	}
	must(t, os.Mkdir(filepath.Join(dir, "scripts"), 0o755))
	for name, target := range map[string]string{
		"scripts/x.sh": "../../docs/x.sh", "scripts/chain.sh": "x.sh", "refs": "../docs", "own-again.md": "own.md",
		// A cycle through two directories must end.
		"../docs/skill": "../skill/scripts", "scripts/docs": "../../docs",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	files, missed := read(t, tree)
	for name, text := range map[string]string{
		"scripts/x.sh": "one\n", "scripts/chain.sh": "one\n", "refs/x.sh": "one\n", "refs/more/y.md": "two\n", "own-again.md": "own\n", "refs/skill/x.sh": "one\n",
	} {
		if x := files[name]; x == nil || string(x.Raw) != text {
			t.Errorf("%s: %v", name, x)
		}
	}
	if !files["scripts/x.sh"].Exec || files["own-again.md"].Exec {
		t.Error("whether it can be executed is not that of the target")
	}
	for _, name := range []string{"scripts/docs/skill", "refs/skill/docs"} {
		if missed[name].Reason != signal.MissedLink {
			t.Errorf("%s: %+v", name, missed[name])
		}
	}
	whole := func() string {
		p, err := Read(context.Background(), Request{Tree: tree, Main: "skill/SKILL.md", Dir: "skill"})
		must(t, err)
		return Digests(tree, "skill", p).Whole
	}
	for _, name := range []string{"docs/x.sh", "docs/long.md"} {
		before := whole()
		must(t, os.WriteFile(filepath.Join(dir, "..", name), []byte(strings.Repeat("TEXT\n", MaxFile/5+1)), 0o755))
		if now := whole(); now == "" || now == before {
			t.Errorf("%s changed, and the digest is %q", name, now)
		}
	}
}

// TestLimits checks that files beyond a limit are reported, and that the
// beginning of a large text file is read.
func TestLimits(t *testing.T) {
	tree, _ := open(t, map[string]string{
		"SKILL.md": "# A\n", "long.md": strings.Repeat("text\n", MaxFile/5+10), "blob.bin": strings.Repeat("\x00\x01", MaxFile),
	})
	files, missed := read(t, tree)
	if n := len(files["long.md"].Raw); n != MaxFile || missed["long.md"].Reason != signal.MissedTooLarge {
		t.Errorf("%d bytes of the long text, %+v", n, missed["long.md"])
	}
	if x := files["blob.bin"]; len(x.Raw) > headSize || x.Size != 2*MaxFile {
		t.Errorf("%d bytes of %d", len(x.Raw), x.Size)
	}

	// Empty files and media do not use up the limits for the files after them.
	many := fstest.MapFS{"skill/SKILL.md": {Data: []byte("# A\n")}, "skill/z/run.sh": {Data: []byte("run\n")}}
	for i := range 2001 {
		many["skill/a/"+strconv.Itoa(i)] = &fstest.MapFile{}
	}
	for i := range 2 * MaxBytes / MaxFile {
		many["skill/b/"+strconv.Itoa(i)+".png"] = &fstest.MapFile{Data: make([]byte, MaxFile)}
	}
	// Executable files are read before data files, regardless of their names.
	for i := range MaxBytes/MaxFile + 2 {
		many["skill/b/"+strconv.Itoa(i)+".csv"] = &fstest.MapFile{Data: bytes.Repeat([]byte("a,b\n"), MaxFile/4)}
	}
	files, missed = read(t, vfs.FromFS(many, "many"))
	if files["z/run.sh"] == nil {
		t.Errorf("%d files, %d missed", len(files), len(missed))
	}

	for i := range MaxFiles {
		many["skill/c/"+strconv.Itoa(i)] = &fstest.MapFile{}
	}
	files, missed = read(t, vfs.FromFS(many, "many"))
	if files["z/run.sh"] != nil || !slices.ContainsFunc(slices.Collect(maps.Values(missed)), func(m signal.Missed) bool { return m.Reason == signal.MissedTooMany }) {
		t.Errorf("%d files", len(files))
	}
}

// TestDigests checks that any change to a file, its name or its mode changes the package digest,
// and that a partly read file can be digested only if its tree is available.
func TestDigests(t *testing.T) {
	sums := func(tree *vfs.Tree, from *vfs.Tree) *Sums {
		p, err := Read(context.Background(), Request{Tree: tree, Main: "skill/SKILL.md", Dir: "skill"})
		must(t, err)
		return Digests(from, "skill", p)
	}
	tree, dir := open(t, map[string]string{"SKILL.md": "# A\n", "a.md": "a\n"})
	first := sums(tree, tree)
	if first.Whole == "" || first.Of("a.md") == first.Whole || first.Of("no file") != first.Whole {
		t.Errorf("%+v", first)
	}
	last := first.Whole
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"the bytes", func() { must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("b\n"), 0o644)) }},
		{"a name", func() { must(t, os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md"))) }},
		{"the mode", func() { must(t, os.Chmod(filepath.Join(dir, "b.md"), 0o755)) }},
		{"a link", func() { must(t, os.Symlink("/etc", filepath.Join(dir, "etc"))) }},
	} {
		c.change()
		now := sums(tree, tree).Whole
		if now == last {
			t.Errorf("%s changed, and the digest of the whole has not", c.what)
		}
		last = now
	}

	must(t, os.WriteFile(filepath.Join(dir, "long.md"), []byte(strings.Repeat("text\n", MaxFile)), 0o644))
	if with, without := sums(tree, tree), sums(tree, nil); with.Of("long.md") == "" || with.Whole == "" || without.Of("long.md") != "" || without.Whole != "" {
		t.Errorf("with its tree %q, without %q", with.Of("long.md"), without.Of("long.md"))
	}
}
