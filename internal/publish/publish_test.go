package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/internal/vfs"

	"github.com/vadehq/vade/internal/testenv"
)

// memory is an in-memory source that maps URIs and paths to file contents. It counts reads.
type memory struct {
	skills map[string]map[string]string
	reads  int
}

func (m *memory) Files(_ context.Context, uri string, limit int) ([]File, bool, error) {
	files, ok := m.skills[uri]
	if !ok {
		return nil, false, ErrNoFile
	}
	var list []File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if len(list) == limit {
			return list, true, nil
		}
		list = append(list, File{Path: name, Size: int64(len(files[name]))})
	}
	return list, false, nil
}

func (m *memory) ReadFile(_ context.Context, uri, path string, limit int64) ([]byte, error) {
	m.reads++
	text, ok := m.skills[uri][path]
	switch {
	case !ok:
		return nil, ErrNoFile
	case int64(len(text)) > limit:
		return nil, vfs.ErrTooLarge
	}
	return []byte(text), nil
}

func uriOf(name string) string { return "skill://t/" + name + "/SKILL.md" }

func skillText(name string) string {
	return "---\nname: " + name + "\ndescription: For " + name + ".\n---\nbody\n"
}

func TestEntryRefuses(t *testing.T) {
	many, big := map[string]string{"SKILL.md": skillText("a")}, map[string]string{"SKILL.md": skillText("a")}
	for i := range MaxResources {
		many[fmt.Sprint(i)] = ""
	}
	for i := range 17 {
		big[fmt.Sprint(i)] = strings.Repeat("x", 1<<20)
	}
	for want, files := range map[string]map[string]string{
		"PUBLISH_LIMIT":        many,
		"PUBLISH_LIMIT ":       big,
		"PUBLISH_NAME":         {"SKILL.md": skillText("b")},
		"PUBLISH_NAME ":        {"SKILL.md": "---\ndescription: x\n---\n"},
		"PUBLISH_NAME  ":       {"SKILL.md": "---\nname: 1\ndescription: x\n---\n"},
		"PUBLISH_FRONTMATTER":  {"SKILL.md": "---\nname: a\n---\n"},
		"PUBLISH_FRONTMATTER ": {"SKILL.md": "no frontmatter"},
		"PUBLISH_FILE":         {"SKILL.md": skillText("a"), "x/../y": ""},
	} {
		var k EntryCache
		_, err := k.Entry(t.Context(), &memory{skills: map[string]map[string]string{uriOf("a"): files}}, uriOf("a"))
		var r *NotPublishableError
		if !errors.As(err, &r) || string(r.Diagnostic.Code) != strings.TrimSpace(want) || r.Diagnostic.Fix == "" {
			t.Errorf("%d files: %v; want %s", len(files), err, want)
		}
	}
	var k EntryCache
	if _, err := k.Entry(t.Context(), &memory{}, uriOf("a")); !errors.Is(err, ErrNoFile) {
		t.Errorf("a skill that is not there: %v", err)
	}
	if _, err := k.Entry(t.Context(), &memory{skills: map[string]map[string]string{uriOf("a"): {"x": ""}}}, uriOf("a")); !errors.Is(err, ErrNoFile) {
		t.Errorf("a skill without its file: %v", err)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a-b": true, "0": true, strings.Repeat("a", 64): true,
		"": false, "-a": false, "a-": false, "a--b": false, "A": false, "a_b": false, "ä": false, "a/b": false, "..": false, strings.Repeat("a", 65): false,
	} {
		if ValidName(name) != want {
			t.Errorf("Named(%q) = %v", name, !want)
		}
	}
}

// TestFilePathIsFileURIBackwards checks that each path has exactly one URI, and
// that no other spelling of the URI leads to the path.
func TestFilePathIsFileURIBackwards(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9 %?#&äöü.+~-]{1,8}`), 1, 4).Draw(t, "parts")
		path := strings.Join(parts, "/")
		if !safePath(path) {
			t.Skip()
		}
		uri := FileURI(uriOf("a"), path)
		if got, ok := FilePath(uriOf("a"), uri); !ok || got != path {
			t.Fatalf("%q became %s, which became %q, %v", path, uri, got, ok)
		}
		found := ""
		EnclosingSkills(uri, func(main string) bool {
			if main == uriOf("a") {
				found = main
			}
			return found == ""
		})
		if found == "" {
			t.Fatalf("the skill of %s is not found", uri)
		}
	})
}

