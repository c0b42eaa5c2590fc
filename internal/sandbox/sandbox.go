// Package sandbox runs one command of the operating system, already decided
// on, inside walls: a helper process, which is our own program started again,
// gives up what the command does not need and then becomes the command.
//
// On Linux the walls are Landlock (which files may be read, written and
// executed), seccomp (which system calls there are), resource limits and one
// process group that nothing can leave. On macOS, where support is experimental,
// sandbox-exec runs the command with a profile of the same files, and there is no
// helper. Elsewhere there are no walls, and Run refuses unless it is told to go without.
//
// What the walls do not hide: whether a path exists, its size and times can be
// seen with stat(2), which Landlock does not know.
//
// The package also knows how git is run without letting the repository choose
// what is executed, and which binaries can be trusted.
package sandbox

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/vadehq/vade/definition"
)

// The errors that Run returns wrapped; others are *Error, the error of a
// writer, or that of the context.
var (
	// ErrSandbox: a wall that was asked for does not stand. Nothing ran.
	ErrSandbox = errors.New("cannot sandbox the command")
	// ErrNoHelper: Spec.Helper is empty. Nothing ran.
	ErrNoHelper = errors.New("no helper to start commands with")
	// ErrSpec: the specification is not one that can be run. Nothing ran.
	ErrSpec = errors.New("malformed command")
)

// Error is a step of starting a command that failed. Err is an errno where the
// system gave one, so errors.Is(err, fs.ErrNotExist) works.
type Error struct {
	// Op is "start" (the helper), "allow" (a path of Read, Write or Exec),
	// "enter" (the directory) or "exec" (the binary).
	Op   string
	Path string
	Err  error
}

// Error says which step failed, with which path, and why.
func (e *Error) Error() string { return e.Op + " " + strconv.Quote(e.Path) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Spec is a command and what it may do. Paths are absolute.
type Spec struct {
	Helper string // the executable that calls Main first: os.Executable()
	Path   string // the binary, from Find
	Args   []string
	Dir    string
	AnyDir bool     // Dir need not be in Read, Write or Exec
	Env    []string // all of it, as "NAME=value"

	// Stdin that is not a file may still be read when Run has returned, if its
	// Read did not; nil is empty.
	Stdin          io.Reader
	Stdout, Stderr io.Writer // nil drops; an error of Write ends the command

	// Read, Write and Exec are the files, and directories with all below
	// them, that may be read, read and written, or read and executed, beside
	// what Path itself needs. Each must exist.
	Read, Write, Exec []string
	Network           bool

	Require    bool // run only if every wall stands
	BestEffort bool // run with the walls there are, even none

	Timeout     time.Duration // 0 is 10 seconds
	MemoryBytes uint64        // data of one process; 0 is 4 GiB
	Processes   int           // beside those the system has; 0 is 256
}

// Result is how a command ended. Walls is what the helper reported once they
// stood.
type Result struct {
	Exit     int    // -1 when a signal ended it
	Signal   string // such as "killed"; empty when it exited
	TimedOut bool
	Walls    definition.Isolation
}

const (
	defaultTimeout   = 10 * time.Second
	defaultMemory    = 4 << 30
	defaultProcesses = 256
	// waitDelay bounds the wait for a pipe that someone holds after the end.
	waitDelay = 500 * time.Millisecond
)

// lacks names a wall that the caller needs and does not have, or is empty.
func lacks(w definition.Isolation, s *Spec) string {
	switch {
	case s.BestEffort && !s.Require:
		return ""
	case !w.Files:
		return "file access"
	case !s.Require:
		return ""
	case !w.Exec:
		return "program execution"
	case !w.Network && !s.Network:
		return "network access"
	case !w.Syscalls:
		return "use of system calls"
	}
	return ""
}

// notSandboxed is the error for a missing wall.
func notSandboxed(w definition.Isolation, missing string) error {
	if w == (definition.Isolation{Reason: w.Reason}) {
		return fmt.Errorf("%w: %s", ErrSandbox, w.Reason)
	}
	return fmt.Errorf("%w: %s cannot be restricted: %s", ErrSandbox, missing, w.Reason)
}
