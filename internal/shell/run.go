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

// Call is one command line that is about to run.
type Call struct {
	// Argv are its words after expansion.
	Argv []string
	// Dir is the absolute working directory.
	Dir string
	// Stdin is nil where nothing can be read.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Status is the status of the command before.
	Status int
}

// Handlers do all that a script does to the world.
type Handlers struct {
	// Dir is the absolute working directory to begin in. It has to exist.
	Dir string
	// Variables are the values of the variables that the script may use.
	Variables map[string]string
	// Exec runs a command line and returns its status. Every simple command
	// comes here, also echo and test, but for exit, cd, set, break and
	// continue. An error ends the script and is returned by Run.
	Exec func(ctx context.Context, c Call) (status int, err error)
	// Builtin is asked before exit, cd, set, break and continue. For cd it
	// returns the absolute directory to go to. An error of *fs.PathError, which
	// Builtin has written to Stderr, makes cd fail; another ends the script.
	Builtin func(ctx context.Context, c Call) (dir string, err error)
	// Open opens a file for reading that is redirected to a command.
	Open func(ctx context.Context, dir, name string) (io.ReadCloser, error)
	// ReadDir lists a directory for a pattern. fs.ErrNotExist says that there is
	// nothing of that name, syscall.ENOTDIR that it is not a directory; any other
	// error ends the script.
	ReadDir func(ctx context.Context, dir, name string) ([]fs.DirEntry, error)
}

// ErrPatterns is returned for a script whose patterns match more than maxPatterns
// allows.
var ErrPatterns = errors.New("its patterns match too many files; name the directories, or use find")

// abandonAfter is how long Run waits for the interpreter once the context has
// ended. It is longer than it takes to kill a process.
const abandonAfter = 5 * time.Second

// errEnded ends an expansion. The interpreter prints it, so it has no text; Run
// returns the reason.
var errEnded = errors.New("")

// errBeyond is returned for a script that holds more than the subset.
var errBeyond = errors.New("the script is not in the subset that can run")

// Run runs the script. The status is that of its last command. The error is
// that of a handler, of ctx, or ErrPatterns.
//
// Run returns within seconds of the end of ctx. Its handlers may still be called
// then, so they must fail once ctx has ended: the expander joins the elements of
// a pattern without calling one, and the pattern may be a megabyte that a
// substitution printed.
func (s *Script) Run(ctx context.Context, h Handlers, stdout, stderr io.Writer) (status int, err error) {
	if len(s.Unsupported) > 0 {
		return 0, errBeyond
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

// execution is the interpreter's side of the handlers.
type execution struct {
	h       Handlers
	cancel  context.CancelFunc
	failure failure
	// out and errs are the outputs of the script; substituted counts what was
	// written to others.
	out, errs   io.Writer
	substituted atomic.Int64
	// matched is the length of the paths that patterns have looked at.
	matched atomic.Int64
}

// nowhere is a path that names nothing, for what the interpreter would
// otherwise take from the process.
const nowhere = "/nonexistent"

// environment gives the interpreter all that it would look for in the process.
func (x *execution) environment() []string {
	list := []string{"HOME=" + nowhere, "TMPDIR=" + nowhere + "/tmp", "PATH=" + nowhere, "UID=0", "EUID=0", "GID=0"}
	for name, value := range x.h.Variables {
		list = append(list, name+"="+value)
	}
	return list
}

// failed is the name of a command that fails without a word: nobody can write
// it.
const failed = "\x00failed"

// routed stands before the name of a command that the interpreter would run
// itself, so that it comes to the exec handler.
const routed = "\x00"

// call decides where a command line goes.
func (x *execution) call(ctx context.Context, argv []string) ([]string, error) {
	// The interpreter goes on with the words that it has where an expansion fails.
	if err := ctx.Err(); err != nil {
		return nil, x.fail(err)
	}
	switch argv[0] {
	case "exit", "cd", "set", "break", "continue":
	default:
		return append([]string{routed + argv[0]}, argv[1:]...), nil
	}
	hc := interp.HandlerCtx(ctx)
	dir, err := x.h.Builtin(ctx, call(hc, argv))
	var missing *fs.PathError
	switch {
	case errors.As(err, &missing):
		return []string{routed + failed}, nil
	case err != nil:
		return nil, x.fail(err)
	case argv[0] == "cd":
		return []string{"cd", dir}, nil
	}
	return argv, nil
}

func (x *execution) exec(ctx context.Context, argv []string) error {
	argv = append([]string{strings.TrimPrefix(argv[0], routed)}, argv[1:]...)
	if argv[0] == failed {
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

// bounded puts a limit on an output that the interpreter keeps in memory: that
// of a substitution. Pipes are files.
func (x *execution) bounded(w io.Writer) io.Writer {
	switch w.(type) {
	case *os.File, devNull:
		return w
	}
	if w == nil || w == x.out || w == x.errs {
		return w
	}
	return kept{w, x}
}

// kept is an output that is kept in memory.
type kept struct {
	io.Writer
	x *execution
}

func (k kept) Write(p []byte) (int, error) {
	if k.x.substituted.Add(int64(len(p))) > maxOutputs {
		return 0, k.x.fail(fmt.Errorf("the output of its substitutions is longer than %d bytes", maxOutputs))
	}
	return k.Writer.Write(p)
}

func call(hc interp.HandlerContext, argv []string) Call {
	c := Call{Argv: argv, Dir: hc.Dir, Stdout: hc.Stdout, Stderr: hc.Stderr, Status: hc.LastExitStatus}
	// The interpreter's input is a file that may be nil in an interface that
	// is not.
	if f, ok := hc.Stdin.(*os.File); ok && f != nil || !ok && hc.Stdin != nil {
		c.Stdin = hc.Stdin
	}
	return c
}

// fail ends the whole script: the commands of a pipeline run side by side.
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
		return nil, x.fail(errBeyond)
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
	// The expander has no context of its own.
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

// stat answers for cd, whose directory has been checked, and for nothing else.
func (x *execution) stat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	if path.Clean(name) == nowhere {
		return nil, fs.ErrNotExist
	}
	return directory{}, nil
}
