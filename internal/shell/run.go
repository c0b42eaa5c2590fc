package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// Call is a command line that is about to run.
type Call struct {
	// Argv holds the command line's words after expansion.
	Argv []string
	// Dir is the absolute path of the working directory.
	Dir string
	// Stdin is nil if the command has no input.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Status is the exit code of the previous command.
	Status int
}

// Handlers perform all of a script's side effects.
type Handlers struct {
	// Dir is the absolute path of the initial working directory, which must exist.
	Dir string
	// Variables holds the variables that the script can use.
	Variables map[string]string
	// Exec runs a command line and returns its exit code. It is called for
	// every simple command, including echo and test, but not for exit, cd, set,
	// break and continue. An error ends the script and is returned by Run.
	Exec func(ctx context.Context, c Call) (status int, err error)
	// Builtin is called before exit, cd, set, break and continue. For cd, it returns the absolute
	// path of the target directory. To make cd fail, it writes a message to Stderr and returns a
	// *fs.PathError. Any other error ends the script.
	Builtin func(ctx context.Context, c Call) (dir string, err error)
	// Open opens a file for an input redirection.
	Open func(ctx context.Context, dir, name string) (io.ReadCloser, error)
	// ReadDir lists a directory for a glob pattern. It returns fs.ErrNotExist if the name does not
	// exist, and syscall.ENOTDIR if it is not a directory. Any other error ends the script.
	ReadDir func(ctx context.Context, dir, name string) ([]fs.DirEntry, error)
}

// ErrPatterns is returned if a script's glob patterns match too many paths.
var ErrPatterns = errors.New("the glob patterns match too many files; specify directories or use find")

// abandonAfter is how long Run waits for the interpreter after the context ends. This is enough
// time to kill a process.
const abandonAfter = 5 * time.Second

// errEnded makes an expansion fail after an error has been recorded. The interpreter prints its
// message, which is therefore empty. Run returns the recorded error.
var errEnded = errors.New("")

// errUnsupported is returned for a script with unsupported constructs.
var errUnsupported = errors.New("the script contains unsupported shell constructs")

// Run runs the script and returns the exit code of its last command. The error comes from a handler
// or ctx, or reports that the script is not supported or exceeds a limit, such as ErrPatterns.
//
// Run returns within seconds after ctx ends, even if the interpreter is still running: expanding a
// long glob pattern cannot be interrupted. Handlers may therefore be called after Run returns, and
// must fail once ctx has ended.
func (s *Script) Run(ctx context.Context, h Handlers, stdout, stderr io.Writer) (status int, err error) {
	if len(s.Unsupported) > 0 {
		return 0, errUnsupported
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := execution{h: h, cancel: cancel, out: stdout, errs: stderr}
	runner, err := interp.New(
		interp.Env(expand.ListEnviron(x.environment()...)),
		interp.Dir(h.Dir),
		interp.StdIO(nil, stdout, stderr),
		interp.CallHandler(x.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return x.exec }),
		interp.OpenHandler(x.open),
		interp.ReadDirHandler2(x.readDir),
		interp.StatHandler(x.stat),
		interp.AccessHandler(func(context.Context, string, interp.AccessMode) error { return nil }),
	)
	if err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx, s.file) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(abandonAfter):
			err = ctx.Err()
		}
	}
	if fatal := x.failure.load(); fatal != nil {
		return 0, fatal
	}
	var code interp.ExitStatus
	if errors.As(err, &code) {
		return int(code), nil
	}
	return 0, err
}

// execution connects the interpreter to the handlers.
type execution struct {
	h       Handlers
	cancel  context.CancelFunc
	failure failure
	// out and errs receive the script's output. substituted is the number of bytes of command
	// output that were kept in memory.
	out, errs   io.Writer
	substituted atomic.Int64
	// matched is the total length of the paths read so far to expand glob patterns.
	matched atomic.Int64
}

// nonexistent is a path that does not exist. It replaces paths that the interpreter would otherwise
// take from the process's environment.
const nonexistent = "/nonexistent"

// environment returns the interpreter's environment. It sets every variable that the interpreter
// would otherwise take from the process.
func (x *execution) environment() []string {
	list := []string{"HOME=" + nonexistent, "TMPDIR=" + nonexistent + "/tmp", "PATH=" + nonexistent, "UID=0", "EUID=0", "GID=0"}
	for name, value := range x.h.Variables {
		list = append(list, name+"="+value)
	}
	return list
}

// failCommand is a command name that fails silently. Scripts cannot contain it.
const failCommand = "\x00failed"

