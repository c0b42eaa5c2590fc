package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Unsandboxed is a command that comes from the user or from Vade, not from a definition. It runs as
// in a shell: with the user's environment and without restrictions.
type Unsandboxed struct {
	// Args holds the program and its arguments, which no shell parses. A program without a
	// directory is looked up in PATH, never in the current directory.
	Args []string
	// Dir is the working directory. If empty, it defaults to the current directory.
	Dir string
	// Env is the environment, as "NAME=value". If nil, it defaults to this process's environment.
	Env []string
	// Stdin is the input. If nil, the input is empty. The command has no terminal, so it cannot
	// wait for user input.
	Stdin io.Reader
	// Stdout and Stderr receive the output. If a stream is not a file and a child process outlives
	// the command, Run waits for the child for at most Grace.
	Stdout, Stderr io.Writer
	// If Bound is set, the command is killed when this process ends for any reason. This works only
	// on Linux.
	Bound bool
	// Grace is how long the command may take to stop. If 0, it defaults to 10 seconds.
	Grace time.Duration
	// A value sent on Kill while the command is stopping kills the command immediately. Kill may be
	// nil.
	Kill <-chan struct{}
}

// ErrNotStarted is wrapped by errors for commands that could not be started.
var ErrNotStarted = errors.New("cannot be started")

// SignalError is the cause of a context canceled by a signal. The command receives the same signal.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// ExitError describes a command that ran and failed.
type ExitError struct {
	Code   int    // -1 if killed by a signal
	Signal string // name of the signal; empty if the command exited
}

func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "terminated by a signal: " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// Run runs the command until it exits. When ctx ends, Run stops the command and all processes that
// it started, except processes that left its process group. It sends them the signal in ctx's cause
// if that is a *SignalError, and SIGTERM (Ctrl-Break on Windows) otherwise. It kills processes that
// are still running after Grace. The returned error is an *ExitError, wraps ErrNotStarted, comes
// from a stream, or is ctx.Err() if ctx has already ended.
func (u Unsandboxed) Run(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p, err := u.Start()
	if err != nil {
		return err
	}
	select {
	case <-p.Exited():
		return p.err
	case <-ctx.Done():
	}
	var cause *SignalError
	if !errors.As(context.Cause(ctx), &cause) {
		cause = &SignalError{syscall.SIGTERM}
	}
	return p.Stop(cause.Signal)
}

// Process is a running command.
type Process struct {
	u      Unsandboxed
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
}

// Start starts the command. The caller must wait for it or stop it. The error wraps ErrNotStarted.
func (u Unsandboxed) Start() (*Process, error) {
	if len(u.Args) == 0 || u.Args[0] == "" {
		return nil, fmt.Errorf("the command %w: it is empty", ErrNotStarted)
	}
	cmd := exec.Command(u.Args[0], u.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = u.Dir, u.Env, u.grace()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = u.Stdin, u.Stdout, u.Stderr
	startSession(cmd, u.Bound)
	if err := cmd.Start(); err != nil {
		return nil, notStarted(u.Args[0], err)
	}
	p := &Process{u: u, cmd: cmd, exited: make(chan struct{})}
	go func() {
		p.err = exitError(cmd.Wait())
		close(p.exited)
	}()
	return p, nil
}

// Exited returns a channel that is closed when the command has exited.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err returns nil, an *ExitError that describes how the command ended, or an error from a stream.
// It is valid once Exited is closed.
func (p *Process) Err() error { return p.err }

// Stop sends a signal to the command and its group, kills any remaining
// processes after Grace, and waits for the command.
func (p *Process) Stop(s syscall.Signal) error {
	// Even if the command has exited, processes in its group may still be running.
	signalGroup(p.cmd, s)
	timer := time.NewTimer(p.u.grace())
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
	case <-p.u.Kill:
	}
	killSession(p.cmd)
	<-p.exited
	return p.err
}

func (u Unsandboxed) grace() time.Duration {
	if u.Grace > 0 {
		return u.Grace
	}
	return 10 * time.Second
}

// notStarted returns the error for a command that could not be started. It
// omits the command's path.
func notStarted(name string, err error) error {
	if x, ok := errors.AsType[*exec.Error](err); ok {
		err = x.Err
	}
	if x, ok := errors.AsType[*fs.PathError](err); ok {
		err = x.Err
	}
	return fmt.Errorf("%s %w: %w", name, ErrNotStarted, err)
}

// exitError converts an exec.ExitError to an *ExitError. It returns nil for exec.ErrWaitDelay,
// because the command itself succeeded.
func exitError(err error) error {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Code: x.ExitCode(), Signal: signalOf(x.ProcessState)}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// LookPath returns the path of a user-specified program, found the way a shell does. It searches
// the directories in list, which is in PATH format, except those inside a forbidden directory.
// Unlike [Find], it trusts every file there.
func LookPath(name, list string, forbid []string) (string, error) {
	var files []string
	if filepath.Base(name) != name {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		files = []string{abs}
	} else {
		for _, dir := range filepath.SplitList(SafePath(list, forbid)) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	for _, file := range files {
		if path, err := exec.LookPath(file); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}
