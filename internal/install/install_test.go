package install

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/source"
)

// world is a project with one file that Vade did not install, and a source with skills.
type world struct {
	t               *testing.T
	project, source string
	fetcher         *source.Fetcher
	// failed reports whether a change failed.
	failed bool
}

const own = "---\nname: own\ndescription: Own.\n---\n"

func newWorld(t *testing.T, skills int) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t, filepath.Join(base, "project"), filepath.Join(base, "source"), &source.Fetcher{Cache: filepath.Join(base, "cache")}, false}
	w.write(w.project, "vade.yaml", "hosts: [claude-code, codex]\n")
	w.write(w.project, ".agents/skills/own/SKILL.md", own)
	w.write(w.project, ".git/HEAD", "ref: refs/heads/main\n")
	for i := range skills {
		w.version(i, 1)
	}
	return w
}

func (w *world) write(dir, name, text string) {
	w.t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// version writes a version of a skill. Each version has a file that the others lack.
func (w *world) version(skill, v int) {
	dir := fmt.Sprintf("%s/s%d", w.source, skill)
	if err := os.RemoveAll(dir); err != nil {
		w.t.Fatal(err)
	}
	w.write(dir, "SKILL.md", fmt.Sprintf("---\nname: s%d\ndescription: Number %d.\n---\nVersion %d.\n", skill, skill, v))
	w.write(dir, fmt.Sprintf("docs/v%d.md", v), "text\n")
	w.write(dir, "docs/all.md", fmt.Sprint(v))
}

// open opens the project. It makes one file system change fail: the one numbered fail, counting
// from 1.
func (w *world) open(fail int) *Installer {
	w.t.Helper()
	o := catalog.Options{Dir: w.project, Home: filepath.Join(w.project, "..", "home"), Getenv: func(string) string { return "" }}
	o.BeforeWrite = func(string, string) error {
		if fail--; fail == 0 {
			w.failed = true
			return errors.New("the disk is full")
		}
		return nil
	}
	x, err := Open(w.t.Context(), Options{Catalog: o, Fetcher: w.fetcher})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(x.Close)
	return x
}

func (w *world) add(x *Installer, name string) error {
	s, err := source.Parse(w.source, "/")
	if err != nil {
		return err
	}
	fetched, err := w.fetcher.Fetch(w.t.Context(), s, nil)
	if err != nil {
		return err
	}
	all, err := x.Find(w.t.Context(), fetched)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Name == name {
			changes, err := x.Add(w.t.Context(), s, fetched, []Candidate{c})
			if err != nil {
				return err
			}
			if len(changes[0].Conflicts) > 0 {
				return fmt.Errorf("conflicts: %v", changes[0].Conflicts)
			}
			return x.Apply(w.t.Context(), changes)
		}
	}
	return errors.New("not found")
}

func (w *world) remove(x *Installer, name string) error {
	changes, err := x.Remove([]string{name})
	if err != nil {
		return err
	}
	return x.Apply(w.t.Context(), changes)
}

// settled checks that everything matches the records and that the user's file is untouched.
func (w *world) settled(installed int) {
	w.t.Helper()
	x := w.open(0)
	drifts, err := x.Verify(w.t.Context(), true)
	if err != nil || len(drifts) > 0 || len(x.Lock.Definitions) != installed {
		w.t.Errorf("%d installed, %v, %v", len(x.Lock.Definitions), drifts, err)
	}
	if data, err := os.ReadFile(filepath.Join(w.project, ".agents/skills/own/SKILL.md")); err != nil || string(data) != own {
		w.t.Errorf("the user's file: %q, %v", data, err)
	}
}

// TestInterrupted interrupts each command at each of its changes and then runs the command again.
func TestInterrupted(t *testing.T) {
	commands := []struct {
		name      string
		run       func(w *world, x *Installer) error
		installed int
	}{
		{"add", func(w *world, x *Installer) error { return w.add(x, "s0") }, 1},
		{"update", func(w *world, x *Installer) error { w.version(0, 2); return w.add(x, "s0") }, 1},
		{"remove", func(w *world, x *Installer) error {
			if x.Lock.Get("skill", "s0") == nil {
				return nil
			}
			return w.remove(x, "s0")
		}, 0},
	}
	for i, c := range commands {
		for fail := 1; ; fail++ {
			w := newWorld(t, 1)
			for _, before := range commands[:i] {
				if before.name == "add" {
					if err := before.run(w, w.open(0)); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := c.run(w, w.open(fail))
			if !w.failed {
				if err != nil || fail < 8 {
					t.Errorf("%s, %d changes: %v", c.name, fail, err)
				}
				w.settled(c.installed)
				break
			}
			if err := c.run(w, w.open(0)); err != nil {
				t.Errorf("%s, interrupted at change %d: %v", c.name, fail, err)
			}
			w.settled(c.installed)
		}
	}
}

// TestForgedLedger checks that a ledger cannot claim files that are not definitions.
func TestForgedLedger(t *testing.T) {
	w := newWorld(t, 1)
	const text = "package main\n"
	w.write(w.project, "src/main.go", text)
	sum := sha256.Sum256([]byte(text))
	for kind, files := range map[string]string{"skill": "dir: src, files: {main.go: ", "command": "dir: ., files: {src/main.go: "} {
		w.write(w.project, ledger.Path, fmt.Sprintf("version: 1\ndefinitions:\n  - {name: pdf, kind: %s, source: a/b, type: github, main: SKILL.md, %s\"%x\"}}\n", kind, files, sum))
		if err := w.remove(w.open(0), "pdf"); err != nil {
			t.Error(kind, err)
		}
		if data, err := os.ReadFile(filepath.Join(w.project, "src/main.go")); err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", kind, data, err)
		}
	}
}

// TestConcurrent installs many skills at once.
func TestConcurrent(t *testing.T) {
	const n = 20
	w := newWorld(t, n)
	var all sync.WaitGroup
	for i := range n {
		x := w.open(0)
		all.Go(func() {
			if err := w.add(x, fmt.Sprintf("s%d", i)); err != nil {
				t.Errorf("s%d: %v", i, err)
			}
		})
	}
	all.Wait()
	w.settled(n)
}
