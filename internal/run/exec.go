package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// errProtected is the error for a file that the policy protects.
var errProtected = coreutils.ErrProtected

// maxCommands is the maximum number of commands that one script may run, counting each repetition
// in a loop.
const maxCommands = 4096

// execution is one run of a script.
type execution struct {
	*Runner
	cancel context.CancelFunc
	out    *capture
	// literal holds the words that the author wrote literally. arguments holds the values of the
	// request's arguments.
	literal, arguments map[string]bool
	// mayNeedGrant is set if the script may need a grant. ranGranted is set once a granted command
	// has started.
	mayNeedGrant bool
	ranGranted   atomic.Bool
	count        atomic.Int64
	redacted     atomic.Bool
	notRead      atomic.Int64

	mu        sync.Mutex
	processes int
	isolation definition.Isolation
}

func (e *execution) started() bool { return e.count.Load() > 0 }

func (e *execution) handlers() shell.Handlers {
	variables := map[string]string{}
	for _, v := range e.o.Policy.Env {
		variables[v.Text] = e.o.Getenv(v.Text)
	}
	return shell.Handlers{
		Dir: e.o.View.Dir(), Variables: variables,
		Exec: e.exec, Builtin: e.builtin, Open: e.open, ReadDir: e.readDir,
	}
}

// context returns the decision context for dir.
func (e *execution) context(dir string) policy.DecisionContext {
	s := e.o.Context
	s.Dir = dir
	return s
}

// judge checks a command line after expansion. It fails if the script has run too many commands.
func (e *execution) judge(c shell.Call) (*policy.Verdict, error) {
	if e.count.Add(1) > maxCommands {
		return nil, fmt.Errorf("the script runs more than %d commands", maxCommands)
	}
	v, refusal := e.o.Policy.Judge(c.Argv, func(i int) bool { return !e.literal[c.Argv[i]] }, e.context(c.Dir))
	if refusal != nil {
		return nil, refusal
	}
	return v, nil
}

func (e *execution) exec(ctx context.Context, c shell.Call) (int, error) {
	v, err := e.judge(c)
	if err == nil && e.mayNeedGrant {
		if refusal := e.covered(c); refusal != nil {
			return 0, refusal
		}
	}
	switch {
	case err != nil:
		return 0, err
	case v.Prepared != nil:
		return e.inProcess(ctx, c, v)
	case v.Process():
		return e.process(ctx, c, v)
	}
	return 0, &policy.Refusal{Reason: policy.ReasonCommand, Message: c.Argv[0] + " cannot be run by another command"}
}

// inProcess runs a built-in command and returns its exit code.
func (e *execution) inProcess(ctx context.Context, c shell.Call, v *policy.Verdict) (int, error) {
	var failed error
	x := &coreutils.IO{
		PassedOver: func(string) { e.notRead.Add(1) },
		FS:         files{e.o.View.At(c.Dir), e.o.Policy.Protected}, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Dir: c.Dir, Now: e.o.Now, Location: e.o.Now().Location(),
		LookPath: func(name string) (string, bool) {
			p, err := sandbox.Find(name, e.search(false))
			return p, err == nil
		},
		Exec: func(ctx context.Context, argv []string, stdin io.Reader) int {
			inner := c
			inner.Argv, inner.Stdin = argv, stdin
			status, err := e.exec(ctx, inner)
			if err != nil && failed == nil {
				failed = err
				e.cancel()
			}
			return status
		},
	}
	status := v.Prepared.Run(ctx, x)
	return status, failed
}

// builtin checks a shell builtin. For cd, it returns the real path of the new directory.
func (e *execution) builtin(_ context.Context, c shell.Call) (string, error) {
	if _, err := e.judge(c); err != nil {
		return "", err
	}
	if c.Argv[0] != "cd" {
		return "", nil
	}
	view := e.o.View.At(c.Dir)
	info, err := view.Stat(c.Argv[1])
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		fmt.Fprintf(c.Stderr, "cd: %s: %s\n", c.Argv[1], coreutils.Reason(convertError(err)))
		return "", &fs.PathError{Op: "cd", Path: c.Argv[1], Err: fs.ErrNotExist}
	}
	tree, rel, err := view.Locate(c.Argv[1])
	if err != nil {
		return "", &policy.Refusal{Reason: policy.ReasonPath, Message: c.Argv[1] + " is outside the project"}
	}
	return tree.RealPath(rel), nil
}

func (e *execution) open(_ context.Context, dir, name string) (io.ReadCloser, error) {
	if e.mayNeedGrant && e.o.Covered != nil && !e.arguments[name] {
		if refusal := e.coveredFile(dir, name); refusal != nil {
			return nil, refusal
		}
	}
	f, err := e.o.View.At(dir).Open(name)
	switch {
	case errors.Is(err, coreutils.ErrProtected):
		return nil, &policy.Refusal{Reason: policy.ReasonProtected, Message: name + " is protected by the policy"}
	case errors.Is(err, vfs.ErrOutside):
		return nil, &policy.Refusal{Reason: policy.ReasonPath, Message: name + " is outside the project"}
	case err != nil:
		return nil, &fs.PathError{Op: "sh:", Path: name, Err: errors.New(coreutils.Reason(err))}
	}
	return f, nil
}

