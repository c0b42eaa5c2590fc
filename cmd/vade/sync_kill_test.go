//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

// TestSyncKilledProcess kills the program with SIGKILL at moments throughout its run, and then runs
// it again. No file may be half-written, and the project must be up to date afterwards.
func TestSyncKilledProcess(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	binary := buildVade(t)
	const skills = 12
	// The text is long enough that writing it takes measurable time.
	body := strings.Repeat("A line of the body of a definition.\n", 2000)
	project := func() string {
		top := t.TempDir()
		files := map[string]string{".git/HEAD": "ref: refs/heads/main\n", "vade.yaml": "hosts: [claude-code, gemini, opencode]\nsync: {links: never}\n"}
		for i := range skills {
			files[fmt.Sprintf(".agents/skills/s%02d/SKILL.md", i)] = fmt.Sprintf("---\nname: s%02d\ndescription: D.\n---\n%s", i, body)
			files[fmt.Sprintf(".github/agents/a%02d.agent.md", i)] = fmt.Sprintf("---\nname: a%02d\ndescription: D.\n---\n%s", i, body)
		}
		for name, text := range files {
			name = filepath.Join(top, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		return top
	}
	run := func(top string) *exec.Cmd {
		c := exec.Command(binary, "sync", "-C", top)
		c.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
		return c
	}
	top := project()
	begin := time.Now()
	if out, err := run(top).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole, want := time.Since(begin), contentsBelow(t, top)
	if len(want) < 4*skills {
		t.Fatalf("only %d files", len(want))
	}
	kills, early := 6, 0
	for i := range kills {
		top := project()
		c := run(top)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(i+1) / time.Duration(kills+1))
		_ = c.Process.Signal(syscall.SIGKILL)
		if err := c.Wait(); err != nil {
			early++
		}
		for name, data := range contentsBelow(t, top) {
			base := filepath.Base(name)
			if base == "sync.json" || strings.HasPrefix(base, ".vade-sync-") {
				continue
			}
			if !bytes.Equal(data, want[name]) {
				t.Errorf("killed at %d of %d: %s has %d bytes of %d", i+1, kills+1, name, len(data), len(want[name]))
			}
		}
		if out, err := run(top).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := contentsBelow(t, top)
		for name := range got {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("run again: %s differs", name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("run again: %d files, want %d", len(got), len(want))
		}
	}
	t.Logf("%d of %d runs were killed before their end", early, kills)
	if early == 0 {
		t.Error("none was killed before its end")
	}
}

// contentsBelow returns the files below a directory.
func contentsBelow(t *testing.T, top string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(top, name)
		files[rel], err = os.ReadFile(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
