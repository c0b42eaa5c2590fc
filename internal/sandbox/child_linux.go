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

// Main must be the first call in a program that runs commands with Run. It does
// not return in a helper process. In any other process it returns immediately.
func Main() {
	called.Store(true)
	if len(os.Args) != 1 || os.Args[0] != helperName || !isPipe(requestFD) || !isPipe(responseFD) {
		return
	}
	text, err := io.ReadAll(io.LimitReader(os.NewFile(requestFD, "order"), maxRequest))
	body, isRequest := bytes.CutPrefix(text, []byte(magic))
	var o request
	if err != nil || !isRequest || json.Unmarshal(body, &o) != nil {
		return
	}
	// Landlock and seccomp restrict only the calling thread, so stay on this thread until execve.
	runtime.LockOSThread()
	execCommand(&o, os.NewFile(responseFD, "answer"))
	os.Exit(125)
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}

// execCommand replaces this process with the command, or reports why it cannot.
func execCommand(o *request, out io.Writer) {
	enc := json.NewEncoder(out)
	var enforced definition.Isolation
	fail := func(op, path string, err error) {
		a := response{Isolation: enforced, Op: op, Path: path, Text: err.Error()}
		if no, ok := errors.AsType[syscall.Errno](err); ok {
			a.Errno = int(no)
		}
		_ = enc.Encode(a)
	}
	closeOnExec()
	unix.Umask(0o077)
	// A write beyond the size limit should fail instead of killing the process.
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fail("restrict", "", err)
		return
	}
	entered := error(nil)
	if o.AnyDir {
		entered = enter(o.Dir)
	}
	enforced, err := restrictFiles(o)
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
		fail("restrict", "", err)
		return
	}
	restrictCalls(o, &enforced)
	if missing := missingRestriction(enforced, &Spec{Require: o.Require, BestEffort: o.BestEffort, Network: o.Network}); missing != "" {
		fail("restrict", "", errors.New(missing+" cannot be restricted: "+enforced.Reason))
		return
	}
	if enc.Encode(response{Isolation: enforced}) != nil {
		return
	}
	fail("exec", o.Path, syscall.Exec(o.Path, o.Args, o.Env))
}

// enter changes the working directory to dir if dir can be read. The check is needed because
// Landlock does not restrict chdir.
func enter(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchdir(fd)
}

// closeOnExec ensures that the command inherits only the three standard streams.
func closeOnExec() {
	if unix.CloseRange(3, ^uint(0)>>33, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := 3; fd < 4096; fd++ {
		unix.CloseOnExec(fd)
	}
}
