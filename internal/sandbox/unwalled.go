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

// Unwalled is a command that the user typed, and that no definition has a part in: it
// is started as a shell would, with the user's environment, and nothing around it.
type Unwalled struct {
	// Args are the program and its arguments, which no shell reads. A program without
	// a directory is looked for in PATH, and never in the current directory.
	Args []string
	// Dir is where it runs; empty is the current directory.
	Dir string
	// Stdout and Stderr are what it writes to; it has no standard input and no
	// terminal, so that it cannot wait for someone who is not there. What is started
	// with a stream that is not a file is not waited for any longer than Grace when it
	// outlives the command.
	Stdout, Stderr io.Writer
	// Grace is how long it may go on when it is told to stop; 0 is 10 seconds.
	Grace time.Duration
	// Kill ends it at once where it is told to stop and one comes; nil never does.
	Kill <-chan struct{}
}

// ErrNotStarted is wrapped by the error of a command that did not begin.
var ErrNotStarted = errors.New("it cannot be started")

// SignalError is the cause of a context that ends because of a signal: what is told to
// stop gets the same.
type SignalError struct{ Signal syscall.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return e.Signal.String() }

// ExitError is a command that ran and did not succeed.
type ExitError struct {
	Code   int    // -1 where a signal ended it
	Signal string // its name; empty where none did
}

// Error says how it ended.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return "ended by a signal: " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// Run runs the command to its end. When the context ends it is told to stop, with all
// that it has started and that has not gone into a session of its own: by the signal
// that is the cause, or else SIGTERM; on Windows by Ctrl-Break. What goes on longer than
// Grace is killed. The error is an *ExitError, wraps ErrNotStarted, or is that of
// a stream.
func (u Unwalled) Run(ctx context.Context) error {
	if len(u.Args) == 0 || u.Args[0] == "" {
		return errors.Join(ErrNotStarted, errors.New("there is no command"))
	}
	cmd := exec.Command(u.Args[0], u.Args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = u.Dir, u.Stdout, u.Stderr, u.grace()
	apart(cmd)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := cmd.Start(); err != nil {
		return &notStarted{u.Args[0], err}
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	select {
	case err := <-gone:
		return ending(err)
	case <-ctx.Done():
	}
	var cause *SignalError
	if !errors.As(context.Cause(ctx), &cause) {
		cause = &SignalError{syscall.SIGTERM}
	}
	// Where it is gone meanwhile, there is nothing to tell; its group may be there.
	tell(cmd, cause.Signal)
	timer := time.NewTimer(u.grace())
	defer timer.Stop()
	select {
	case err := <-gone:
		endApart(cmd)
		return ending(err)
	case <-timer.C:
	case <-u.Kill:
	}
	endApart(cmd)
	return ending(<-gone)
}

func (u Unwalled) grace() time.Duration {
	if u.Grace > 0 {
		return u.Grace
	}
	return 10 * time.Second
}

// notStarted is a command that did not begin, and why.
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

// ending puts the error of a command into words of ours.
func ending(err error) error {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Code: x.ExitCode(), Signal: signalOf(x.ProcessState)}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
