//go:build unix

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/sandbox"
)

// shell returns a command that runs a line with sh.
func shell(line string, args ...string) sandbox.Unsandboxed {
	return sandbox.Unsandboxed{Args: append([]string{"sh", "-c", line, "sh"}, args...), Grace: time.Hour}
}

func TestUnsandboxed(t *testing.T) {
	var out, errs bytes.Buffer
	u := shell(`pwd; printf '%s|' "$@"; cat; echo to you >&2; echo "$VADE_UNWALLED"`, "a b", "$(x)", "")
	u.Dir, u.Stdout, u.Stderr = t.TempDir(), &out, &errs
	t.Setenv("VADE_UNWALLED", "mine")
	if err := u.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(u.Dir)
	if err != nil {
		t.Fatal(err)
	}
	// No shell parses the words, stdin is empty, and the environment is the user's.
	if got := strings.Replace(out.String(), dir, u.Dir, 1); got != u.Dir+"\na b|$(x)||mine\n" || errs.String() != "to you\n" {
		t.Errorf("%q, %q", got, errs.String())
	}
}

func TestUnsandboxedHasNoTerminal(t *testing.T) {
	var out bytes.Buffer
	u := shell(`(: </dev/tty) 2>/dev/null && echo a terminal || echo none`)
	u.Stdout = &out
	if err := u.Run(t.Context()); err != nil || out.String() != "none\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestUnsandboxedExit(t *testing.T) {
	exit, ok := errors.AsType[*sandbox.ExitError](shell("exit 7").Run(t.Context()))
	if !ok || exit.Code != 7 || exit.Signal != "" || exit.Error() != "exit code 7" {
		t.Errorf("%+v", exit)
	}
	exit, ok = errors.AsType[*sandbox.ExitError](shell("kill -KILL $$").Run(t.Context()))
	if !ok || exit.Signal != "killed" || !strings.Contains(exit.Error(), "killed") {
		t.Errorf("%+v", exit)
	}
}

func TestUnsandboxedNotStarted(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	// A name never refers to a file in the current directory.
	if err := os.WriteFile("here", []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", ".:"+os.Getenv("PATH"))
	for _, name := range []string{"", "no-such-program", plain, dir, filepath.Join(dir, "nothing"), "here", "a\x00b"} {
		err := sandbox.Unsandboxed{Args: []string{name}}.Run(t.Context())
		if !errors.Is(err, sandbox.ErrNotStarted) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := (sandbox.Unsandboxed{}).Run(t.Context()); !errors.Is(err, sandbox.ErrNotStarted) {
		t.Error(err)
	}
	err := sandbox.Unsandboxed{Args: []string{"sh"}, Dir: filepath.Join(dir, "gone")}.Run(t.Context())
	if !errors.Is(err, sandbox.ErrNotStarted) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := shell("exit 0").Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// runUntilReady starts a command, waits until it reports that it is ready, and cancels its context
// with cause. It returns everything that the command and its child processes print from then on.
func runUntilReady(t *testing.T, u sandbox.Unsandboxed, cause error) (string, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	u.Stdout = w
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() { ended <- u.Run(ctx) }()
	word := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(r, word); err != nil || string(word) != "ready\n" {
		t.Fatalf("%q, %v", word, err)
	}
	cancel(cause)
	end := <-ended
	w.Close()
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest), end
}

// resetIgnored resets signals that the test inherited as ignored, which happens in background jobs.
// It does so by handling them: child processes inherit ignored signals, but not handlers.
func resetIgnored(t *testing.T, signals ...os.Signal) {
	t.Helper()
	c := make(chan os.Signal, 1)
	signal.Notify(c, signals...)
	t.Cleanup(func() { signal.Stop(c) })
}

func TestUnsandboxedIsSignaled(t *testing.T) {
	resetIgnored(t, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	const line = `trap 'echo int; exit 3' INT; trap 'echo term; exit 4' TERM; trap 'echo hup; exit 5' HUP
echo ready; while :; do sleep 0.02; done`
	for _, x := range []struct {
		cause error
		want  string
		code  int
	}{
		{&sandbox.SignalError{Signal: syscall.SIGINT}, "int\n", 3},
		{&sandbox.SignalError{Signal: syscall.SIGHUP}, "hup\n", 5},
		{context.Canceled, "term\n", 4},
	} {
		got, err := runUntilReady(t, shell(line), x.cause)
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		if got != x.want || !ok || exit.Code != x.code {
			t.Errorf("%v: %q, %v", x.cause, got, err)
		}
	}
}

// TestUnsandboxedIsKilled checks that a command that ignores the signal is killed along with its
// children. It also checks that if the command exits on the signal, children that outlive it are
// killed.
func TestUnsandboxedIsKilled(t *testing.T) {
	const deaf = `trap '' TERM; (while :; do sleep 0.02; done) & echo ready; while :; do sleep 0.02; done`
	late := shell(deaf)
	late.Grace = 50 * time.Millisecond
	_, err := runUntilReady(t, late, nil)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); !ok || exit.Signal != "killed" {
		t.Errorf("after Grace: %v", err)
	}
	kill := make(chan struct{})
	close(kill)
	again := shell(deaf)
	again.Kill = kill
	_, err = runUntilReady(t, again, nil)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); !ok || exit.Signal != "killed" {
		t.Errorf("after Kill: %v", err)
	}
	_, err = runUntilReady(t, shell(`(trap '' TERM; while :; do sleep 0.02; done) & trap 'exit 0' TERM; echo ready; while :; do sleep 0.02; done`), nil)
	if err != nil {
		t.Errorf("remaining child: %v", err)
	}
}

// TestUnsandboxedMayLeaveProcesses checks that a command that exits on its own
// can leave processes running, and that Run does not wait for them.
func TestUnsandboxedMayLeaveProcesses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	u := shell("(sleep 0.2; echo still there) & exit 0")
	u.Stdout = w
	if err := u.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "still there\n" {
		t.Errorf("%q, %v", rest, err)
	}
	var out bytes.Buffer
	u.Stdout, u.Grace = &out, 20*time.Millisecond
	if err := u.Run(t.Context()); err != nil {
		t.Error(err)
	}
}
