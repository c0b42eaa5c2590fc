//go:build unix && !solaris && !aix

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// lockFileName is the name of a lock's file: here the lock is the directory's own.
const lockFileName = ""

// lockDir takes the lock of a directory, which goes with the process. It fails with
// [ErrBusy] where another process has it.
func lockDir(root *os.Root, _ string) (release func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return func() { dir.Close() }, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrBusy
	default:
		err = errNoLocks
	}
	dir.Close()
	return nil, err
}
