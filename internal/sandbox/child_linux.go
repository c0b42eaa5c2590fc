package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/vadehq/vade/definition"
)

// Main is the first thing that a program does which runs commands with Run. In
// a helper it does not return; in every other process it returns at once.
func Main() {
	called.Store(true)
	if len(os.Args) != 1 || os.Args[0] != mark || !isPipe(orderFD) || !isPipe(answerFD) {
		return
	}
	text, err := io.ReadAll(io.LimitReader(os.NewFile(orderFD, "order"), maxOrder))
	body, ours := bytes.CutPrefix(text, []byte(magic))
	var o order
	if err != nil || !ours || json.Unmarshal(body, &o) != nil {
		return
	}
	// The walls are those of a thread until the command takes its place.
	runtime.LockOSThread()
	become(&o, os.NewFile(answerFD, "answer"))
	os.Exit(125)
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// become replaces the process with the command, or answers why not.
func become(o *order, out io.Writer) {
	say := json.NewEncoder(out)
	var walls definition.Isolation
	fail := func(op, path string, err error) {
		a := answer{Walls: walls, Op: op, Path: path, Text: err.Error()}
		if no, ok := errors.AsType[syscall.Errno](err); ok {
			a.Errno = int(no)
		}
		_ = say.Encode(a)
	}
	closeOnExec()
	unix.Umask(0o077)
	// A write above the size limit is an error, not the end.
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fail("wall", "", err)
		return
	}
	entered := error(nil)
	if o.AnyDir {
		entered = enter(o.Dir)
	}
	walls, err := restrictFiles(o)
	if err != nil {
		fail("allow", pathOf(err), err)
		return
	}
	if !o.AnyDir {
		entered = enter(o.Dir)
	}
	if entered != nil {
		fail("enter", o.Dir, entered)
		return
	}
	if err := errors.Join(limit(o), dropCapabilities()); err != nil {
		fail("wall", "", err)
		return
	}
	restrictCalls(o, &walls)
	if lacks := lacks(walls, &Spec{Require: o.Require, BestEffort: o.BestEffort, Network: o.Network}); lacks != "" {
		fail("wall", "", errors.New(lacks+" cannot be restricted: "+walls.Reason))
		return
	}
	if say.Encode(answer{Walls: walls}) != nil {
		return
	}
	fail("exec", o.Path, syscall.Exec(o.Path, o.Args, o.Env))
}

// enter makes dir the current directory if it may be read; chdir alone would
// go anywhere.
func enter(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchdir(fd)
}

// closeOnExec hands nothing on but the three streams.
func closeOnExec() {
	if unix.CloseRange(3, ^uint(0)>>33, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := 3; fd < 4096; fd++ {
		unix.CloseOnExec(fd)
	}
}
