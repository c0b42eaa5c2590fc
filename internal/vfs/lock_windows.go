package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile is the file whose handle is the lock; it goes with the handle.
const lockFile = ".vade-sync.lock"

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE, sharingViolation the error of a file
// that another process has open for itself.
const (
	deleteOnClose    = 0x04000000
	sharingViolation = syscall.Errno(32)
)

// Lock keeps other processes that ask for the lock of this directory from getting
// it, until release is called or the process ends. It fails with [ErrBusy] where
// another one has it. The lock is a file that nobody shares and that goes by itself.
func (t *Tree) Lock() (release func(), err error) {
	if _, foreign := t.back.(fsBackend); foreign {
		return nil, ErrReadOnly
	}
	name, err := syscall.UTF16PtrFromString(filepath.Join(filepath.FromSlash(t.real), lockFile))
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, ErrBusy
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: lockFile, Err: err}
	}
	return func() { _ = syscall.CloseHandle(h) }, nil
}

// linkRight reports whether an error says that the user may make no links (1314:
// a privilege is missing), or that the file system has none (1 and 50).
func linkRight(err error) bool {
	return errors.Is(err, syscall.Errno(1314)) || errors.Is(err, syscall.Errno(1)) || errors.Is(err, syscall.Errno(50))
}
