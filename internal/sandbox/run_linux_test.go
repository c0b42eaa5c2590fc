package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vadehq/vade/definition"
)

func TestResult(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		exit   int
		signal string
		out    string
	}{
		{[]string{"exit", "0"}, 0, "", ""},
		{[]string{"exit", "7"}, 7, "", ""},
		{[]string{"die"}, -1, "terminated", ""},
		{[]string{"args"}, 0, "", `["probe" "args"]` + "\ndone\n"},
		{[]string{"cwd"}, 0, "", dir + "\ndone\n"},
		{[]string{"env"}, 0, "", "2 [A=1 B=two words]\ndone\n"},
		{[]string{"fds"}, 0, "", "done\n"},
		{[]string{"cat"}, 0, "", "done\n"},
	} {
		s := specFor(t, dir, c.args...)
		s.Env = []string{"A=1", "B=two words"}
		r, out, err := run(t, s)
		if err != nil || r.Exit != c.exit || r.Signal != c.signal || r.TimedOut || out != c.out {
			t.Errorf("%q: %+v, %v, printed %q", c.args, r, err, out)
		}
	}
}

func TestInput(t *testing.T) {
	requireSandbox(t)
	s := specFor(t, t.TempDir(), "cat")
	s.Stdin = strings.NewReader("some words\n")
	if _, out, err := run(t, s); err != nil || out != "some words\ndone\n" {
		t.Errorf("%v, printed %q", err, out)
	}
	// Run returns even though the reader never does.
	r, w := io.Pipe()
	defer w.Close()
	s = specFor(t, t.TempDir(), "exit", "4")
	s.Stdin = r
	if res, _, err := run(t, s); err != nil || res.Exit != 4 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestStreamsKeepTheirOrder(t *testing.T) {
	requireSandbox(t)
	_, out, err := run(t, specFor(t, t.TempDir(), "both"))
	var want strings.Builder
	for i := range 50 {
		want.WriteString(strconv.Itoa(i) + "\n")
	}
	if err != nil || out != want.String()+"done\n" {
		t.Errorf("%v, printed %q", err, out)
	}
}

func TestNotRun(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	text := writeFile(t, filepath.Join(dir, "text"), "no program\n")
	plain := writeFile(t, filepath.Join(dir, "plain"), "x")
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Spec)
		op     string
		is     error
	}{
		{"no helper", func(s *Spec) { s.Helper = "" }, "", ErrNoHelper},
		{"missing helper", func(s *Spec) { s.Helper = dir + "/none" }, "start", fs.ErrNotExist},
		{"helper that does not call Main", func(s *Spec) { s.Helper = "/bin/true" }, "", ErrSandbox},
		{"relative binary", func(s *Spec) { s.Path = "true" }, "", ErrSpec},
		{"relative directory", func(s *Spec) { s.Dir = "." }, "", ErrSpec},
		{"relative grant", func(s *Spec) { s.Read = []string{"x"} }, "", ErrSpec},
		{"no arguments", func(s *Spec) { s.Args = nil }, "", ErrSpec},
		{"NUL", func(s *Spec) { s.Env = []string{"A=\x00"} }, "", ErrSpec},
		{"missing binary", func(s *Spec) { s.Path = dir + "/none" }, "exec", fs.ErrNotExist},
		{"text as binary", func(s *Spec) { s.Path = text }, "exec", syscall.ENOEXEC},
		{"not executable", func(s *Spec) { s.Path = plain }, "exec", fs.ErrPermission},
		{"missing directory", func(s *Spec) { s.Dir = dir + "/none" }, "enter", fs.ErrNotExist},
		{"directory outside", func(s *Spec) { s.Dir = "/root" }, "enter", fs.ErrPermission},
		{"missing grant", func(s *Spec) { s.Read = append(s.Read, dir+"/none") }, "allow", fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := specFor(t, dir, "nothing")
			c.change(&s)
			r, out, err := run(t, s)
			if !errors.Is(err, c.is) || out != "" || r.Exit == 0 && c.name != "helper that does not call Main" {
				t.Errorf("%+v, %v, printed %q", r, err, out)
			}
			if e, ok := errors.AsType[*Error](err); (ok && e.Op != c.op) || ok != (c.op != "") {
				t.Errorf("error is %#v, want Op %q", err, c.op)
			}
		})
	}
}

