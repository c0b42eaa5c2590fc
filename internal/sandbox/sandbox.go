// Package sandbox runs one command, which the policy has already allowed, with restricted access
// to the system. A helper process, which is a second instance of this program, applies the
// restrictions to itself and then executes the command.
//
// On Linux the restrictions are Landlock (which files can be read, written and executed), seccomp
// (which system calls are allowed), resource limits, and a process group that no process can
// leave. On macOS, where support is experimental, sandbox-exec runs the command with a profile
// for the same files, and there is no helper. Other systems have no sandbox, and Run refuses
// unless [Spec.BestEffort] is set.
//
// The sandbox does not hide whether a path exists, or its size and times: Landlock does not
// restrict stat(2).
//
// The package also runs git so that a repository cannot choose what is executed, and decides
// which binaries are trusted.
package sandbox

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/vadehq/vade/definition"
)

// Errors that Run wraps. It also returns *Error, errors of the writers, and the cause of a
// canceled context.
var (
	// ErrSandbox means that a required restriction is not available. Nothing ran.
	ErrSandbox = errors.New("cannot sandbox the command")
	// ErrNoHelper means that Spec.Helper is empty. Nothing ran.
	ErrNoHelper = errors.New("no helper program to start commands")
	// ErrSpec means that the Spec is invalid. Nothing ran.
	ErrSpec = errors.New("malformed command")
)

// Error is a failed step of starting a command. Err is an errno if the system returned one, so
// errors.Is(err, fs.ErrNotExist) works.
type Error struct {
	// Op is "start" (the helper), "allow" (a path of Read, Write or Exec),
	// "enter" (the directory) or "exec" (the binary).
	Op   string
	Path string
	Err  error
}

func (e *Error) Error() string { return e.Op + " " + strconv.Quote(e.Path) + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Spec is a command and its permissions. Paths are absolute.
type Spec struct {
	Helper string // the executable, which must call Main first: os.Executable()
	Path   string // the binary, from Find
	Args   []string
	Dir    string
	AnyDir bool     // Dir need not be in Read, Write or Exec
	Env    []string // the whole environment, as "NAME=value"

	// If Stdin is not a file, a blocked Read may outlive Run. Nil means empty input.
	Stdin          io.Reader
	Stdout, Stderr io.Writer // nil discards; a Write error ends the command

	// Read, Write and Exec are files and directories that the command may read, read and write,
	// or read and execute, in addition to what Path itself needs. A directory includes everything
	// below it. Each path must exist.
	Read, Write, Exec []string
	Network           bool

	Require    bool // run only with every restriction
	BestEffort bool // run with the restrictions that are available, even none

	Timeout     time.Duration // 0 is 10 seconds
	MemoryBytes uint64        // data of one process; 0 means 4 GiB
	Processes   int           // in addition to the running processes; 0 means 256
}

// Result is how a command ended, and the restrictions that the helper reported.
type Result struct {
	Exit      int    // -1 if a signal ended it
	Signal    string // such as "killed"; empty if it exited
	TimedOut  bool
	Isolation definition.Isolation
}

const (
	defaultTimeout   = 10 * time.Second
	defaultMemory    = 4 << 30
	defaultProcesses = 256
	// waitDelay bounds the wait for a pipe that another process keeps open after the end.
	waitDelay = 500 * time.Millisecond
)

// missingRestriction names a restriction that the caller requires but w lacks, or is empty.
func missingRestriction(w definition.Isolation, s *Spec) string {
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
		return "system calls"
	}
	return ""
}

// notSandboxed returns the error for a missing restriction.
func notSandboxed(w definition.Isolation, missing string) error {
	if w == (definition.Isolation{Reason: w.Reason}) {
		return fmt.Errorf("%w: %s", ErrSandbox, w.Reason)
	}
	return fmt.Errorf("%w: %s cannot be restricted: %s", ErrSandbox, missing, w.Reason)
}
