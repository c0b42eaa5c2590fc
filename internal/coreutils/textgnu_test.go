package coreutils

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// dirFS is a file system for tests: a directory, with names relative to it.
type dirFS struct {
	dir    string
	closed string // base name of a protected file
}

func (d dirFS) at(name string) (string, error) {
	if d.closed != "" && filepath.Base(name) == d.closed {
		return "", &fs.PathError{Op: "open", Path: name, Err: ErrProtected}
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Join(d.dir, name), nil
}

func (d dirFS) Open(name string) (File, error) {
	path, err := d.at(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.Open(path)
}

func (d dirFS) ReadDir(name string) ([]fs.FileInfo, error) {
	path, err := d.at(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	return out, nil
}

func (d dirFS) Stat(name string) (fs.FileInfo, error) {
	path, err := d.at(name)
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

func (d dirFS) Lstat(name string) (fs.FileInfo, error) {
	path, err := d.at(name)
	if err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

func (d dirFS) Readlink(name string) (string, error) { return os.Readlink(filepath.Join(d.dir, name)) }

// testTree writes files into a new directory. A name that ends in a slash is a directory.
func testTree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type outcome struct {
	stdout, stderr string
	status         int
}

// runHere runs a command line in this process.
func runHere(t testing.TB, x *IO, argv ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return runIn(ctx, t, x, argv...)
}

func runIn(ctx context.Context, t testing.TB, x *IO, argv ...string) outcome {
	t.Helper()
	c, ok := Lookup(argv[0])
	if !ok {
		t.Fatalf("no command %s", argv[0])
	}
	p, err := c.Prepare(argv)
	if err != nil {
		return outcome{stderr: err.Error(), status: -1}
	}
	if p.Run == nil {
		return outcome{stderr: "not run here", status: -2}
	}
	var stdout, stderr bytes.Buffer
	run := *x
	run.Stdout, run.Stderr = &stdout, &stderr
	if run.Exec == nil {
		run.Exec = func(ctx context.Context, argv []string, stdin io.Reader) int {
			c, ok := Lookup(argv[0])
			if !ok {
				return 127
			}
			p, err := c.Prepare(argv)
			if err != nil {
				return 1
			}
			inner := run
			inner.Stdin = stdin
			return p.Run(ctx, &inner)
		}
	}
	status := p.Run(ctx, &run)
	return outcome{stdout.String(), stderr.String(), status}
}

// isGNU reports whether a tool is installed and is the GNU version.
func isGNU(name string) bool {
	if name == "echo" {
		name = "bash"
		_, err := exec.LookPath(name)
		return err == nil
	}
	if name == "rev" {
		_, err := exec.LookPath(name)
		return err == nil
	}
	out, err := exec.Command(name, "--version").Output()
	return err == nil && bytes.Contains(out, []byte("GNU"))
}

// runReal runs the real tool. For echo, it uses bash's builtin.
func runReal(t testing.TB, dir, stdin string, argv ...string) outcome {
	t.Helper()
	line := argv
	if argv[0] == "echo" {
		line = append([]string{"bash", "-c", `"$@"`, "bash"}, argv...)
	}
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// invocation is a command line for both implementations, with its stdin.
type invocation struct {
	stdin    string
	argv     []string
	unsorted bool // the real tool prints in directory order
}

// compareGNU runs command lines both here and with the real tool, and compares output and exit
// code.
func compareGNU(t *testing.T, files map[string]string, list []invocation) {
	t.Helper()
	dir := testTree(t, files)
	for _, in := range list {
		name := strings.Join(in.argv, " ")
		if !isGNU(in.argv[0]) {
			t.Logf("%s is not GNU's here: not compared", in.argv[0])
			continue
		}
		want := runReal(t, dir, in.stdin, in.argv...)
		got := runHere(t, &IO{FS: dirFS{dir: dir}, Stdin: strings.NewReader(in.stdin), Dir: dir}, in.argv...)
		if got.status == -1 {
			t.Errorf("%s\nrefused: %s", name, got.stderr)
			continue
		}
		if in.unsorted {
			want.stdout, got.stdout = sortedOutput(want.stdout), sortedOutput(got.stdout)
		}
		if want.stdout != got.stdout || want.status != got.status {
			t.Errorf("%s\nreal %d %q (%s)\nhere %d %q (%s)", name, want.status, want.stdout, want.stderr, got.status, got.stdout, got.stderr)
		}
		if sorted := strings.TrimSpace; (sorted(want.stderr) == "") != (sorted(got.stderr) == "") {
			t.Errorf("%s\nreal stderr %q\nhere stderr %q", name, want.stderr, got.stderr)
		}
	}
}

func stdinOf(text string) io.Reader { return strings.NewReader(text) }

// with creates invocations with the same input. Each line is split at spaces,
// and single quotes group words.
func with(stdin string, lines ...string) []invocation {
	var out []invocation
	for _, line := range lines {
		out = append(out, invocation{stdin: stdin, argv: splitWords(line)})
	}
	return out
}

// splitWords splits a line at spaces, respecting single quotes.
func splitWords(line string) []string {
	var out []string
	word, quoted, some := "", false, false
	for _, c := range line {
		switch {
		case c == '\'':
			quoted, some = !quoted, true
		case c == ' ' && !quoted:
			if some {
				out = append(out, word)
			}
			word, some = "", false
		default:
			word += string(c)
			some = true
		}
	}
	if some {
		out = append(out, word)
	}
	return out
}

// refuses checks that each line is a usage error.
func refuses(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		argv := splitWords(line)
		c, ok := Lookup(argv[0])
		if !ok {
			t.Fatalf("no command %s", argv[0])
		}
		_, err := c.Prepare(argv)
		if _, isUsage := err.(*UsageError); !isUsage {
			t.Errorf("%s: %v, want a usage error", line, err)
		}
	}
}

// sortedOutput sorts output that is in directory order, so it can be compared.
func sortedOutput(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}
