package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Names of the files that are opened to lock a [Tree] and a [TempDir].
const lockFile, tempDirLock = ".vade-sync.lock", ".vade.lock"

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE. sharingViolation is the error for
// a file that another process opened exclusively.
const (
	deleteOnClose    = 0x04000000
	sharingViolation = syscall.Errno(32)
)

// lockDir locks a directory by creating an unshared file that is deleted when its handle is closed.
// It returns [ErrBusy] if another process holds the lock.
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

// flock does not lock the file, because locked files cannot be replaced on Windows.
func flock(f *os.File) (release func(), err error) {
	f.Close()
	return nil, errNoLocks
}

// lacksSymlinkRight reports whether an error means that the user may not create symlinks (1314:
// missing privilege) or that the file system does not support them (1 and 50).
func lacksSymlinkRight(err error) bool {
	return errors.Is(err, syscall.Errno(1314)) || errors.Is(err, syscall.Errno(1)) || errors.Is(err, syscall.Errno(50))
}
