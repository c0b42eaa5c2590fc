package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// The files whose handles are the locks of a [Tree] and of a [Scratch].
const lockFile, scratchLock = ".vade-sync.lock", ".vade.lock"

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE, sharingViolation the error of a file
// that another process has open exclusively.
const (
	deleteOnClose    = 0x04000000
	sharingViolation = syscall.Errno(32)
)

// lockDir takes the lock of a directory: a file that is not shared and that goes
// with its handle. It fails with [ErrBusy] where another process has it.
func lockDir(_ *os.Root, dir, file string) (release func(), err error) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrBusy
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: file, Err: err}
	}
	return func() { _ = syscall.CloseHandle(h) }, nil
}

// linkRight reports whether an error says that the user may make no links (1314:
// a privilege is missing), or that the file system has none (1 and 50).
func linkRight(err error) bool {
	return errors.Is(err, syscall.Errno(1314)) || errors.Is(err, syscall.Errno(1)) || errors.Is(err, syscall.Errno(50))
}
