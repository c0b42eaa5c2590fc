package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// mark is the name under which a helper is started.
const mark = "vade: sandbox helper"

// called: Main has been called. A program that names itself as the helper and
// does not call it would start itself again and again.
var called atomic.Bool

// itself reports whether the helper is the program that runs, or the program is
// a helper that did not know it.
func itself(helper string) bool {
	self, err := os.Executable()
	return err == nil && self == helper || os.Args[0] == mark
}

// errTimeout is the cause with which the time of a command ends.
var errTimeout = errors.New("time is up")

// Run runs a command and waits for it and for all it started. A command that
// fails or runs out of time is a Result, not an error; an error means that it
// was not started, that ctx ended, or that a writer had enough. The Result is
// filled in as far as it is known in each case.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := s.check(); err != nil {
		return Result{Exit: -1}, err
	}
	ctx, end := context.WithTimeoutCause(ctx, s.Timeout, errTimeout)
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	w := &writers{cancel: cancel}
	cmd := exec.CommandContext(ctx, s.Helper)
	cmd.Env, cmd.WaitDelay = []string{}, waitDelay
	cmd.Stdout, cmd.Stderr = w.wrap(s.Stdout, s.Stderr)
	walls, err := launch(ctx, cmd, &s)
	r := Result{Exit: -1, Walls: walls}
	if cmd.ProcessState != nil {
		r.Exit, r.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	}
	return r.judge(ctx, err, w.err)
}

// Again starts the helper under another name, unsandboxed and without arguments
// and environment, and returns its exit code, which is -1 where a signal ended
// it. The program itself knows what to do under that name. It ends with ctx.
func Again(ctx context.Context, helper, name string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if helper == "" || itself(helper) && !called.Load() {
		return 0, ErrNoHelper
	}
	cmd := exec.CommandContext(ctx, helper)
	cmd.Args, cmd.Env, cmd.WaitDelay = []string{name}, []string{}, waitDelay
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// judge tells the ends of a command from the failures of running it.
func (r Result) judge(ctx context.Context, err, writeErr error) (Result, error) {
	_, exited := errors.AsType[*exec.ExitError](err)
	cause := context.Cause(ctx)
	switch {
	case writeErr != nil:
		return r, fmt.Errorf("output: %w", writeErr)
	case err == nil:
		return r, nil
	case errors.Is(cause, errTimeout):
		r.TimedOut = true
		return r, nil
	case cause != nil:
		return r, cause
	case exited:
		return r, nil
	}
	return r, err
}

// feed connects the input. A file is the command's own; anything else is copied
// by a goroutine that nobody waits for, since its reader may never return.
func feed(cmd *exec.Cmd, in io.Reader) error {
	if f, ok := in.(*os.File); ok || in == nil {
		if f != nil {
			cmd.Stdin = f
		}
		return nil
	}
	w, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(w, in)
		w.Close()
	}()
	return nil
}

// check refuses what cannot be run and fills in the defaults.
func (s *Spec) check() error {
	switch {
	case s.Helper == "":
		return ErrNoHelper
	case itself(s.Helper) && !called.Load():
		return fmt.Errorf("%w: the program is its own helper and has not called Main first", ErrNoHelper)
	case !filepath.IsAbs(s.Path):
		return fmt.Errorf("%w: the binary %q is not an absolute path", ErrSpec, s.Path)
	case !filepath.IsAbs(s.Dir):
		return fmt.Errorf("%w: the directory %q is not an absolute path", ErrSpec, s.Dir)
	case len(s.Args) == 0:
		return fmt.Errorf("%w: no arguments, not even a name", ErrSpec)
	}
	for _, list := range [][]string{{s.Helper, s.Path, s.Dir}, s.Args, s.Env, s.Read, s.Write, s.Exec} {
		for _, word := range list {
			if strings.IndexByte(word, 0) >= 0 {
				return fmt.Errorf("%w: NUL byte in %q", ErrSpec, word)
			}
		}
	}
	for _, list := range [][]string{s.Read, s.Write, s.Exec} {
		for _, path := range list {
			if !filepath.IsAbs(path) {
				return fmt.Errorf("%w: %q is not an absolute path", ErrSpec, path)
			}
		}
	}
	s.defaults()
	return nil
}

func (s *Spec) defaults() {
	if s.Timeout <= 0 {
		s.Timeout = defaultTimeout
	}
	if s.MemoryBytes == 0 {
		s.MemoryBytes = defaultMemory
	}
	if s.Processes <= 0 {
		s.Processes = defaultProcesses
	}
}

// writers ends the command when one of its writers fails. The writers are
// never called at the same time.
type writers struct {
	mu     sync.Mutex
	err    error
	cancel context.CancelCauseFunc
}

type guarded struct {
	all *writers
	w   io.Writer
}

// wrap returns one writer for both streams if they are one, so that they share
// a pipe and keep their order.
func (all *writers) wrap(out, err io.Writer) (io.Writer, io.Writer) {
	o := all.guard(out)
	if out != nil && same(out, err) {
		return o, o
	}
	return o, all.guard(err)
}

func (all *writers) guard(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return &guarded{all, w}
}

// same reports whether two writers are one. Those of a type that cannot be
// compared are not.
func same(a, b io.Writer) (eq bool) {
	defer func() { _ = recover() }()
	return a == b
}

func (g *guarded) Write(p []byte) (int, error) {
	g.all.mu.Lock()
	defer g.all.mu.Unlock()
	if g.all.err != nil {
		return 0, g.all.err
	}
	n, err := g.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		g.all.err = err
		g.all.cancel(err)
	}
	return n, err
}
