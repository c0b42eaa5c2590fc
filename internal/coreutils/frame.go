// Package coreutils runs read-only commands in this process, over a file
// system that confines them. The same reading of a command line serves the
// decision whether it may run and the run itself.
package coreutils

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// ErrOutside and ErrProtected are what an [FS] answers, recognised with
// errors.Is, for a name that leaves the confinement and for one that the
// policy keeps closed.
var (
	ErrOutside   = errors.New("outside the project")
	ErrProtected = errors.New("protected by the policy")
)

// Command is one command: what it takes and how it runs.
type Command struct {
	// Name is the word that calls it, Summary one line for documentation.
	Name, Summary string

	// syntax declares its flags; prepare gets the words without the name.
	syntax  func() syntax
	prepare func(args []string) (*Prepared, error)
}

// Prepared is a command line that was understood.
type Prepared struct {
	// Paths are every operand and flag value that is opened, listed or
	// looked at.
	Paths []Path
	// Runs are command lines that it will run itself, perhaps with further
	// operands (xargs, command). The caller judges them.
	Runs [][]string
	// Run runs the command and answers its exit status.
	Run func(ctx context.Context, x *IO) int
}

// Path is a name in a command line. Word is its place in argv, where 0 is the
// command's own name and stands for a name that was not written (the "." of a
// bare ls).
type Path struct {
	Word int
	Name string
}

// UsageError says which word of a command line is not understood. Word is its
// place in argv; 0 stands for the line as a whole.
type UsageError struct {
	Word    int
	Message string
}

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// IO is what a running command sees.
type IO struct {
	FS FS
	// Stdin may be nil, which is an empty input.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Dir is the absolute working directory, for those who print it; FS
	// resolves names itself.
	Dir string
	// User and Host are the names of the user and of the machine, for those
	// who print them; empty means that they are not known.
	User, Host string
	// Now and Location are the clock and the time zone; nil means time.Now
	// and UTC.
	Now      func() time.Time
	Location *time.Location
	// PassedOver is told of each protected file that a search leaves out; nil has
	// a line on standard error for each.
	PassedOver func(name string)
	// Exec runs one decided command line with the outputs of this IO.
	Exec func(ctx context.Context, argv []string, stdin io.Reader) int
	// LookPath finds the program of a name, for which, command -v and type.
	LookPath func(name string) (path string, ok bool)
}

// FS is a confined read-only file system. Names are as written: relative to
// the working directory, or absolute. Errors are *fs.PathError around
// fs.ErrNotExist, fs.ErrPermission, [ErrOutside], [ErrProtected] or an errno.
type FS interface {
	// Open opens regular files only.
	Open(name string) (File, error)
	// ReadDir lists a directory sorted by name, links not followed.
	ReadDir(name string) ([]fs.FileInfo, error)
	// Stat follows links inside the confinement, Lstat does not.
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// Closer is what an FS may offer to a search: whether all that is below a
// directory is protected, so that it need not be walked through.
type Closer interface{ Closed(name string) bool }

// File is an open regular file.
type File interface {
	io.ReadCloser
	Stat() (fs.FileInfo, error)
}

// Owned is what an fs.FileInfo may offer for listings: owner and group by
// name, the number of hard links and of 512-byte blocks. Without it owners
// print as "-", links as 1, and sizes stand in for blocks.
type Owned interface {
	Owner() (user, group string, links uint64, blocks int64)
}

// Lookup returns the command of a name.
func Lookup(name string) (Command, bool) {
	for _, set := range [...]func() []Command{fileCommands, textCommands} {
		for _, c := range set() {
			if c.Name == name {
				return c, true
			}
		}
	}
	return Command{}, false
}

// Names returns the names of all commands, sorted.
func Names() []string {
	var names []string
	for _, c := range slices.Concat(fileCommands(), textCommands()) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

// Prepare reads a command line as the command itself does, without running
// anything. An unknown flag is always a [*UsageError].
func (c Command) Prepare(argv []string) (*Prepared, error) {
	if len(argv) == 0 || c.prepare == nil {
		return nil, &UsageError{Message: "no command"}
	}
	for i, word := range argv {
		if strings.IndexByte(word, 0) >= 0 {
			return nil, &UsageError{Word: i, Message: "a NUL byte in a word"}
		}
	}
	return c.prepare(argv[1:])
}

// HasFlag reports whether a word that begins with "-" is, or begins, a flag of
// the command: bundled letters and --name=value count. It is for places where
// the other words are not known yet.
func (c Command) HasFlag(word string) bool {
	return c.syntax != nil && c.syntax().has(word)
}

// Flags returns the flags of the command as they are written, in the order of
// its documentation: "-n", "--lines=".
func (c Command) Flags() []string {
	if c.syntax == nil {
		return nil
	}
	var list []string
	s := c.syntax()
	for _, f := range s.flags {
		for name := range strings.FieldsSeq(f.names) {
			list = append(list, f.written(name))
		}
	}
	return append(list, s.words...)
}

// written is one name of a flag with its dashes and the sign of its value.
func (f flag) written(name string) string {
	switch {
	case len(name) == 1:
		return "-" + name
	case f.value == noValue:
		return "--" + name
	}
	return "--" + name + "="
}
