//go:build unix && !solaris && !aix

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// The lock is on the directory itself, so there are no lock files.
const lockFile, tempDirLock = "", ""

// lockDir locks a directory until the process ends. It returns [ErrBusy] if another process holds
// the lock, and errNoLocks if locks are not supported.
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

// lacksSymlinkRight returns false: creating symlinks needs no privilege here.
func lacksSymlinkRight(error) bool { return false }
