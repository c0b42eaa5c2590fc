// Package coreutils implements read-only commands. The most common commands run in this process, on
// a confined file system. The others run as system programs, and tables list their permitted
// arguments. Deciding whether a command may run and running it use the same parser, so the two
// cannot interpret a command line differently.
package coreutils

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/chars"
)

// ErrOutside is returned for a name outside an [FS]. ErrProtected is returned for a name that the
// policy protects.
var (
	ErrOutside   = errors.New("outside the project")
	ErrProtected = errors.New("protected by the policy")
)

// Command holds a command's flags and implementation.
type Command struct {
	// Name is the command's name, and Summary is a one-line description.
	Name, Summary string

	// spec lists the flags. A flag is a list of names separated by "|". It is followed by "=" if
	// the flag takes a value, or by "[=]" if the long flag accepts an optional value. "NUM=n" makes
	// -5 mean -n 5. If spec starts with "+", flags end at the first operand. If it starts with "*",
	// the command parses its words itself, and spec lists words that start with a single dash.
	spec    string
	prepare func(p *parsed) (*Prepared, error)
}

// commands returns the commands that run in this process, sorted by name.
func commands() []Command {
	return []Command{
		{":", "Succeed", "*", status(0)},
		{"[", "Test files, strings and numbers", testWords, bracketTest},
		{"cat", "Print files", "b|number-nonblank n|number s|squeeze-blank", cat},
		{"command", "Print what a command name refers to, or run the command", "+ v", command},
		{"echo", "Print operands", "* -n -e -E", echo},
		{"egrep", "Same as grep -E", grepFlags, grepAs("E")},
		{"false", "Fail", "*", status(1)},
		{"fgrep", "Same as grep -F", grepFlags, grepAs("F")},
		{"find", "Find files in directory trees", findWords, find},
		{"grep", "Print lines that match a pattern", grepFlags, grepAs("G")},
		{"head", "Print the first lines of files", headFlags, head},
		{"ls", "List directories", lsFlags, ls},
		{"pwd", "Print the working directory", "L|logical P|physical", pwd},
		{"tail", "Print the last lines of files", headFlags, tail},
		{"test", "Test files, strings and numbers", testWords, test},
		{"true", "Succeed", "*", status(0)},
		{"type", "Print what a command name refers to", "+", typeOf},
		{"wc", "Count lines, words and bytes", "l|lines w|words m|chars c|bytes", wc},
		{"which", "Print the paths of programs", "+", which},
		{"xargs", "Run a command with operands from stdin", "+ 0|null r|no-run-if-empty n|max-args= I=", xargs},
	}
}

// Prepared is a parsed command line, ready to run.
type Prepared struct {
	// Paths lists all operands and flag values that are opened, listed or checked.
	Paths []Path
	// Runs lists the command lines that commands such as xargs and "command" run. More operands may
	// be added to these command lines at run time. The caller must check each command line.
	Runs [][]string
	// Run runs the command and returns its exit code. It is nil for a system program. Access
	// determines what such a program can read at its paths.
	Run    func(ctx context.Context, x *IO) int
	Access Access
	// Argv is the command line for a system program. Flags precede operands, because some programs
	// do not accept flags after operands.
	Argv []string
}

// Path is a name in a command line. Word is its argv index, or 0 if the name is
// implied, like "." in a bare ls.
type Path struct {
	Word int
	Name string
}

// UsageError describes an invalid word in a command line. Word is its argv
// index, or 0 for the whole line. Unlisted reports whether the word is a flag or
// an operator that the command's table does not list.
type UsageError struct {
	Word     int
	Message  string
	Unlisted bool
}

func (e *UsageError) Error() string { return e.Message }

// IO is the environment of a running command.
type IO struct {
	FS FS
	// Stdin is nil for empty input.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Dir is the absolute working directory, used by pwd. FS resolves names itself.
	Dir string
	// Now returns the current time (default time.Now). Location is the time zone (default UTC).
	Now      func() time.Time
	Location *time.Location
	// PassedOver is called for each protected file that a search skips. If it is nil, a line is
	// printed to stderr instead.
	PassedOver func(name string)
	// Exec runs a command line if the policy allows it. The command writes to this IO's outputs.
	Exec func(ctx context.Context, argv []string, stdin io.Reader) int
	// LookPath finds a program. It is used by which, command -v and type.
	LookPath func(name string) (path string, ok bool)
}

