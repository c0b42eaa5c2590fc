package vade_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// openCounter counts how often each file is opened.
type openCounter struct {
	fstest.MapFS
	mu     sync.Mutex
	opened map[string]int
}

func (c *openCounter) Open(name string) (fs.File, error) {
	c.mu.Lock()
	c.opened[name]++
	c.mu.Unlock()
	return c.MapFS.Open(name)
}

func (c *openCounter) count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened[name]
}

func countedProject(t *testing.T, files fstest.MapFS) (*openCounter, *catalog.Catalog) {
	t.Helper()
	fsys := &openCounter{MapFS: files, opened: map[string]int{}}
	c, err := catalog.Open(t.Context(), catalog.Options{Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: fsys}}, Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return fsys, c
}

func load(t *testing.T, c *catalog.Catalog, id string) *catalog.LoadedSkill {
	t.Helper()
	s, err := c.LoadSkill(t.Context(), "", id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLoadSkillReadsOnce checks that a file is opened again only if it has changed. A file without
// a modification time must be read each time, and the result must be cached by digest.
func TestLoadSkillReadsOnce(t *testing.T) {
	const file = ".agents/skills/a/SKILL.md"
	old := time.Now().Add(-time.Hour)
	for _, timed := range []bool{true, false} {
		entry := &fstest.MapFile{Data: []byte("---\nname: A\ndescription: d\n---\none")}
		if timed {
			entry.ModTime = old
		}
		fsys, c := countedProject(t, fstest.MapFS{file: entry})
		if _, err := c.List(t.Context(), catalog.Query{}); err != nil {
			t.Fatal(err)
		}
		first := load(t, c, "a")
		if first.Content != "one" || !strings.HasPrefix(first.Digest, "sha256:") {
			t.Errorf("%+v", first)
		}
		before := fsys.count(file)
		for range 5 {
			if s := load(t, c, "a"); s.Digest != first.Digest || s.Content != first.Content {
				t.Errorf("%+v", s)
			}
		}
		if n := fsys.count(file) - before; timed && n != 0 || !timed && n < 5 {
			t.Errorf("with times %v: opened %d times", timed, n)
		}
		fsys.MapFS[file] = &fstest.MapFile{Data: []byte("---\nname: A\ndescription: d\n---\ntwo"), ModTime: old.Add(time.Second)}
		if s := load(t, c, "a"); s.Content != "two" || s.Digest == first.Digest {
			t.Errorf("the file has changed, and it is %+v", s)
		}
		delete(fsys.MapFS, file)
		var e *definition.Error
		if _, err := c.LoadSkill(t.Context(), "", "a"); !errors.As(err, &e) || e.Code != "FILE_UNREADABLE" {
			t.Errorf("a file that is gone: %v", err)
		}
	}
}

// TestLoadSkillRefresh checks that changed files are reread, using a real
// directory and the system clock.
func TestLoadSkillRefresh(t *testing.T) {
	dir := t.TempDir()
	skill, part := filepath.Join(dir, ".agents", "skills", "a", "SKILL.md"), filepath.Join(dir, "part.md")
	writeText(t, skill, "---\ndescription: d\n---\nSee @part.md")
	writeText(t, part, "first")
	c := openUnified(t, dir)
	if s := load(t, c, "a"); !strings.Contains(s.Content, "first") {
		t.Errorf("%q", s.Content)
	}
	// An included file may change while the skill does not.
	writeText(t, part, "other")
	if s := load(t, c, "a"); !strings.Contains(s.Content, "other") {
		t.Errorf("%q", s.Content)
	}
	// The new content has the same length and modification time.
	writeText(t, skill, "---\ndescription: d\n---\nNot @part.md")
	if s := load(t, c, "a"); !strings.HasPrefix(s.Content, "Not") {
		t.Errorf("%q", s.Content)
	}
	// A different file with the same modification time replaces the skill's file.
	info, err := os.Stat(skill)
	if err != nil {
		t.Fatal(err)
	}
	other := skill + ".new"
	writeText(t, other, "---\ndescription: d\n---\nNew @part.md")
	if err := errors.Join(os.Chtimes(other, info.ModTime(), info.ModTime()), os.Rename(other, skill)); err != nil {
		t.Fatal(err)
	}
	if s := load(t, c, "a"); !strings.HasPrefix(s.Content, "New") {
		t.Errorf("%q", s.Content)
	}
}

// TestLoadSkillTogether loads skills concurrently.
func TestLoadSkillTogether(t *testing.T) {
	c := openUnified(t, unified(t))
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			id := []string{"security", "migrations", "design-patterns", "none"}[i%4]
			if s, err := c.LoadSkill(t.Context(), "", id); (err != nil) != (id == "none") || err == nil && s.ID != id {
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	wg.Wait()
}

// TestSkillsForAgents checks that a skill that names agents is loaded and listed only for them.
func TestSkillsForAgents(t *testing.T) {
	_, c := countedProject(t, fstest.MapFS{
		".agents/skills/own/SKILL.md":    {Data: []byte("---\ndescription: d\nagents: [one, any]\n---\nx")},
		".agents/skills/all/SKILL.md":    {Data: []byte("---\ndescription: d\nagents: '*'\n---\nx")},
		".agents/skills/manual/SKILL.md": {Data: []byte("---\ndescription: d\ndisable-model-invocation: true\n---\nx")},
		"vade.yaml":                      {Data: []byte("bundled: false\n")},
		".agents/agents/first.md":        {Data: []byte("---\nname: first\naliases: [one]\ndescription: d\n---\nx")},
	})
	for agent, may := range map[string]bool{"": true, "one": true, "any": true, "first": true, "two": false} {
		_, err := c.LoadSkill(t.Context(), agent, "own")
		if (err == nil) != may {
			t.Errorf("%q: %v", agent, err)
		}
		_, err = c.LoadSkill(t.Context(), agent, "nothing")
		var e *definition.Error
		want := "Available skills: all, own"
		if !may {
			want = "Available skills: all"
		}
		if !errors.As(err, &e) || !strings.HasSuffix(e.Message, want) {
			t.Errorf("%q: %v", agent, err)
		}
	}
	if _, err := c.LoadSkill(t.Context(), "two", "all"); err != nil {
		t.Error(err)
	}
	if _, err := c.Render(t.Context(), catalog.RenderRequest{Prompt: "own", ByModel: true, Caller: "two"}); err != nil {
		t.Error(err)
	}
	host, err := catalog.Open(t.Context(), catalog.Options{As: "claude-code", Dir: t.TempDir(), Isolated: true, Layers: []catalog.LayerFS{{Layer: definition.Project, Name: "app", FS: fstest.MapFS{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Render(t.Context(), catalog.RenderRequest{Prompt: "x", Caller: "two"}); err == nil {
		t.Error("a host asks who calls")
	}
}
