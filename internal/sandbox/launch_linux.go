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

// launch starts the helper, gives it its order, and returns when the command
// and all of its group are gone.
func launch(ctx context.Context, cmd *exec.Cmd, s *Spec) (definition.Isolation, error) {
	if have := Supported(); lacks(have, s) != "" {
		return have, notSandboxed(have, lacks(have, s))
	}
	text, err := orderFor(s).marshal()
	if err != nil {
		return definition.Isolation{}, err
	}
	p, err := openPipes()
	if err != nil {
		return definition.Isolation{}, &Error{"start", s.Helper, err}
	}
	defer p.close()
	cmd.Args, cmd.ExtraFiles = []string{mark}, []*os.File{p.orderOut, p.answerIn}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }

	// The death signal is sent when the thread that started the helper ends,
	// not when the process does.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := feed(cmd, s.Stdin); err != nil {
		return definition.Isolation{}, &Error{"start", s.Helper, err}
	}
	if err := cmd.Start(); err != nil {
		return definition.Isolation{}, startError(ctx, s.Helper, err)
	}
	p.orderOut.Close()
	p.answerIn.Close()
	go func() {
		_, _ = p.orderIn.Write(text)
		p.orderIn.Close()
	}()
	walls, refused := readAnswers(p.answerOut)
	awaitLeader(cmd.Process.Pid)
	_ = killGroup(cmd.Process.Pid)
	err = cmd.Wait()
	if refused != nil && context.Cause(ctx) == nil {
		return walls, refused
	}
	return walls, err
}

// Supported says which walls this system can build. It starts nothing.
func Supported() definition.Isolation {
	abi, reason := landlockABI()
	w := definition.Isolation{Files: abi > 0, Exec: abi > 0, ABI: abi, Reason: reason}
	if filterWorks() {
		w.Network, w.Syscalls = true, true
		return w
	}
	if w.Reason == "" {
		w.Reason = "no system call filter in this kernel"
	}
	return w
}

func startError(ctx context.Context, path string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return &Error{"start", path, err}
}

// awaitLeader waits for the end of a process but leaves it in the table, so
// that its number still names its group.
func awaitLeader(pid int) {
	var info unix.Siginfo
	for errors.Is(unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

func killGroup(pid int) error { return unix.Kill(-pid, unix.SIGKILL) }

func orderFor(s *Spec) *order {
	needs, runs := s.needs()
	return &order{
		Path: s.Path, Args: s.Args, Env: s.Env, Dir: s.Dir, AnyDir: s.AnyDir,
		Read: s.Read, Write: s.Write, Exec: s.Exec, Needs: needs, Runs: runs,
		Network: s.Network, Require: s.Require, BestEffort: s.BestEffort,
		// Every thread adds to the time of its process.
		CPU:    seconds(s.Timeout)*uint64(runtime.NumCPU()) + 1,
		Memory: s.MemoryBytes, Tasks: tasks() + uint64(s.Processes),
	}
}

// seconds rounds up.
func seconds(d time.Duration) uint64 { return uint64((d + time.Second - 1) / time.Second) }

// tasks returns how many threads the system has. The kernel's limit counts
// all that the user has, so this is a bound for what stands already.
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

type pipes struct{ orderOut, orderIn, answerOut, answerIn *os.File }

func openPipes() (p pipes, err error) {
	if p.orderOut, p.orderIn, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.answerOut, p.answerIn, err = os.Pipe(); err != nil {
		p.close()
	}
	return p, err
}

// close closes what is open; closing twice does no harm.
func (p pipes) close() {
	for _, f := range []*os.File{p.orderOut, p.orderIn, p.answerOut, p.answerIn} {
		if f != nil {
			f.Close()
		}
	}
}

// readAnswers reads until the helper is replaced by the command, or gone.
func readAnswers(r io.Reader) (definition.Isolation, error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return definition.Isolation{}, err
	}
	var walls definition.Isolation
	n := 0
	for d := json.NewDecoder(bytes.NewReader(text)); ; n++ {
		var a answer
		if err := d.Decode(&a); err != nil {
			break
		}
		walls = a.Walls
		if a.Op != "" {
			return walls, a.err()
		}
	}
	if n == 0 {
		return definition.Isolation{}, fmt.Errorf("%w: the helper did not say which walls stand", ErrSandbox)
	}
	return walls, nil
}

func (a *answer) err() error {
	if a.Op == "wall" {
		return fmt.Errorf("%w: %s", ErrSandbox, a.Text)
	}
	if a.Errno != 0 {
		return &Error{a.Op, a.Path, syscall.Errno(a.Errno)}
	}
	return &Error{a.Op, a.Path, errors.New(a.Text)}
}
