package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockFileName is the file in a directory whose handle is the lock; it goes with the
// handle.
const lockFileName = ".vade.lock"

// lockDir takes the lock of a directory, which goes with the process. It fails with
// [ErrBusy] where another process has it.
func lockDir(_ *os.Root, dir string) (release func(), err error) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, lockFileName))
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrBusy
	case err != nil:
		return nil, errNoLocks
	}
	return func() { _ = syscall.CloseHandle(h) }, nil
}
