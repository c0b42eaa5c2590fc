package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Unsandboxed is a command that the user typed and that no definition influences. It runs as in a
// shell: with the user's environment and without restrictions.
type Unsandboxed struct {
	// Args are the program and its arguments. No shell parses them. A program without a directory
	// is searched for in PATH, never in the current directory.
	Args []string
	// Dir is the working directory; empty is the current directory.
	Dir string
	// Stdout and Stderr receive the output. The command has no standard input and no terminal, so
	// it cannot wait for a user who is not there. If a stream is not a file and a child process
	// outlives the command, Run waits at most Grace for it.
	Stdout, Stderr io.Writer
	// Grace is how long the command may take to stop; 0 is 10 seconds.
	Grace time.Duration
	// A value on Kill ends the command immediately once it is stopping. Nil never does.
	Kill <-chan struct{}
}

// ErrNotStarted is wrapped by the error of a command that could not be started.
var ErrNotStarted = errors.New("cannot be started")

// SignalError is the cause of a context that a signal canceled. The command receives the same
// signal.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// ExitError is a command that ran and failed.
type ExitError struct {
	Code   int    // -1 if a signal ended it
	Signal string // name of the signal; empty if it exited
}

func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "ended by a signal: " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// Run runs the command until it ends. When ctx ends, Run stops the command and all processes that
// it started, except those with a session of their own: with the signal of a *SignalError cause,
// otherwise with SIGTERM, and on Windows with Ctrl-Break. Processes that are still running after
// Grace are killed. The error is an *ExitError, wraps ErrNotStarted, or is that of a stream.
func (u Unsandboxed) Run(ctx context.Context) error {
	if len(u.Args) == 0 || u.Args[0] == "" {
		return errors.Join(ErrNotStarted, errors.New("the command is empty"))
	}
	cmd := exec.Command(u.Args[0], u.Args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = u.Dir, u.Stdout, u.Stderr, u.grace()
	startSession(cmd)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := cmd.Start(); err != nil {
		return &notStarted{u.Args[0], err}
	}
	hasExited := make(chan error, 1)
	go func() { hasExited <- cmd.Wait() }()
	select {
	case err := <-hasExited:
		return exitError(err)
	case <-ctx.Done():
	}
	var cause *SignalError
	if !errors.As(context.Cause(ctx), &cause) {
		cause = &SignalError{syscall.SIGTERM}
	}
	// If it has exited meanwhile, processes of its group may still be running.
	signalGroup(cmd, cause.Signal)
	timer := time.NewTimer(u.grace())
	defer timer.Stop()
	select {
	case err := <-hasExited:
		killSession(cmd)
		return exitError(err)
	case <-timer.C:
	case <-u.Kill:
	}
	killSession(cmd)
	return exitError(<-hasExited)
}

func (u Unsandboxed) grace() time.Duration {
	if u.Grace > 0 {
		return u.Grace
	}
	return 10 * time.Second
}

// notStarted is a command that could not be started, with the reason.
type notStarted struct {
	name string
	err  error
}

func (e *notStarted) Error() string {
	err := e.err
	if x, ok := errors.AsType[*exec.Error](err); ok {
		err = x.Err
	}
	if x, ok := errors.AsType[*fs.PathError](err); ok {
		err = x.Err
	}
	return e.name + " cannot be started: " + err.Error()
}

func (e *notStarted) Unwrap() []error { return []error{ErrNotStarted, e.err} }

// exitError converts the error of exec.Cmd.
func exitError(err error) error {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Code: x.ExitCode(), Signal: signalOf(x.ProcessState)}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
