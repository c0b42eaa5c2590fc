package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vadehq/vade/definition"
)

// launch starts the helper, sends it the request, and returns when the command
// and its process group have exited.
func launch(ctx context.Context, cmd *exec.Cmd, s *Spec) (definition.Isolation, error) {
	if have := Supported(); missingRestriction(have, s) != "" {
		return have, notSandboxed(have, missingRestriction(have, s))
	}
	text, err := newRequest(s).marshal()
	if err != nil {
		return definition.Isolation{}, err
	}
	p, err := openPipes()
	if err != nil {
		return definition.Isolation{}, &Error{"start", s.Helper, err}
	}
	defer p.close()
	cmd.Args, cmd.ExtraFiles = []string{helperName}, []*os.File{p.requestOut, p.responseIn}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }

	// The kernel sends the parent death signal when the thread that started the helper exits, even
	// if the process continues.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := feed(cmd, s.Stdin); err != nil {
		return definition.Isolation{}, &Error{"start", s.Helper, err}
	}
	if err := cmd.Start(); err != nil {
		return definition.Isolation{}, startError(ctx, s.Helper, err)
	}
	p.requestOut.Close()
	p.responseIn.Close()
	go func() {
		_, _ = p.requestIn.Write(text)
		p.requestIn.Close()
	}()
	enforced, refused := readResponses(p.responseOut)
	awaitLeader(cmd.Process.Pid)
	_ = killGroup(cmd.Process.Pid)
	err = cmd.Wait()
	if refused != nil && context.Cause(ctx) == nil {
		return enforced, refused
	}
	return enforced, err
}

// Supported reports which restrictions this system can enforce. It does not start a process.
func Supported() definition.Isolation {
	abi, reason := landlockABI()
	w := definition.Isolation{Files: abi > 0, Exec: abi > 0, ABI: abi, Reason: reason}
	if filterWorks() {
		w.Network, w.Syscalls = true, true
		return w
	}
	if w.Reason == "" {
		w.Reason = noFilter
	}
	return w
}

func startError(ctx context.Context, path string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return &Error{"start", path, err}
}

// awaitLeader waits for a process to exit without reaping it, so its PID still
// identifies its process group.
func awaitLeader(pid int) {
	var info unix.Siginfo
	for errors.Is(unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

func killGroup(pid int) error { return unix.Kill(-pid, unix.SIGKILL) }

func newRequest(s *Spec) *request {
	needs, runs := s.needs()
	return &request{
		Path: s.Path, Args: s.Args, Env: s.Env, Dir: s.Dir, AnyDir: s.AnyDir,
		Read: s.Read, Write: s.Write, Exec: s.Exec, Needs: needs, Runs: runs,
		Network: s.Network, Require: s.Require, BestEffort: s.BestEffort,
		// The limit counts the CPU time of all threads together, and they may use all CPUs.
		CPU:    seconds(s.Timeout)*uint64(runtime.NumCPU()) + 1,
		Memory: s.MemoryBytes, Tasks: tasks() + uint64(s.Processes),
	}
}

// seconds returns d in seconds, rounded up.
func seconds(d time.Duration) uint64 { return uint64((d + time.Second - 1) / time.Second) }

// tasks returns the number of threads in the system. It is an upper bound on the number of the
// user's threads, which RLIMIT_NPROC limits.
func tasks() uint64 {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 4 {
		return 1 << 15
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, err := strconv.ParseUint(all, 10, 32)
	if err != nil {
		return 1 << 15
	}
	return n
}

type pipes struct{ requestOut, requestIn, responseOut, responseIn *os.File }

func openPipes() (p pipes, err error) {
	if p.requestOut, p.requestIn, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.responseOut, p.responseIn, err = os.Pipe(); err != nil {
		p.close()
	}
	return p, err
}

// close closes all pipes. It can be called more than once.
func (p pipes) close() {
	for _, f := range []*os.File{p.requestOut, p.requestIn, p.responseOut, p.responseIn} {
		if f != nil {
			f.Close()
		}
	}
}

// readResponses reads the helper's responses until the helper executes the command or exits. It
// returns the active restrictions.
func readResponses(r io.Reader) (definition.Isolation, error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return definition.Isolation{}, err
	}
	var enforced definition.Isolation
	n := 0
	for d := json.NewDecoder(bytes.NewReader(text)); ; n++ {
		var a response
		if err := d.Decode(&a); err != nil {
			break
		}
		enforced = a.Isolation
		if a.Op != "" {
			return enforced, a.err()
		}
	}
	if n == 0 {
		return definition.Isolation{}, fmt.Errorf("%w: the helper did not report its restrictions", ErrSandbox)
	}
	return enforced, nil
}

func (a *response) err() error {
	if a.Op == "restrict" {
		return fmt.Errorf("%w: %s", ErrSandbox, a.Text)
	}
	if a.Errno != 0 {
		return &Error{a.Op, a.Path, syscall.Errno(a.Errno)}
	}
	return &Error{a.Op, a.Path, errors.New(a.Text)}
}

// bind makes the kernel kill a process when the thread that started it exits.
func bind(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