// pidsOf parses the PIDs printed by the probe.
func pidsOf(t *testing.T, out string) (pids []int, refused int) {
	t.Helper()
	line, _, _ := strings.Cut(out, "\n")
	for _, word := range strings.Fields(line) {
		if word == "refused" {
			refused++
			continue
		}
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("printed %q", out)
		}
		pids = append(pids, pid)
	}
	return pids, refused
}

// hasExited reports whether a process has ended. It allows the kernel some time.
func hasExited(pid int) bool {
	for range 200 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// TestNoProcessRemains runs a command whose child processes keep its output
// open and try to leave its process group.
func TestNoProcessRemains(t *testing.T) {
	requireSandbox(t)
	for _, mode := range []string{"leave", "stay"} {
		s := specFor(t, t.TempDir(), "children", mode)
		s.Exec = []string{s.Path}
		s.Timeout = 2 * time.Second
		r, out, err := run(t, s)
		pids, refused := pidsOf(t, out)
		if err != nil || r.TimedOut != (mode == "stay") || len(pids) != 1 || refused != 2 {
			t.Errorf("%s: %+v, %v, printed %q", mode, r, err, out)
		}
		for _, pid := range pids {
			if !hasExited(pid) {
				t.Errorf("%s: process %d is still running", mode, pid)
			}
		}
	}
}

func TestTimeout(t *testing.T) {
	requireSandbox(t)
	s := specFor(t, t.TempDir(), "sleep")
	s.Timeout = 50 * time.Millisecond
	r, _, err := run(t, s)
	if err != nil || !r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCancel(t *testing.T) {
	requireSandbox(t)
	why := errors.New("canceled by the user")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	r, err := Run(ctx, specFor(t, t.TempDir(), "sleep"))
	if !errors.Is(err, why) || r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Run(ctx, specFor(t, t.TempDir(), "nothing")); !errors.Is(err, why) {
		t.Errorf("canceled context: %v", err)
	}
}

var errFull = errors.New("full")

type capped struct{ left int }

func (c *capped) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterEndsTheCommand(t *testing.T) {
	requireSandbox(t)
	s := specFor(t, t.TempDir(), "spew")
	s.Stdout = &capped{64 << 10}
	s.Timeout = time.Minute
	r, err := Run(context.Background(), s)
	if !errors.Is(err, errFull) || r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestLimits(t *testing.T) {
	requireSandbox(t)
	s := specFor(t, t.TempDir(), "limits")
	s.Timeout, s.MemoryBytes = 3*time.Second, 1<<30
	_, out, err := run(t, s)
	fields := strings.Fields(out)
	if err != nil || len(fields) != 8 {
		t.Fatalf("%v, printed %q", err, out)
	}
	got := strings.Join(slices.Concat(fields[:3], fields[4:7]), " ")
	if got != "0 0 1024 1073741824 umask 77" {
		t.Errorf("limits: %s", got)
	}
	if cpu, _ := strconv.Atoi(fields[3]); cpu < 4 || cpu > 3*4096 {
		t.Errorf("CPU seconds: %d", cpu)
	}
	s = specFor(t, t.TempDir(), "memory")
	s.MemoryBytes = 1 << 30
	if _, out, err := run(t, s); err != nil || !strings.Contains(out, "cannot allocate memory") {
		t.Errorf("%v, printed %q", err, out)
	}
}

func TestForkBombIsBounded(t *testing.T) {
	requireSandbox(t)
	if os.Getuid() == 0 {
		t.Skip("the kernel does not limit root's processes")
	}
	s := specFor(t, t.TempDir(), "forkbomb")
	s.Exec, s.Processes, s.Timeout = []string{s.Path}, 40, 30*time.Second
	r, out, err := run(t, s)
	if err != nil || r.TimedOut || !strings.Contains(out, "resource temporarily unavailable") {
		t.Errorf("%+v, %v, printed %q", r, err, out)
	}
}

// TestBestEffort checks that available restrictions are applied and reported.
func TestBestEffort(t *testing.T) {
	s := specFor(t, t.TempDir(), "exit", "5")
	s.Require, s.BestEffort = false, true
	r, _, err := run(t, s)
	if err != nil || r.Exit != 5 || r.Isolation.Files != Supported().Files {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestMissingRestriction requires restrictions that the system does not have.
func TestMissingRestriction(t *testing.T) {
	all := definition.Isolation{Files: true, Network: true, Exec: true, Syscalls: true}
	for _, c := range []struct {
		have definition.Isolation
		spec Spec
		want string
	}{
		{definition.Isolation{}, Spec{}, "file access"},
		{definition.Isolation{}, Spec{BestEffort: true}, ""},
		{definition.Isolation{}, Spec{Require: true, BestEffort: true}, "file access"},
		{definition.Isolation{Files: true}, Spec{}, ""},
		{definition.Isolation{Files: true}, Spec{Require: true}, "program execution"},
		{definition.Isolation{Files: true, Exec: true}, Spec{Require: true}, "network access"},
		{definition.Isolation{Files: true, Exec: true}, Spec{Require: true, Network: true}, "system calls"},
		{all, Spec{Require: true}, ""},
	} {
		if got := missingRestriction(c.have, &c.spec); got != c.want {
			t.Errorf("%+v with %+v is missing %q, want %q", c.spec, c.have, got, c.want)
		}
	}
}

// TestHelperNameAlone starts a program under the helper's name, as a user
// could. The program must run normally.
func TestHelperNameAlone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	for name, extra := range map[string][]*os.File{"no pipes": nil, "empty pipes": {r, r}} {
		cmd := exec.Command(self(t), "-test.run=^$")
		cmd.Args = []string{helperName}
		cmd.ExtraFiles = extra
		// Without arguments, the test binary runs its tests. One test is enough
		// to show that Main returned.
		cmd.Env = append(os.Environ(), "SANDBOX_MARK_ALONE=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "went on") {
			t.Errorf("%s: %v, printed %.200q", name, err, out)
		}
	}
}

// TestRequestIsHidden checks what other processes can see of a running command.
func TestRequestIsHidden(t *testing.T) {
	requireSandbox(t)
	s := specFor(t, t.TempDir(), "children", "stay")
	s.Env = []string{"A=1"}
	s.Timeout = time.Minute
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	s.Stdout = w
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { _, err := Run(ctx, s); ended <- err }()
	if _, err := r.Read(make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
	pid := childOf(t, os.Getpid())
	cmdline, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	environ, _ := os.ReadFile("/proc/" + pid + "/environ")
	if string(cmdline) != "probe\x00children\x00stay\x00" || string(environ) != "A=1\x00" {
		t.Errorf("arguments %q, environment %q", cmdline, environ)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// childOf returns parent's child process that leads a process group of its own.
func childOf(t *testing.T, parent int) string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if pgid, err := unix.Getpgid(pid); err == nil && pgid == pid && len(fields) > 1 && fields[1] == strconv.Itoa(parent) && fields[0] != "Z" {
			return e.Name()
		}
	}
	t.Fatal("no running command found")
	return ""
}

// TestFilterIsShort checks that the filter is shorter than the kernel's limit,
// and that its jumps are shorter than 256 instructions.
func TestFilterIsShort(t *testing.T) {
	for _, p := range []callPolicy{{}, {network: true, metadata: true, truncate: true, signals: true}} {
		prog := filterFor(p)
		if len(prog) > unix.BPF_MAXINSNS {
			t.Errorf("%d instructions", len(prog))
		}
		for i, in := range prog {
			if in.Code&7 == unix.BPF_JMP && i+1+int(max(in.Jt, in.Jf)) >= len(prog) {
				t.Errorf("instruction %d jumps past the end", i)
			}
		}
		if last := prog[len(prog)-1]; last.Code != unix.BPF_RET|unix.BPF_K || last.K != unix.SECCOMP_RET_ALLOW {
			t.Errorf("last instruction is %+v", last)
		}
	}
}