func FuzzFilePath(f *testing.F) {
	for _, s := range []string{"SKILL.md", "a/../b", "%2e%2e/x", "a%00", "a%2fb", "", "/", "x//y", "%zz"} {
		f.Add("skill://t/a/" + s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		path, ok := FilePath(uriOf("a"), uri)
		if !ok || path == "." {
			return
		}
		if !fs.ValidPath(path) || strings.ContainsAny(path, "\\\x00") || FileURI(uriOf("a"), path) != uri {
			t.Fatalf("%q leads to %q", uri, path)
		}
	})
}

func TestBuild(t *testing.T) {
	m := &memory{skills: map[string]map[string]string{
		uriOf("b"):               {"SKILL.md": skillText("b"), "x.txt": "1"},
		uriOf("a"):               {"SKILL.md": skillText("a")},
		"skill://u/v/a/SKILL.md": {"SKILL.md": skillText("a")},
		uriOf("long"):            {"SKILL.md": "---\nname: long\ndescription: " + strings.Repeat("ä", 2000) + "\n---\n"},
	}}
	items := []Item{{"a", "skill://u/v/a/SKILL.md"}, {"b", uriOf("b")}, {"a", uriOf("a")}, {"long", uriOf("long")}, {"gone", uriOf("gone")}}
	SortByDepth(items)
	var b Builder
	book, err := b.Build(t.Context(), m, items)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range book.Index.Skills {
		got = append(got, s.Name+" "+s.Type+" "+s.URL)
	}
	if want := "a skill-md a/SKILL.md, b archive b.tar.gz, long skill-md long/SKILL.md"; strings.Join(got, ", ") != want {
		t.Errorf("the index is %q; want %q", got, want)
	}
	if book.Entries[0].URI != uriOf("a") {
		t.Errorf("of two the one further down is published: %s", book.Entries[0].URI)
	}
	var codes []string
	for _, d := range book.Diagnostics {
		codes = append(codes, string(d.Code))
	}
	if want := "PUBLISH_TWICE DESC_LEN"; strings.Join(codes, " ") != want {
		t.Errorf("diagnostics are %v; want %s", codes, want)
	}
	if n := len([]rune(book.Index.Skills[2].Description)); n != 1024 {
		t.Errorf("the long description has %d characters", n)
	}
	first, _ := Archive(t.Context(), m, book.Entries[1])
	second, _ := Archive(t.Context(), m, book.Entries[1])
	if len(first) == 0 || !bytes.Equal(first, second) || digestOf(first) != book.Index.Skills[1].Digest {
		t.Error("two archives of one skill differ")
	}
	m.skills[uriOf("b")]["x.txt"] = "2"
	if _, err := Archive(t.Context(), m, book.Entries[1]); !errors.Is(err, ErrChanged) {
		t.Errorf("an archive of what has changed: %v", err)
	}
}

// TestKeeperReadsOnce checks that a file that is known to be unchanged is not read again.
func TestKeeperReadsOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skillText("a")), 0o644); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, dir: dir}
	var k EntryCache
	for range 3 {
		if _, err := k.Entry(t.Context(), d, uriOf("a")); err != nil {
			t.Fatal(err)
		}
	}
	if d.reads != 3 {
		t.Errorf("a file that was written just now was read %d times; want 3, as it is not certain", d.reads)
	}
	if !vfs.HasExecBits() {
		return
	}
	d.old = true
	for range 3 {
		if _, err := k.Entry(t.Context(), d, uriOf("a")); err != nil {
			t.Fatal(err)
		}
	}
	if d.reads > 4 {
		t.Errorf("an old file was read %d times more; want once", d.reads-3)
	}
}

// TestKeeperKeepsNewestEntries checks that only the newest entries are kept.
func TestKeeperKeepsNewestEntries(t *testing.T) {
	if !vfs.HasExecBits() {
		t.Skip("no file is certain to be unchanged")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skillText("a")), 0o644); err != nil {
		t.Fatal(err)
	}
	d := &disk{t: t, dir: dir, old: true}
	var k EntryCache
	reads := func(from, to int) int {
		before := d.reads
		for i := from; i < to; i++ {
			_, _ = k.Entry(t.Context(), d, uriOf(fmt.Sprint(i, strings.Repeat("a", maxCacheBytes/100))))
		}
		return d.reads - before
	}
	if n := reads(0, 1000); n != 1000 {
		t.Errorf("1000 files were read %d times", n)
	}
	if n := reads(980, 1000); n != 0 {
		t.Errorf("the last 20 files were read again %d times", n)
	}
	if n := reads(0, 900); n != 900 {
		t.Errorf("the first 900 files were read again %d times", n)
	}
}

