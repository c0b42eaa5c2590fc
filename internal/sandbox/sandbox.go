// Package sandbox runs a command that the policy has already allowed, with restricted access to the
// system. A helper process, which is a second instance of this program, applies the restrictions to
// itself and then executes the command.
//
// On Linux, Landlock restricts which files can be read, written and executed, and seccomp restricts
// system calls. There are also resource limits, and a process group that no process can leave. On
// macOS, where support is experimental, sandbox-exec runs the command with a profile for the same
// files, and no helper is used. Other systems have no sandbox, and Run refuses to run commands
// there unless [Spec.BestEffort] is set.
//
// The sandbox does not hide whether a path exists, or its size and times, because Landlock does not
// restrict stat(2).
//
// The package also runs git in a way that prevents a repository from choosing what is executed, and
// decides which binaries are trusted.
package sandbox

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/vadehq/vade/definition"
)

// Errors that Run wraps. Run also returns *Error, errors from writers, and the
// cause of a canceled context.
var (
	// ErrSandbox is returned if a required restriction is not available. Nothing ran.
	ErrSandbox = errors.New("cannot sandbox the command")
	// ErrNoHelper is returned if Spec.Helper is empty or cannot act as a helper. Nothing ran.
	ErrNoHelper = errors.New("sandbox helper not available")
	// ErrSpec is returned if the Spec is invalid. Nothing ran.
	ErrSpec = errors.New("malformed command")
)

// Error describes a step that failed while starting a command. Err is an errno
// if the system returned one, so errors.Is(err, fs.ErrNotExist) works.
type Error struct {
	// Op is "start" (the helper), "allow" (a path in Read, Write or Exec),
	// "enter" (the directory) or "exec" (the binary).
	Op   string
	Path string
	Err  error
}

func (e *Error) Error() string { return e.Op + " " + strconv.Quote(e.Path) + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Spec describes a command and its permissions. Paths are absolute.
type Spec struct {
	Helper string // executable that calls Main first, such as os.Executable()
	Path   string // binary, as returned by Find
	Args   []string
	Dir    string
	AnyDir bool     // Dir need not be in Read, Write or Exec
	Env    []string // complete environment, as "NAME=value"

	// If Stdin is nil, the input is empty. If Stdin is not a file, a blocked Read may outlive Run.
	Stdin          io.Reader
	Stdout, Stderr io.Writer // nil discards output; a Write error ends the command

	// Read, Write and Exec list files and directories that the command can read, read and write, or
	// read and execute, respectively. The files that Path needs are added automatically. A
	// directory includes everything below it. Each path must exist.
	Read, Write, Exec []string
	Network           bool

	Require    bool // run only if every restriction is available
	BestEffort bool // run with whatever restrictions are available, even none

	Timeout     time.Duration // 0 means 10 seconds
	MemoryBytes uint64        // data size of one process; 0 means 4 GiB
	Processes   int           // in addition to those already running; 0 means 256
}

// Result describes how a command ended and which restrictions were active.
type Result struct {
	Exit      int    // -1 if killed by a signal
	Signal    string // such as "killed"; empty if the command exited
	TimedOut  bool
	Isolation definition.Isolation
}

const (
	defaultTimeout   = 10 * time.Second
	defaultMemory    = 4 << 30
	defaultProcesses = 256
	// waitDelay limits the wait for a pipe that another process keeps open after the command ends.
	waitDelay = 500 * time.Millisecond
)

// missingRestriction returns a restriction that the caller requires but w lacks, or "".
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
