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

// helperName is argv[0] of a helper.
const helperName = "vade: sandbox helper"

// called records whether Main was called. If a program is its own helper but never calls Main, each
// helper would start another one.
var called atomic.Bool

// isSelf reports whether helper is this program, or whether this process is itself a helper that
// has not called Main.
func isSelf(helper string) bool {
	self, err := os.Executable()
	return err == nil && self == helper || os.Args[0] == helperName
}

// errTimeout is the context's cancellation cause after Spec.Timeout.
var errTimeout = errors.New("timed out")

// Run runs a command, waits for it to exit, and then kills any remaining processes in its process
// group. A command that fails or times out is reported in the Result, not as an error. An error
// means that the command was not started, that ctx ended, or that a writer failed. In each case,
// the Result is as complete as possible.
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
	enforced, err := launch(ctx, cmd, &s)
	r := Result{Exit: -1, Isolation: enforced}
	if cmd.ProcessState != nil {
		r.Exit, r.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	}
	return r.classify(ctx, err, w.err)
}

// classify determines whether err describes how the command ended, which the Result reports, or is
// an error that Run must return.
func (r Result) classify(ctx context.Context, err, writeErr error) (Result, error) {
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

// feed connects stdin. A file is passed to the command directly. Anything else is copied by a
// goroutine that Run does not wait for, because a read from in may block forever.
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

// check returns an error if the Spec is invalid. Otherwise, it sets default values.
func (s *Spec) check() error {
	switch {
	case s.Helper == "":
		return fmt.Errorf("%w: ShellOptions.SandboxHelper is not set", ErrNoHelper)
	case isSelf(s.Helper) && !called.Load():
		return fmt.Errorf("%w: this program is its own helper but has not called sandbox.Main", ErrNoHelper)
	case !filepath.IsAbs(s.Path):
		return fmt.Errorf("%w: binary path %q is not absolute", ErrSpec, s.Path)
	case !filepath.IsAbs(s.Dir):
		return fmt.Errorf("%w: directory path %q is not absolute", ErrSpec, s.Dir)
	case len(s.Args) == 0:
		return fmt.Errorf("%w: no arguments; the first argument must be the command's name", ErrSpec)
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

// writers serializes writes, and ends the command if a writer fails.
type writers struct {
	mu     sync.Mutex
	err    error
	cancel context.CancelCauseFunc
}

type guarded struct {
	all *writers
	w   io.Writer
}

// wrap returns the same writer twice if both streams are the same. The command's streams then share
// a pipe, which preserves the order of the output.
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

// same reports whether two writers are identical. Writers of an incomparable
// type are never identical.
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