// FS is a confined read-only file system. Names are as written: absolute, or relative to the
// working directory. Errors are of type *fs.PathError and wrap fs.ErrNotExist, fs.ErrPermission,
// [ErrOutside], [ErrProtected] or an errno.
type FS interface {
	// Open opens only regular files.
	Open(name string) (File, error)
	// ReadDir returns a directory's entries sorted by name. It does not follow symlinks.
	ReadDir(name string) ([]fs.FileInfo, error)
	// Stat follows symlinks inside the confinement. Lstat does not.
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// Closer is an optional interface for an FS. Closed reports whether everything below a directory is
// protected. If so, a search can skip the directory.
type Closer interface{ Closed(name string) bool }

// File is an open regular file.
type File interface {
	io.ReadCloser
	Stat() (fs.FileInfo, error)
}

// OwnerInfo is an optional interface for an fs.FileInfo in listings. Owner returns the names of the
// owner and group, the number of hard links, and the number of 512-byte blocks. If it is not
// implemented, owners are printed as "-" and the link count as 1, and the number of blocks is
// computed from the size.
type OwnerInfo interface {
	Owner() (user, group string, links uint64, blocks int64)
}

// Lookup returns the command with the given name.
func Lookup(name string) (Command, bool) {
	for _, list := range []func() []Command{commands, programs} {
		for _, c := range list() {
			if c.Name == name {
				return c, true
			}
		}
	}
	return Command{}, false
}

// Names returns the names of the commands that run in this process and the names of the programs
// that run in the sandbox. Both lists are sorted.
func Names() (inProcess, sandboxed []string) {
	for _, c := range commands() {
		inProcess = append(inProcess, c.Name)
	}
	for _, c := range programs() {
		sandboxed = append(sandboxed, c.Name)
	}
	return inProcess, sandboxed
}

// Missing returns a command for a program that does not exist. The command prints message to stderr
// and exits with code 127.
func Missing(message string) *Prepared {
	return &Prepared{Run: func(_ context.Context, x *IO) int {
		x.errorf("%s", strings.TrimSuffix(message, "\n"))
		return 127
	}}
}

// Prepare parses a command line as the command itself does, without running anything. The error is
// a [*UsageError].
func (c Command) Prepare(argv []string) (*Prepared, error) {
	if len(argv) == 0 || c.prepare == nil {
		return nil, &UsageError{Message: "no command"}
	}
	for i, word := range argv {
		if strings.IndexByte(word, 0) >= 0 {
			return nil, &UsageError{Word: i, Message: "an argument contains a NUL byte"}
		}
	}
	p, err := c.parse(argv[1:])
	if err != nil {
		return nil, err
	}
	operands := names(p.operands) // sed's script is one of the operands
	prepared, err := c.prepare(p)
	if err != nil || prepared.Run != nil || prepared.Argv != nil {
		return prepared, err
	}
	prepared.Argv = argv
	if len(p.flags) > 0 {
		prepared.Argv = append([]string{argv[0]}, p.flags...)
		if len(operands) > 0 {
			prepared.Argv = append(append(prepared.Argv, "--"), operands...)
		}
	}
	return prepared, nil
}

// Flags returns the command's flags as they are written, such as "-n" and "--lines=".
func (c Command) Flags() []string {
	var list []string
	for _, f := range c.flags() {
		for _, name := range f.names {
			switch {
			case strings.HasPrefix(name, "-"):
			case len(name) == 1:
				name = "-" + name
			case f.shape != "":
				name = "--" + name + "="
			default:
				name = "--" + name
			}
			list = append(list, name)
		}
	}
	return list
}

// HasFlag reports whether a word that starts with "-" is one of the command's flags. The word may
// also be --name=value or several single-letter flags. HasFlag is meant for command lines whose
// other words are unknown.
func (c Command) HasFlag(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	flags := c.flags()
	if strings.HasPrefix(c.spec, "*") {
		return slices.ContainsFunc(flags, func(f flag) bool { return slices.Contains(f.names, word) })
	}
	if long, ok := strings.CutPrefix(word, "--"); ok {
		name, _, valued := strings.Cut(long, "=")
		f, ok := findFlag(flags, name)
		return ok && len(name) > 1 && (!valued || f.shape != "")
	}
	if _, ok := c.numeric(); ok && chars.IsDigits(word[1:]) {
		return true
	}
	for i := 1; i < len(word); i++ {
		f, ok := findFlag(flags, word[i:i+1])
		if !ok || f.shape != "" {
			return ok
		}
	}
	return true
}

// flag is a flag in a spec. shape is "", "=" or "[=]".
type flag struct {
	names []string
	shape string
}

func (c Command) flags() []flag {
	var list []flag
	for field := range strings.FieldsSeq(c.spec) {
		if field == "+" || field == "*" || strings.HasPrefix(field, "NUM=") {
			continue
		}
		names := strings.TrimRight(field, "[=]")
		list = append(list, flag{strings.Split(names, "|"), field[len(names):]})
	}
	return list
}

// numeric returns the ID of the flag that an argument such as -5 sets.
func (c Command) numeric() (id string, ok bool) {
	_, rest, ok := strings.Cut(c.spec, "NUM=")
	id, _, _ = strings.Cut(rest, " ")
	return id, ok
}

func findFlag(flags []flag, name string) (flag, bool) {
	for _, f := range flags {
		if slices.Contains(f.names, name) {
			return f, true
		}
	}
	return flag{}, false
}

// parsed is a parsed command line.
type parsed struct {
	args     []string // the arguments as given, without the command name
	flags    []string // flags and their values, from args
	options  []option
	operands []Path
}

// option is one use of a flag. word is the argv index of its value, or of the flag itself.
type option struct {
	id, value string
	word      int
}

// parse parses arguments in the same way as GNU getopt_long, but it does not accept abbreviations
// of long flags.
func (c Command) parse(args []string) (*parsed, error) {
	p := &parsed{args: args}
	if strings.HasPrefix(c.spec, "*") {
		return p, nil
	}
	flags := c.flags()
	inOrder := strings.HasPrefix(c.spec, "+")
	digits, numeric := c.numeric()
	for i := 0; i < len(args); i++ {
		word := args[i]
		at := i + 1
		value := func(f flag, attached string, has bool) error {
			o := option{id: f.names[0], value: attached, word: at}
			if f.shape == "=" && !has {
				if i++; i >= len(args) {
					return usage(at, "%s requires a value", word)
				}
				o.value, o.word = args[i], i+1
			}
			p.options = append(p.options, o)
			return nil
		}
		var err error
		before := len(p.operands)
		switch {
		case word == "--" || inOrder && (len(word) < 2 || word[0] != '-'):
			if word == "--" {
				i++
			}
			for ; i < len(args); i++ {
				p.operands = append(p.operands, Path{i + 1, args[i]})
			}
		case len(word) < 2 || word[0] != '-':
			p.operands = append(p.operands, Path{at, word})
		case numeric && chars.IsDigits(word[1:]):
			f, _ := findFlag(flags, digits)
			err = value(f, word[1:], true)
		case word[1] == '-':
			name, attached, has := strings.Cut(word[2:], "=")
			f, ok := findFlag(flags, name)
			switch {
			case !ok || len(name) < 2:
				err = unlisted(at, "unknown flag --%s", name)
			case has && f.shape == "":
				err = usage(at, "--%s does not take a value", name)
			default:
				err = value(f, attached, has)
			}
		default:
			for j := 1; j < len(word) && err == nil; j++ {
				f, ok := findFlag(flags, word[j:j+1])
				if !ok {
					return nil, unlisted(at, "unknown flag -%s", word[j:])
				}
				if f.shape != "" {
					err = value(f, word[j+1:], j+1 < len(word))
					break
				}
				err = value(f, "", false)
			}
		}
		if err != nil {
			return nil, err
		}
		if word != "--" && len(p.operands) == before {
			p.flags = append(p.flags, args[at-1:i+1]...)
		}
	}
	return p, nil
}

// has reports whether the flag with the given ID is set.
func (p *parsed) has(id string) bool { return p.last(id) == id }

// value returns the last value given for a flag.
func (p *parsed) value(id string) (string, bool) {
	for _, o := range slices.Backward(p.options) {
		if o.id == id {
			return o.value, true
		}
	}
	return "", false
}

// values returns all values given for a flag.
func (p *parsed) values(id string) []string {
	var list []string
	for _, o := range p.options {
		if o.id == id {
			list = append(list, o.value)
		}
	}
	return list
}

// number returns a flag's numeric value, which must be at least low. If the flag is not set, number
// returns fallback.
func (p *parsed) number(id string, low, fallback int) (int, error) {
	for _, o := range slices.Backward(p.options) {
		if o.id != id {
			continue
		}
		n, err := strconv.Atoi(o.value)
		if err != nil || n < low || n > 1e9 || !chars.IsDigits(o.value) {
			return 0, usage(o.word, "invalid number %q", o.value)
		}
		return n, nil
	}
	return fallback, nil
}

// last returns the ID of the flag that was given last among ids, or "".
func (p *parsed) last(ids ...string) string {
	for _, o := range slices.Backward(p.options) {
		if slices.Contains(ids, o.id) {
			return o.id
		}
	}
	return ""
}

// files returns the operands that are file names, which are all operands except "-".
func (p *parsed) files() []Path {
	return slices.DeleteFunc(slices.Clone(p.operands), func(o Path) bool { return o.Name == "-" })
}

// inputs returns the operands, or "-" (stdin) if there are none.
func (p *parsed) inputs() []string {
	if len(p.operands) == 0 {
		return []string{"-"}
	}
	return names(p.operands)
}

// dirs returns the operands, or the working directory if there are none.
func (p *parsed) dirs() []Path {
	if len(p.operands) == 0 {
		return []Path{{0, "."}}
	}
	return p.operands
}

func names(paths []Path) []string {
	out := make([]string, len(paths))
	for i, o := range paths {
		out[i] = o.Name
	}
	return out
}

func usage(word int, format string, args ...any) error {
	return &UsageError{Word: word, Message: fmt.Sprintf(format, args...)}
}

// unlisted is like usage, but it reports a flag or an operator that the command's table does not
// list.
func unlisted(word int, format string, args ...any) error {
	return &UsageError{Word: word, Message: fmt.Sprintf(format, args...), Unlisted: true}
}