// disk is a source for one directory. If old is set, its files appear to have been unchanged for a
// long time.
type disk struct {
	t     *testing.T
	dir   string
	old   bool
	reads int
}

func (d *disk) Files(context.Context, string, int) ([]File, bool, error) {
	if d.old {
		// Files on disk cannot be backdated reliably; files in an in-memory file system can.
		tree := vfs.FromFS(fstest.MapFS{"SKILL.md": {Data: []byte(skillText("a")), ModTime: time.Unix(1e9, 0)}}, "x")
		info, err := tree.Info("SKILL.md")
		return []File{{"SKILL.md", info.Size(), info}}, false, err
	}
	tree, err := vfs.Open(d.dir, vfs.Options{})
	if err != nil {
		return nil, false, err
	}
	defer tree.Close()
	info, err := tree.Info("SKILL.md")
	return []File{{"SKILL.md", info.Size(), info}}, false, err
}

func (d *disk) ReadFile(context.Context, string, string, int64) ([]byte, error) {
	d.reads++
	return os.ReadFile(filepath.Join(d.dir, "SKILL.md"))
}

func site(t *testing.T, m *memory) []SiteFile {
	t.Helper()
	var items []Item
	for _, uri := range slices.Sorted(maps.Keys(m.skills)) {
		items = append(items, Item{nameOf(uri), uri})
	}
	var b Builder
	book, err := b.Build(t.Context(), m, items)
	if err != nil {
		t.Fatal(err)
	}
	return book.Site(m, Marketplace{File: "market.json", Name: "x", Owner: "x"})
}

func publishTo(t *testing.T, dir string, m *memory, force bool) ([]string, error) {
	t.Helper()
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	plan, err := NewPlan(t.Context(), tree, site(t, m), force)
	if err != nil {
		return nil, err
	}
	var steps []string
	for _, s := range plan.Steps {
		if s.Change != "same" {
			steps = append(steps, s.Change+s.Problem+" "+strings.TrimPrefix(s.Path, IndexDir+"/"))
		}
	}
	return steps, plan.Write(t.Context(), tree)
}

// TestDisk checks that published files are updated, and that other files are not touched.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	m := &memory{skills: map[string]map[string]string{uriOf("a"): {"SKILL.md": skillText("a"), "d/x.txt": "1"}, uriOf("b"): {"SKILL.md": skillText("b")}}}
	expect := func(what string, force bool, want ...string) {
		t.Helper()
		steps, err := publishTo(t, dir, m, force)
		if err != nil || !slices.Equal(steps, want) {
			t.Fatalf("%s: %q, %v; want %q", what, steps, err, want)
		}
	}
	expect("first", false, "create a/SKILL.md", "create a/d/x.txt", "create a.tar.gz", "create b/SKILL.md", "create index.json", "create market.json")
	expect("again", false)
	m.skills[uriOf("a")]["d/x.txt"] = "2"
	delete(m.skills, uriOf("b"))
	expect("changed", false, "replace a/d/x.txt", "replace a.tar.gz", "replace index.json", "replace market.json", "remove b/SKILL.md")
	if _, err := os.Stat(filepath.Join(dir, IndexDir, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory of what is gone: %v", err)
	}
	file := filepath.Join(dir, IndexDir, "a/d/x.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	m.skills[uriOf("a")]["d/x.txt"] = "3"
	steps, err := publishTo(t, dir, m, false)
	if data, _ := os.ReadFile(file); err == nil || string(data) != "mine" || !slices.Contains(steps, "the file was modified after it was published a/d/x.txt") {
		t.Errorf("a file of another: %q %v, it holds %q", steps, err, data)
	}
	expect("forced", true, "replace a/d/x.txt", "replace a.tar.gz", "replace index.json")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	delete(m.skills[uriOf("a")], "d/x.txt")
	expect("no more, and another's", false, "replace index.json", "remove a.tar.gz", "keep a/d/x.txt")
}

// TestDiskLinks checks that nothing is written through a symlink, and that a forged state file does
// not cause files to be removed.
func TestDiskLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	m := &memory{skills: map[string]map[string]string{uriOf("a"): {"SKILL.md": skillText("a")}}}
	if err := os.Symlink(outside, filepath.Join(dir, ".well-known")); err != nil {
		t.Skip("no links here")
	}
	if steps, err := publishTo(t, dir, m, true); err == nil {
		t.Errorf("through a link: %q", steps)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("outside there is %v", left)
	}
	os.Remove(filepath.Join(dir, ".well-known"))
	for _, name := range []string{"main.go", "../x", ".git/config"} {
		hostile, _ := json.Marshal(record{Version: 1, Files: map[string][]string{name: {digestOf([]byte("keep"))}}})
		if err := os.WriteFile(filepath.Join(dir, StateFile), hostile, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("keep"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := publishTo(t, dir, m, false); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "main.go")); string(data) != "keep" {
			t.Errorf("%s in the state took a file away", name)
		}
	}
}