// routePrefix is prepended to the name of a command that the interpreter would otherwise run as a
// builtin. It makes the interpreter call the exec handler instead.
const routePrefix = "\x00"

// call calls the Builtin handler for exit, cd, set, break and continue, and routes all other
// commands to exec. It returns the words that the interpreter runs.
func (x *execution) call(ctx context.Context, argv []string) ([]string, error) {
	// After a failed expansion, the interpreter would continue with the words that it already has,
	// so stop it here.
	if err := ctx.Err(); err != nil {
		return nil, x.fail(err)
	}
	switch argv[0] {
	case "exit", "cd", "set", "break", "continue":
	default:
		return append([]string{routePrefix + argv[0]}, argv[1:]...), nil
	}
	hc := interp.HandlerCtx(ctx)
	dir, err := x.h.Builtin(ctx, call(hc, argv))
	var missing *fs.PathError
	switch {
	case errors.As(err, &missing):
		return []string{routePrefix + failCommand}, nil
	case err != nil:
		return nil, x.fail(err)
	case argv[0] == "cd":
		return []string{"cd", dir}, nil
	}
	return argv, nil
}

func (x *execution) exec(ctx context.Context, argv []string) error {
	argv = append([]string{strings.TrimPrefix(argv[0], routePrefix)}, argv[1:]...)
	if argv[0] == failCommand {
		return interp.ExitStatus(1)
	}
	c := call(interp.HandlerCtx(ctx), argv)
	c.Stdout, c.Stderr = x.bounded(c.Stdout), x.bounded(c.Stderr)
	status, err := x.h.Exec(ctx, c)
	if err != nil {
		return x.fail(err)
	}
	if status != 0 {
		return interp.ExitStatus(status)
	}
	return nil
}

// bounded returns a writer that limits how much output of command substitutions the interpreter
// keeps in memory. The output of pipes is not limited, because pipes are files.
func (x *execution) bounded(w io.Writer) io.Writer {
	switch w.(type) {
	case *os.File, devNull:
		return w
	}
	if w == nil || w == x.out || w == x.errs {
		return w
	}
	return limitedOutput{w, x}
}

// limitedOutput is a writer that limits the output kept in memory.
type limitedOutput struct {
	io.Writer
	x *execution
}

func (k limitedOutput) Write(p []byte) (int, error) {
	if k.x.substituted.Add(int64(len(p))) > maxOutputs {
		return 0, k.x.fail(fmt.Errorf("the output of the command substitutions exceeds %d bytes", maxOutputs))
	}
	return k.Writer.Write(p)
}

func call(hc interp.HandlerContext, argv []string) Call {
	c := Call{Argv: argv, Dir: hc.Dir, Stdout: hc.Stdout, Stderr: hc.Stderr, Status: hc.LastExitStatus}
	// Stdin may be a non-nil interface that holds a nil *os.File.
	if f, ok := hc.Stdin.(*os.File); ok && f != nil || !ok && hc.Stdin != nil {
		c.Stdin = hc.Stdin
	}
	return c
}

// fail records an error and ends the entire script, including commands that are running
// concurrently in a pipeline.
func (x *execution) fail(err error) error {
	x.failure.store(err)
	x.cancel()
	return err
}

func (x *execution) open(ctx context.Context, name string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	if name == "/dev/null" {
		return devNull{}, nil
	}
	if flag != os.O_RDONLY {
		return nil, x.fail(errUnsupported)
	}
	r, err := x.h.Open(ctx, interp.HandlerCtx(ctx).Dir, name)
	if err != nil {
		var missing *fs.PathError
		if errors.As(err, &missing) {
			return nil, err
		}
		return nil, x.fail(err)
	}
	return readOnly{r}, nil
}

func (x *execution) readDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	// The expander does not stop when the context ends, so check the context here.
	if err := ctx.Err(); err != nil {
		x.fail(err)
		return nil, errEnded
	}
	entries, err := x.h.ReadDir(ctx, interp.HandlerCtx(ctx).Dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case err != nil:
		x.fail(err)
		return nil, errEnded
	}
	length := len(name)
	for _, entry := range entries {
		length += len(name) + len(entry.Name())
	}
	if x.matched.Add(int64(length)) > maxPatterns {
		x.fail(ErrPatterns)
		return nil, errEnded
	}
	return entries, err
}

// stat is used only for cd, whose directory has already been checked.
func (x *execution) stat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	if path.Clean(name) == nonexistent {
		return nil, fs.ErrNotExist
	}
	return directory{}, nil
}
