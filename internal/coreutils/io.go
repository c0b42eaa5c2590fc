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

// Limits for one run of a command.
const (
	// maxEntries is the maximum number of directory entries that a recursive command reads.
	maxEntries = 200_000
	// maxDepth is the maximum recursion depth.
	maxDepth = 512
	// maxHeld is the maximum number of bytes stored by a command that must read
	// its input before writing.
	maxHeld = 16 << 20
	// maxLine is the length at which long lines are split.
	maxLine = 1 << 20
)

const (
	// exitPipe is the exit code that a shell reports if a command's output pipe is closed by its
	// reader.
	exitPipe = 141
	// exitStopped is the exit code of a command whose context ended, as with timeout(1).
	exitStopped = 124
)

// errInputTooLarge is the error for a command that would store more than maxHeld bytes.
var errInputTooLarge = errors.New("input larger than 16 MiB")

// output returns a buffered stdout. Call [IO.finish] when done.
func (x *IO) output() *bufio.Writer {
	return bufio.NewWriterSize(x.Stdout, 32<<10)
}

// finish flushes out and returns the command's exit code.
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

// writes prepares a command that writes output but does not read files. run writes the output and
// returns the exit code.
func writes(run func(x *IO, out *bufio.Writer) int) *Prepared {
	return &Prepared{Run: func(ctx context.Context, x *IO) int {
		out := x.output()
		return x.finish(ctx, out, run(x, out))
	}}
}

// status returns a function that prepares a command that ignores its arguments and exits with code
// n.
func status(n int) func(*parsed) (*Prepared, error) {
	return func(*parsed) (*Prepared, error) {
		return &Prepared{Run: func(context.Context, *IO) int { return n }}, nil
	}
}

// errorf writes a line to stderr.
func (x *IO) errorf(format string, args ...any) {
	if x.Stderr != nil {
		fmt.Fprintf(x.Stderr, format+"\n", args...)
	}
}

func (x *IO) now() time.Time {
	now, zone := time.Now, time.UTC
	if x.Now != nil {
		now = x.Now
	}
	if x.Location != nil {
		zone = x.Location
	}
	return now().In(zone)
}

// input is a reader that fails once its context ends.
type input struct {
	ctx context.Context
	io.Reader
	close func() error
}

func (in *input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	return in.Reader.Read(p)
}

// open opens a file, or stdin if name is "-". The caller must close it.
func (x *IO) open(ctx context.Context, name string) (*input, error) {
	if name == "-" {
		r := x.Stdin
		if r == nil {
			r = strings.NewReader("")
		}
		return &input{ctx, r, func() error { return nil }}, nil
	}
	f, err := x.FS.Open(name)
	if err == nil {
		return &input{ctx, f, f.Close}, nil
	}
	if info, staterr := x.FS.Stat(name); staterr == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	return nil, err
}

// eachInput calls use for each input, and prints an error that starts with the tool's name for each
// input that cannot be read. It returns failed if there was such an input, exitStopped if ctx
// ended, and 0 otherwise.
func (x *IO) eachInput(ctx context.Context, tool string, names []string, failed int, use func(in io.Reader) error) int {
	status := 0
	for _, name := range names {
		in, err := x.open(ctx, name)
		if err == nil {
			err = use(in)
			in.close()
		}
		if ctx.Err() != nil {
			return exitStopped
		}
		if err != nil && !errors.Is(err, errStop) {
			x.errorf("%s: %s: %s", tool, name, Reason(err))
			status = failed
		}
	}
	return status
}

// errStop is returned by a function to stop reading an input without reporting an error.
var errStop = errors.New("stop")

// Reason formats a file system error the way GNU tools do.
func Reason(err error) string {
	for _, known := range []struct {
		err  error
		text string
	}{
		{ErrOutside, ErrOutside.Error()}, {ErrProtected, ErrProtected.Error()}, {errInputTooLarge, errInputTooLarge.Error()},
		{fs.ErrNotExist, "No such file or directory"}, {fs.ErrPermission, "Permission denied"},
		{syscall.ENOTDIR, "Not a directory"}, {syscall.EISDIR, "Is a directory"},
		{syscall.ELOOP, "Too many levels of symbolic links"}, {syscall.ENAMETOOLONG, "File name too long"},
		{syscall.EINVAL, "Invalid argument"},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// join appends a child's name to a directory's name, which is otherwise left as the user wrote it.
func join(dir, child string) string {
	return strings.TrimSuffix(dir, "/") + "/" + child
}

// eachLine calls use for each line of an input, without the separator, until use returns an error.
// eachLine then returns that error. Lines longer than maxLine are split. ended reports whether a
// separator followed the line.
func eachLine(in io.Reader, sep byte, use func(line []byte, ended bool) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var long []byte
	for {
		line, err := r.ReadSlice(sep)
		if len(long) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			line = long
			if errors.Is(err, bufio.ErrBufferFull) && len(long) < maxLine {
				continue
			}
			long = long[:0]
		}
		ended := err == nil
		if ended {
			line = line[:len(line)-1]
		}
		if ended || len(line) > 0 {
			if err := use(line, ended); err != nil {
				return err
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return notEOF(err)
		}
	}
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
