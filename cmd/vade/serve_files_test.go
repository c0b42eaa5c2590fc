//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/vadehq/vade/internal/testenv"
)

// TestServeRemovesItsFiles loads a skill that has companion files from a running server, and then
// ends the server in every possible way. The server must remove its files. If it is killed, the
// next server must remove them.
func TestServeRemovesItsFiles(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	// Handle these signals even if they were ignored when this process started, as in a background
	// job. The child would inherit ignored signals.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	binary := buildVade(t)
	home := t.TempDir()
	project := filepath.Join(t.TempDir(), "proj")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(home, ".cache", "vade", "companions")
	left := func() int {
		entries, _ := os.ReadDir(cache)
		return len(entries)
	}
	// start starts a server, has it write a skill's files, and returns the server and the files'
	// directory.
	start := func() (c *exec.Cmd, in io.WriteCloser, dir string) {
		t.Helper()
		c = exec.Command(binary, "serve", "--no-watch", "--log", "off", "-C", project)
		c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load_skill","arguments":{"skillId":"remember"}}}
`)
		says := regexp.MustCompile(`Base directory for this skill: ([^\\]+)\\n`)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if m := says.FindStringSubmatch(lines.Text()); m != nil {
				dir = m[1]
				break
			}
		}
		if info, err := os.Stat(filepath.Join(dir, "reference", "hosts.md")); dir == "" || err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%q has no such file: %v, %v", dir, info, err)
		}
		return c, in, dir
	}
	for name, end := range map[string]func(c *exec.Cmd, in io.Closer) error{
		"the client goes": func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"interrupt":       func(c *exec.Cmd, _ io.Closer) error { return c.Process.Signal(syscall.SIGINT) },
		"terminate":       func(c *exec.Cmd, _ io.Closer) error { return c.Process.Signal(syscall.SIGTERM) },
		"hang up":         func(c *exec.Cmd, _ io.Closer) error { return c.Process.Signal(syscall.SIGHUP) },
	} {
		c, in, dir := start()
		if err := end(c, in); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if _, err := os.Stat(dir); err == nil || left() != 0 {
			t.Errorf("%s: %d directories are left", name, left())
		}
	}
	killed, _, dir := start()
	living, in, other := start()
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if left() != 2 {
		t.Fatalf("%d directories", left())
	}
	third, last, _ := start()
	if _, err := os.Stat(dir); err == nil {
		t.Error("what a killed process left is there still")
	}
	if _, err := os.Stat(filepath.Join(other, "reference", "hosts.md")); err != nil {
		t.Errorf("what a living process has is gone: %v", err)
	}
	in.Close()
	last.Close()
	_, _ = living.Wait(), third.Wait()
	if left() != 0 {
		t.Errorf("%d directories are left", left())
	}
}
