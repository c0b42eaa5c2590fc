//go:build unix && !solaris && !aix

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// The directory itself is locked, so there are no lock files.
const lockFile, tempDirLock = "", ""

// lockDir locks a directory until release is called or the process ends. It returns [ErrBusy] if
// another process holds the lock, and errNoLocks if locks are not supported.
func lockDir(root *os.Root, _, _ string) (release func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	return flock(dir)
}

// flock locks an open file as lockDir does. It closes the file on failure.
func flock(f *os.File) (release func(), err error) {
	for {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrBusy
	}
	return nil, errNoLocks
}

// lacksSymlinkRight returns false, because creating symlinks requires no privilege on this system.
func lacksSymlinkRight(error) bool { return false }
