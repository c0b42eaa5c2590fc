package vade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/vfs"

	"github.com/vadehq/vade/internal/testenv"
)

// TestSyncKilled stops the process before each file system change and then runs it again.
func TestSyncKilled(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	files := syncProject()
	files["vade.yaml"] = "hosts: [claude-code, gemini]\n"
	second := func(o catalog.Options) {
		putFile(t, filepath.Join(o.Dir, ".github/agents/architect.agent.md"), "---\nname: architect\ndescription: Designs well.\n---\nYou design.\n")
		putFile(t, filepath.Join(o.Dir, ".github/commands/new.command.md"), "---\ndescription: New.\n---\nNew.\n")
		if err := errors.Join(os.RemoveAll(filepath.Join(o.Dir, ".agents/skills/lint")), os.Remove(filepath.Join(o.Dir, ".github/commands/review.command.md"))); err != nil {
			t.Fatal(err)
		}
	}
	start := func() (catalog.Options, string, map[string]bool) {
		o := layProject(t, files)
		mustSync(t, o, materialize.Options{})
		lines := map[string]bool{}
		old := snapshot(t, o.Dir)
		for _, line := range strings.Split(old, "\n") {
			lines[line] = true
		}
		second(o)
		return o, old, lines
	}
	o, _, _ := start()
	changes := 0
	o.BeforeWrite = func(string, string) error { changes++; return nil }
	mustSync(t, o, materialize.Options{})
	want := snapshot(t, o.Dir)
	whole := map[string]bool{}
	for _, line := range strings.Split(want, "\n") {
		whole[line] = true
	}
	if changes < 20 {
		t.Fatalf("only %d changes", changes)
	}
	step := 1
	if !testenv.Slow() {
		step = 3
	}
	for k := 0; k < changes; k += step {
		o, _, old := start()
		left := k
		o.BeforeWrite = func(string, string) error {
			if left == 0 {
				return errEnded
			}
			left--
			return nil
		}
		if _, err := materialize.Sync(context.Background(), o, materialize.Options{}); err == nil && k < changes-1 {
			t.Errorf("%d: no error", k)
		}
		o.BeforeWrite = nil
		// Each file is either old or new; the state file and temporary files may differ.
		for _, line := range strings.Split(snapshot(t, o.Dir), "\n") {
			if !old[line] && !whole[line] && !strings.Contains(line, ".vade/sync.json") && !strings.Contains(line, ".vade-sync-") {
				t.Errorf("killed before change %d: half-written: %s", k, line)
			}
		}
		mustSync(t, o, materialize.Options{})
		if got := snapshot(t, o.Dir); got != want {
			t.Errorf("killed before change %d, and run again:\n%s\nwant\n%s", k, got, want)
		}
		wantSteps(t, mustSync(t, o, materialize.Options{}))
	}
}

func TestSyncConcurrentRuns(t *testing.T) {
	o := layProject(t, syncProject())
	tree, err := vfs.Open(filepath.ToSlash(o.Dir), vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	release, err := tree.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := materialize.Sync(context.Background(), o, materialize.Options{}); !errors.Is(err, materialize.ErrBusy) {
		t.Errorf("the error is %v", err)
	}
	release()
	var wait sync.WaitGroup
	done := make(chan error, 8)
	for range cap(done) {
		wait.Go(func() {
			_, err := materialize.Sync(context.Background(), o, materialize.Options{})
			done <- err
		})
	}
	wait.Wait()
	close(done)
	ok := 0
	for err := range done {
		if err == nil {
			ok++
		} else if !errors.Is(err, materialize.ErrBusy) {
			t.Error(err)
		}
	}
	if ok == 0 {
		t.Error("none of them was done")
	}
	wantSteps(t, mustSync(t, o, materialize.Options{}))
}

// TestSyncHostile creates hostile symlinks and a false state file. Nothing outside the project may
// change, and neither may any file that Vade did not create.
func TestSyncHostile(t *testing.T) {
	for name, plant := range map[string]func(top, outside string) error{
		"host's directory": func(top, outside string) error { return os.Symlink(outside, filepath.Join(top, ".claude")) },
		"kind's directory": func(top, outside string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".gemini"), 0o755), os.Symlink(outside, filepath.Join(top, ".gemini/commands")))
		},
		"skill's directory": func(top, outside string) error {
			return errors.Join(os.MkdirAll(filepath.Join(top, ".claude/skills"), 0o755), os.Symlink(outside, filepath.Join(top, ".claude/skills/deploy")))
		},
		"file": func(top, outside string) error {
			return errors.Join(os.MkdirAll(filepath.Join(top, ".claude/agents"), 0o755), os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(top, ".claude/agents/architect.md")))
		},
		"hard link": func(top, outside string) error {
			return errors.Join(os.MkdirAll(filepath.Join(top, ".claude/agents"), 0o755), os.Link(filepath.Join(outside, "x.md"), filepath.Join(top, ".claude/agents/architect.md")))
		},
		"state's directory": func(top, outside string) error { return os.Symlink(outside, filepath.Join(top, ".vade")) },
		"state": func(top, outside string) error {
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(top, ".vade/sync.json")))
		},
		"project's file": func(top, outside string) error {
			return errors.Join(os.Remove(filepath.Join(top, "vade.yaml")), os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(top, "vade.yaml")))
		},
		"claims": func(top, outside string) error {
			const digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // SHA-256 of "x"
			var entries []string
			for _, p := range []string{"../outside/x.md", ".git/HEAD", "main.go", "/etc/passwd", ".claude/../main.go", ".claude/settings.json", ".vade/policy.yaml", "a\\nb"} {
				entries = append(entries, fmt.Sprintf(`{"path": %q, "hosts": ["claude-code"], "sha256": %q}`, p, digest))
			}
			return errors.Join(os.Mkdir(filepath.Join(top, ".vade"), 0o755), os.MkdirAll(filepath.Join(top, ".claude"), 0o755),
				os.WriteFile(filepath.Join(top, "main.go"), []byte("x"), 0o644), os.WriteFile(filepath.Join(top, ".claude/settings.json"), []byte("x"), 0o644),
				os.WriteFile(filepath.Join(top, ".vade/policy.yaml"), []byte("x"), 0o644),
				os.WriteFile(filepath.Join(top, ".vade/sync.json"), []byte(`{"version": 1, "files": [`+strings.Join(entries, ",")+`], "dirs": ["..", ".git", "src"]}`), 0o644))
		},
	} {
		for _, force := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", name, force), func(t *testing.T) {
				o := layProject(t, syncProject())
				outside := t.TempDir()
				putFile(t, filepath.Join(outside, "x.md"), "x")
				if err := plant(o.Dir, outside); err != nil {
					t.Skip("no links here:", err)
				}
				before := snapshot(t, outside)
				r, err := materialize.Sync(context.Background(), o, materialize.Options{Force: force})
				if after := snapshot(t, outside); after != before {
					t.Fatalf("outside there is\n%s\nnow", after)
				}
				for _, kept := range []string{"main.go", ".claude/settings.json", ".vade/policy.yaml"} {
					if _, err := os.Lstat(filepath.Join(o.Dir, kept)); name == "claims" && err != nil {
						t.Error(err)
					}
				}
				if err == nil && !force && !r.Failed() && name != "claims" {
					t.Errorf("nothing is said: %s", stepsOf(r))
				}
				if name == "claims" && !strings.Contains(codesOf(r), "SYNC_STATE") {
					t.Errorf("%s", codesOf(r))
				}
			})
		}
	}
}