// TestLongState checks that an overly long state file counts as foreign and that force replaces it.
// An unreadable state file must be reported as unreadable.
func TestLongState(t *testing.T) {
	m := &memory{skills: map[string]map[string]string{uriOf("a"): {"SKILL.md": skillText("a")}}}
	plan := func(dir string, force bool) (*Plan, *vfs.Tree) {
		tree, err := vfs.Open(dir, vfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tree.Close() })
		p, err := NewPlan(t.Context(), tree, site(t, m), force)
		if err != nil {
			t.Fatal(err)
		}
		return p, tree
	}
	dir := t.TempDir()
	file := filepath.Join(dir, StateFile)
	if err := errors.Join(os.WriteFile(file, []byte("{}"), 0o644), os.Truncate(file, maxSiteFile+1)); err != nil {
		t.Fatal(err)
	}
	if p, _ := plan(dir, false); len(p.Conflicts()) != 1 || p.Conflicts()[0].Path != StateFile || p.Conflicts()[0].NotForceable {
		t.Errorf("too long: %+v", p.Conflicts())
	}
	p, tree := plan(dir, true)
	if len(p.Conflicts()) != 0 {
		t.Errorf("by force: %+v", p.Conflicts())
	} else if err := p.Write(t.Context(), tree); err != nil {
		t.Error(err)
	}
	if p, _ := plan(dir, false); len(p.Conflicts()) != 0 {
		t.Errorf("the next time: %+v", p.Conflicts())
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, StateFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if p, _ := plan(dir, true); len(p.Conflicts()) != 1 || !p.Conflicts()[0].NotForceable {
		t.Errorf("a directory: %+v", p.Conflicts())
	}
}

// TestForeignState checks that a file that is not a valid record is overwritten only with force.
// Problems that force cannot solve must be reported.
func TestForeignState(t *testing.T) {
	for _, text := range []string{"my own data", `{"version":1,"files":{},"mine":1}`, `{"version":1,"files":{}} more`, "[]", `{"version":2,"files":{}}`, ""} {
		m := &memory{skills: map[string]map[string]string{uriOf("a"): {"SKILL.md": skillText("a")}}}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, StateFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		tree, err := vfs.Open(dir, vfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		plan, err := NewPlan(t.Context(), tree, site(t, m), false)
		if err != nil || len(plan.Conflicts()) != 1 || plan.Conflicts()[0].Path != StateFile || plan.Conflicts()[0].NotForceable {
			t.Errorf("%q: %+v, %v", text, plan, err)
			continue
		}
		if err := plan.Write(t.Context(), tree); err == nil {
			t.Errorf("%q: it was written", text)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, StateFile)); string(data) != text {
			t.Errorf("%q is %q", text, data)
		}
		plan, err = NewPlan(t.Context(), tree, site(t, m), true)
		if err != nil || len(plan.Conflicts()) != 0 {
			t.Fatalf("%q: %+v, %v", text, plan, err)
		}
		if err := plan.Write(t.Context(), tree); err != nil {
			t.Errorf("%q: by force: %v", text, err)
		}
		if plan, err = NewPlan(t.Context(), tree, site(t, m), false); err != nil || len(plan.Conflicts()) != 0 {
			t.Errorf("%q: afterwards: %+v, %v", text, plan, err)
		}
	}
}

// TestHardProblem checks that a conflict with something other than a file is distinguished from
// conflicts that --force can resolve.
func TestHardProblem(t *testing.T) {
	m := &memory{skills: map[string]map[string]string{uriOf("a"): {"SKILL.md": skillText("a")}}}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, IndexDir, "a", "SKILL.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, force := range []bool{false, true} {
		plan, err := NewPlan(t.Context(), tree, site(t, m), force)
		if err != nil || len(plan.Conflicts()) != 1 || !plan.Conflicts()[0].NotForceable {
			t.Errorf("force %v: %+v, %v", force, plan, err)
		}
	}
}
