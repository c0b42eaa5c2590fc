//go:build unix && !solaris && !aix

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// Here a lock is the directory's own, so that there are no lock files.
const lockFile, scratchLock = "", ""

// lockDir takes the lock of a directory, which ends with the process. It fails with
// [ErrBusy] where another process has it, and with errNoLocks where there are none.
func lockDir(root *os.Root, _, _ string) (release func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return func() { dir.Close() }, nil
	}
	dir.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrBusy
	}
	return nil, errNoLocks
}

// linkRight reports nothing: making links needs no privilege here.
func linkRight(error) bool { return false }
