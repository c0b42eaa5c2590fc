//go:build unix

package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/vfs"

	"github.com/vadehq/vade/internal/testenv"
)

// skill creates a project with a skill, a file that the skill refers to, and a
// secret outside the project.
func skill(t *testing.T) (dir string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"p/skills/s/SKILL.md": "Run it.\n", "p/skills/s/scripts/run.sh": "make\n", "p/skills/s/.hidden/.env": "K=V\n", "p/skills/s/empty": "",
		"p/docs/a.md": "a\n", "p/docs/b/c.md": "c\n", "outside/secret": "SECRET",
	} {
		put(t, filepath.Join(base, name), text, 0o644)
	}
	if err := os.Chmod(filepath.Join(base, "p/skills/s/scripts/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(base, "p")
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, dir string) *vfs.Tree {
	t.Helper()
	tr, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func sources(t *testing.T, dir string) Sources {
	tr := tree(t, dir)
	return Sources{
		ID:         ID{Project: dir, Kind: "skill", Name: "s", Path: dir + "/skills/s/SKILL.md"},
		Definition: Source{Tree: tr, Name: "skills/s/SKILL.md", Data: []byte("Run it.\n")},
		Files:      []Source{{Tree: tr, Name: "docs/a.md"}, {Tree: tr, Name: "skills/s"}},
		Commands:   []string{"make"}, Grants: []string{"Bash(make)"},
	}
}

func collect(t *testing.T, s Sources) *Closure {
	t.Helper()
	c, err := Collect(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// described formats each file on one line: path, type, exec, size, target, content.
func described(dir string, c *Closure) []string {
	var list []string
	for _, f := range c.Files {
		path, _ := filepath.Rel(dir, f.Path)
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %d %s %s", filepath.ToSlash(path), f.Mode, f.Size, f.Target, strings.TrimSpace(string(f.Data)))))
		if f.Mode.IsRegular() && f.Digest != digestOf(f.Data) {
			list = append(list, "wrong digest of "+path)
		}
	}
	return list
}

func TestCollect(t *testing.T) {
	dir := skill(t)
	companions := filepath.Join(dir, "skills/s")
	for link, target := range map[string]string{
		"in": "../../docs/b/c.md", "indir": "../../docs", "out": "../../../outside/secret", "gone": "nothing", "loop": "loop", "self": "SKILL.md", "up": ".",
	} {
		if err := os.Symlink(target, filepath.Join(companions, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(companions, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := described(dir, collect(t, sources(t, dir)))
	want := []string{
		"docs/a.md ---------- 2  a",
		"docs/b/c.md ---------- 2  c",
		"skills/s/.hidden/.env ---------- 4  K=V",
		"skills/s/SKILL.md ---------- 8  Run it.",
		"skills/s/empty ---------- 0",
		"skills/s/gone L--------- 0 nothing",
		"skills/s/in L--------- 0 ../../docs/b/c.md",
		"skills/s/indir L--------- 0 ../../docs",
		"skills/s/loop L--------- 0 loop",
		"skills/s/out L--------- 0 ../../../outside/secret",
		"skills/s/pipe p--------- 0",
		"skills/s/scripts/run.sh ---x--x--x 5  make",
		"skills/s/self L--------- 0 SKILL.md",
		"skills/s/up L--------- 0 .",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCollectSeesEveryChange makes one change on disk at a time and checks that
// the closure reflects it.
func TestCollectSeesEveryChange(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"content": func(dir string) error { return os.WriteFile(dir+"/skills/s/scripts/run.sh", []byte("mage\n"), 0o755) },
		"exec":    func(dir string) error { return os.Chmod(dir+"/skills/s/scripts/run.sh", 0o644) },
		"added":   func(dir string) error { return os.WriteFile(dir+"/skills/s/scripts/new", nil, 0o644) },
		"removed": func(dir string) error { return os.Remove(dir + "/skills/s/.hidden/.env") },
		"renamed": func(dir string) error { return os.Rename(dir+"/skills/s/scripts", dir+"/skills/s/script") },
		"referred": func(dir string) error {
			return os.WriteFile(dir+"/docs/a.md", []byte("b\n"), 0o644)
		},
		"file to link to the same": func(dir string) error {
			return errors.Join(os.Rename(dir+"/docs/a.md", dir+"/docs/z.md"), os.Symlink("z.md", dir+"/docs/a.md"))
		},
		"directory to link to the same": func(dir string) error {
			return errors.Join(os.Rename(dir+"/skills/s/scripts", dir+"/docs/scripts"), os.Symlink("../../docs/scripts", dir+"/skills/s/scripts"))
		},
		"file to pipe": func(dir string) error {
			return errors.Join(os.Remove(dir+"/skills/s/empty"), syscall.Mkfifo(dir+"/skills/s/empty", 0o644))
		},
		"what a link leads to": func(dir string) error { return os.WriteFile(dir+"/docs/b/c.md", []byte("d\n"), 0o644) },
		"where a link leads": func(dir string) error {
			return errors.Join(os.Remove(dir+"/skills/s/in"), os.Symlink("../../docs/a.md", dir+"/skills/s/in"))
		},
		"a link outside": func(dir string) error {
			return errors.Join(os.Remove(dir+"/skills/s/out"), os.Symlink("/other", dir+"/skills/s/out"))
		},
	} {
		dir := skill(t)
		if err := errors.Join(os.Symlink("../../docs/b/c.md", dir+"/skills/s/in"), os.Symlink("/none", dir+"/skills/s/out")); err != nil {
			t.Fatal(err)
		}
		before := collect(t, sources(t, dir))
		if again := collect(t, sources(t, dir)); again.Digest() != before.Digest() {
			t.Fatalf("%s: the same files have different digests", name)
		}
		if err := change(dir); err != nil {
			t.Fatal(name, err)
		}
		after := collect(t, sources(t, dir))
		if after.Digest() == before.Digest() || len(Diff(newRecord(before, now), after)) == 0 {
			t.Errorf("%s: the digest is the same", name)
		}
	}
}

// TestReadDataIsApproved checks that the approval covers data that was already
// read, not the file's current content.
func TestReadDataIsApproved(t *testing.T) {
	dir := skill(t)
	before := collect(t, sources(t, dir))
	put(t, dir+"/skills/s/SKILL.md", "Run another.\n", 0o644)
	after := collect(t, sources(t, dir))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	s := sources(t, dir)
	s.Definition.Data = nil
	if collect(t, s).Digest() == before.Digest() {
		t.Error("the file's new content has the old digest")
	}
}

// TestDefinitionBehindLink collects definitions that are reached through a symlink.
func TestDefinitionBehindLink(t *testing.T) {
	dir := skill(t)
	if err := errors.Join(os.Symlink("skills/s", dir+"/dir"), os.Symlink("docs/a.md", dir+"/file")); err != nil {
		t.Fatal(err)
	}
	tr := tree(t, dir)
	for name, want := range map[string][]string{
		"dir/SKILL.md": {"skills/s/SKILL.md ---------- 4  Data"},
		"file":         {"docs/a.md ---------- 4  Data", "file L--------- 0 docs/a.md"},
	} {
		c := collect(t, Sources{Definition: Source{Tree: tr, Name: name, Data: []byte("Data")}})
		if diff := cmp.Diff(want, described(dir, c)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCollectOutsideOfTrees(t *testing.T) {
	fsys := vfs.FromFS(fstest.MapFS{"s/SKILL.md": {Data: []byte("x")}, "s/run": {Data: []byte("y"), Mode: 0o755}}, "bundled:")
	c := collect(t, Sources{
		Definition: Source{Path: "mcp:server/prompt", Data: []byte("text")},
		Files:      []Source{{Tree: fsys, Name: "s"}, {Path: "mcp:server/empty"}},
	})
	var paths []string
	for _, f := range c.Files {
		paths = append(paths, fmt.Sprint(f.Path, " ", f.Mode, " ", string(f.Data), " ", f.Digest != ""))
	}
	want := []string{"bundled:/s/SKILL.md ---------- x true", "bundled:/s/run ---x--x--x y true", "mcp:server/empty ----------  true", "mcp:server/prompt ---------- text true"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

func TestCollectRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(dir string) error
		want   error
		at     string
	}{
		"hard link": {func(dir string) error { return os.Link(dir+"/../outside/secret", dir+"/skills/s/hard") }, vfs.ErrHardLink, "/skills/s/hard"},
		"missing":   {func(dir string) error { return os.Remove(dir + "/docs/a.md") }, fs.ErrNotExist, "/docs/a.md"},
		"outside": {func(dir string) error {
			return errors.Join(os.Remove(dir+"/docs/a.md"), os.RemoveAll(dir+"/docs"), os.Symlink("../outside", dir+"/docs"))
		}, vfs.ErrOutside, "/docs/a.md"},
		"a name that is not UTF-8": {func(dir string) error { return os.WriteFile(dir+"/skills/s/\xff", nil, 0o644) }, vfs.ErrOutside, "/skills/s/\xff"},
	} {
		dir := skill(t)
		if err := tc.change(dir); err != nil {
			t.Logf("%s: not supported here: %v", name, err)
			continue
		}
		c, err := Collect(context.Background(), sources(t, dir))
		var pe *fs.PathError
		if c != nil || !errors.Is(err, tc.want) || !errors.As(err, &pe) || pe.Path != dir+tc.at {
			t.Errorf("%s: %v, %v; want %v at %s", name, c, err, tc.want, tc.at)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Collect(ctx, sources(t, skill(t))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCollectLimits(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := func(n int, name string) fstest.MapFS {
		m := fstest.MapFS{"s/SKILL.md": {Data: []byte("x")}}
		for i := range n - 1 {
			m[fmt.Sprintf(name, i)] = &fstest.MapFile{}
		}
		return m
	}
	sized := func(n int) fstest.MapFS {
		return fstest.MapFS{"s/SKILL.md": {Data: []byte("x")}, "s/a": {Data: make([]byte, MaxBytes/2)}, "s/b": {Data: make([]byte, n)}}
	}
	dirs := func(n int) fstest.MapFS {
		m := fstest.MapFS{"s/SKILL.md": {Data: []byte("x")}}
		for i := range n - 1 {
			m[fmt.Sprintf("s/%d/%d", i%64, i/64)] = &fstest.MapFile{Mode: fs.ModeDir}
		}
		return m
	}
	for name, tc := range map[string]struct {
		files fstest.MapFS
		what  string
	}{
		"files":               {files(MaxFiles, "s/d/%d"), ""},
		"one file more":       {files(MaxFiles+1, "s/d/%d"), "files"},
		"in many directories": {files(MaxFiles+1, "s/%d/f"), "files"},
		"bytes":               {sized(MaxBytes/2 - 1), ""},
		"one byte more":       {sized(MaxBytes / 2), "bytes"},
		"directories":         {dirs(MaxFiles - 64), ""},
		"more directories":    {dirs(MaxFiles + 1), "directories"},
	} {
		tr := vfs.FromFS(tc.files, "test:")
		c, err := Collect(context.Background(), Sources{Definition: Source{Tree: tr, Name: "s/SKILL.md"}, Files: []Source{{Tree: tr, Name: "s"}}})
		var limit *LimitError
		switch {
		case tc.what == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.what == "":
			if err := c.within(); err != nil {
				t.Errorf("%s: collected, but cannot be approved: %v", name, err)
			}
		case !errors.As(err, &limit) || limit.What != tc.what || limit.Path == "" || c != nil:
			t.Errorf("%s: %v, want too many %s", name, err, tc.what)
		}
	}
}

// endless is a file system whose file reports a small size but never ends.
type endless struct{ fs.FS }

type endlessFile struct{ fs.File }

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.FS.Open(name)
	return endlessFile{f}, err
}

func (endlessFile) Read(p []byte) (int, error) { return len(p), nil }

func TestGrowingFile(t *testing.T) {
	tr := vfs.FromFS(endless{fstest.MapFS{"f": {Data: []byte("x")}}}, "test:")
	var limit *LimitError
	if _, err := Collect(context.Background(), Sources{Definition: Source{Tree: tr, Name: "f"}}); !errors.As(err, &limit) || limit.What != "bytes" {
		t.Errorf("endless file: %v", err)
	}
}

func TestCollectKeepsTexts(t *testing.T) {
	m := fstest.MapFS{"z/SKILL.md": {Data: []byte("x")}, "a/long": {Data: make([]byte, MaxText+1)}, "a/longest": {Data: make([]byte, MaxText)}}
	for i := range 40 {
		m[fmt.Sprintf("b/%02d", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("x", MaxText/2))}
	}
	tr := vfs.FromFS(m, "test:")
	c := collect(t, Sources{Definition: Source{Tree: tr, Name: "z/SKILL.md"}, Files: []Source{{Tree: tr, Name: "."}}})
	total := 0
	for _, f := range c.Files {
		total += len(f.Data)
		if f.Path == "test:/a/long" && f.Data != nil || f.Path == "test:/a/longest" && f.Data == nil || f.Path == "test:/z/SKILL.md" && f.Data == nil {
			t.Errorf("%s has %d bytes of %d", f.Path, len(f.Data), f.Size)
		}
		if want := digestOf(m[strings.TrimPrefix(f.Path, "test:/")].Data); f.Digest != want {
			t.Errorf("%s has the digest %s, want %s", f.Path, f.Digest, want)
		}
	}
	if total > MaxTexts || total < MaxTexts-MaxText {
		t.Errorf("%d bytes stored", total)
	}
	if !slices.IsSortedFunc(c.Files, compareFiles) {
		t.Error("the files are not sorted")
	}
}

func BenchmarkCollect(b *testing.B) {
	dir := b.TempDir()
	for i := range 20 {
		if err := os.WriteFile(fmt.Sprintf("%s/%d.md", dir, i), []byte(strings.Repeat("some words\n", 372)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	tr, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer tr.Close()
	for b.Loop() {
		if _, err := Collect(context.Background(), Sources{Definition: Source{Tree: tr, Name: "0.md"}, Files: []Source{{Tree: tr, Name: "."}}}); err != nil {
			b.Fatal(err)
		}
	}
}
