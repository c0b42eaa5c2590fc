package catalog

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFirstLoad verifies that loading a skill by path does not wait for a full
// scan, and that later loads see changes to the file.
func TestFirstLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".claude/skills/deploy/SKILL.md")
	write := func(text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\nname: deploy\ndescription: d\n---\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Ship it.\n")
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Open(context.Background(), Options{Dir: dir, Home: t.TempDir(), ManagedDir: t.TempDir(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.scanMu.Lock()
	defer c.scanMu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, want := range []string{"Ship it.", "Ship it now."} {
		write(want + "\n")
		for range 2 {
			done := make(chan *LoadedSkill, 1)
			go func() {
				s, _ := c.LoadSkill(ctx, "", "deploy")
				done <- s
			}()
			select {
			case s := <-done:
				if s == nil || strings.TrimSpace(s.Content) != want {
					t.Fatalf("%+v, not %q", s, want)
				}
			case <-ctx.Done():
				t.Fatal("load waits for the scan")
			}
			r, err := c.Load(ctx, "/deploy")
			if err != nil || strings.TrimSpace(r.Command.Text) != want {
				t.Fatalf("%+v %v, not %q", r, err, want)
			}
		}
	}
	if c.files.bytes == 0 {
		t.Error("nothing was cached")
	}
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	if c.files.reserve(fileKey{}, maxCached+1) || !c.files.reserve(fileKey{}, maxCached) || len(c.files.files) != 0 || c.files.bytes != maxCached {
		t.Errorf("cache exceeds its limit: %d bytes, %d files", c.files.bytes, len(c.files.files))
	}
}
