package coreutils

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// Bounds of one run of one command.
const (
	// maxEntries is how many directory entries a recursion looks at.
	maxEntries = 200_000
	// maxDepth is how deep a recursion goes.
	maxDepth = 512
	// maxHeld is how many bytes a command keeps that must see its input
	// before it writes.
	maxHeld = 16 << 20
	// maxLine is where a line is cut by those who work line by line.
	maxLine = 1 << 20
)

const (
	// exitPipe is what a shell reports of a command whose reader has gone.
	exitPipe = 141
	// exitStopped is what timeout(1) reports.
	exitStopped = 124
)

// output returns a buffered standard output; end it with [IO.finish].
func (x *IO) output() *bufio.Writer {
	return bufio.NewWriterSize(x.Stdout, 32<<10)
}

// finish flushes an output and settles the exit status.
func (x *IO) finish(ctx context.Context, out *bufio.Writer, status int) int {
	err := out.Flush()
	switch {
	case ctx.Err() != nil:
		return exitStopped
	case err != nil:
		return exitPipe
	}
	return status
}

// errorf writes one line to standard error.
func (x *IO) errorf(format string, args ...any) {
	if x.Stderr != nil {
		fmt.Fprintf(x.Stderr, format+"\n", args...)
	}
}

func (x *IO) now() time.Time {
	now := time.Now
	if x.Now != nil {
		now = x.Now
	}
	return now().In(x.location())
}

func (x *IO) location() *time.Location {
	if x.Location == nil {
		return time.UTC
	}
	return x.Location
}

// input is a reader that ends when its context does.
type input struct {
	ctx context.Context
	io.Reader
	close func() error
	info  fs.FileInfo // nil for standard input
}

func (in *input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	return in.Reader.Read(p)
}

func (in *input) Close() error {
	if in.close == nil {
		return nil
	}
	return in.close()
}

// open opens a file, or standard input for "-". Close it.
func (x *IO) open(ctx context.Context, name string) (*input, error) {
	if name == "-" {
		r := x.Stdin
		if r == nil {
			r = strings.NewReader("")
		}
		return &input{ctx: ctx, Reader: r}, nil
	}
	f, err := x.FS.Open(name)
	if err != nil {
		if info, staterr := x.FS.Stat(name); staterr == nil && info.IsDir() {
			err = &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
		}
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &input{ctx, f, f.Close, info}, nil
}

// reason words an error as GNU tools word it.
func reason(err error) string {
	switch {
	case errors.Is(err, ErrOutside):
		return ErrOutside.Error()
	case errors.Is(err, ErrProtected):
		return ErrProtected.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied"
	case errors.Is(err, syscall.ENOTDIR):
		return "Not a directory"
	case errors.Is(err, syscall.EISDIR):
		return "Is a directory"
	case errors.Is(err, syscall.ELOOP):
		return "Too many levels of symbolic links"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "File name too long"
	case errors.Is(err, syscall.EINVAL):
		return "Invalid argument"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// Reason words an error of a file system as the commands do.
func Reason(err error) string { return reason(err) }

// protected reports the error of a name that a recursion passes over with one
// line, and the rest of that line.
func protected(err error) bool { return errors.Is(err, ErrProtected) }

// join puts a child behind a directory as it was written.
func join(dir, child string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + child
	}
	return dir + "/" + child
}

// entryBudget counts what a recursion looks at.
type entryBudget struct{ left int }

func newEntryBudget() *entryBudget { return &entryBudget{maxEntries} }

// take reports whether n more entries are within the bounds.
func (b *entryBudget) take(n int) bool {
	b.left -= n
	return b.left >= 0
}