func (e *execution) readDir(_ context.Context, dir, name string) ([]fs.DirEntry, error) {
	infos, err := e.o.View.At(dir).ReadDir(name)
	switch {
	case errors.Is(err, vfs.ErrOutside):
		return nil, &policy.Refusal{Reason: policy.ReasonPath, Message: "a pattern matches files outside the project"}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, vfs.ErrLoop):
		return nil, fs.ErrNotExist
	case errors.Is(err, vfs.ErrNotDirectory):
		return nil, syscall.ENOTDIR
	case err != nil:
		return nil, nil
	}
	entries := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, nil
}

// process runs a program in the sandbox and returns its exit code.
func (e *execution) process(ctx context.Context, c shell.Call, v *policy.Verdict) (int, error) {
	spec, done, err := e.spec(c, v)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotFound) {
		// If sandbox.Find found the program but does not trust it, the error contains the reason
		// after "; ".
		_, why, _ := strings.Cut(err.Error(), "; ")
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Argv[0], cmp.Or(why, "command not found"))
		return 127, nil
	}
	if err == nil {
		err = e.hardLinked(ctx, c, v.Call)
	}
	if err != nil {
		return 0, err
	}
	if v.Grant != nil {
		e.ranGranted.Store(true)
	}
	result, err := sandbox.Run(ctx, spec)
	done()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return e.notStarted(c, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isolation = commonIsolation(e.isolation, result.Isolation, e.processes == 0)
	e.processes++
	if result.TimedOut {
		return 0, context.DeadlineExceeded
	}
	if result.Signal != "" {
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Argv[0], result.Signal)
		return 128 + 9, nil
	}
	return result.Exit, nil
}

// notStarted converts an error from sandbox.Run. It returns a refusal if the sandbox could not
// start the command, an exit code for other failures to start or write, and any other error
// unchanged.
func (e *execution) notStarted(c shell.Call, err error) (int, error) {
	var step *sandbox.Error
	switch {
	case errors.Is(err, sandbox.ErrNoHelper), errors.Is(err, sandbox.ErrSandbox), errors.As(err, &step) && step.Op == "start":
		return 0, &policy.Refusal{Reason: policy.ReasonSandbox, Message: fmt.Sprintf("%s was not started: %s", c.Argv[0], err)}
	case errors.Is(err, errFull), errors.Is(err, io.ErrClosedPipe):
		return 141, nil
	case errors.As(err, &step):
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Argv[0], step)
		return 126, nil
	case strings.Contains(err.Error(), "broken pipe"):
		return 141, nil
	}
	return 0, err
}

// commonIsolation returns the restrictions that apply to two processes alike, given the
// restrictions of each. If first is set, there is only one process, and commonIsolation returns b.
func commonIsolation(a, b definition.Isolation, first bool) definition.Isolation {
	if first {
		return b
	}
	a.Files, a.Network, a.Exec, a.Syscalls = a.Files && b.Files, a.Network && b.Network, a.Exec && b.Exec, a.Syscalls && b.Syscalls
	a.ABI = min(a.ABI, b.ABI)
	return a
}

func (e *execution) sandbox() definition.Sandbox {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.processes == 0 {
		return definition.Sandbox{Mode: "in-process"}
	}
	isolation := e.isolation
	mode := "none"
	if isolation.Files {
		mode = "enforced"
	}
	return definition.Sandbox{Mode: mode, Isolation: &isolation}
}

// files adapts a [vfs.View] to the file system interface that built-in commands use.
type files struct {
	*vfs.View
	protected *policy.Protected
}

func (f files) Open(name string) (coreutils.File, error) {
	h, err := f.View.Open(name)
	if err != nil {
		return nil, convertError(err)
	}
	return h, nil
}

func (f files) ReadDir(name string) ([]fs.FileInfo, error) {
	list, err := f.View.ReadDir(name)
	return list, convertError(err)
}

func (f files) Stat(name string) (fs.FileInfo, error) {
	info, err := f.View.Stat(name)
	return info, convertError(err)
}

// Lstat also returns information about the project's parent directory, because listings with ".."
// show it.
func (f files) Lstat(name string) (fs.FileInfo, error) {
	info, err := f.View.Lstat(name)
	if errors.Is(err, vfs.ErrOutside) && path.Base(name) == ".." {
		if above, err := f.View.LstatParent(name); err == nil {
			return above, nil
		}
	}
	return info, convertError(err)
}

// Closed implements [coreutils.Closer].
func (f files) Closed(name string) bool {
	_, rel, err := f.View.Locate(name)
	if err != nil {
		return false
	}
	_, closed := f.protected.Match(rel + "/any")
	return closed && rel != "."
}

func (f files) Readlink(name string) (string, error) {
	to, err := f.View.Readlink(name)
	return to, convertError(err)
}

// convertError converts the view's errors to those that built-in commands expect.
func convertError(err error) error {
	if errors.Is(err, vfs.ErrOutside) {
		return &fs.PathError{Op: "open", Path: "", Err: coreutils.ErrOutside}
	}
	return err
}
