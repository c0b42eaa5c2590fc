package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew gives a file a name, in one step, unless something has it.
func renameNew(dir *os.Root, from, to string) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	switch err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE); {
	case errors.Is(err, unix.EEXIST):
		return ErrExists
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		// The file system does not know the call.
		return renameLooking(dir, from, to)
	default:
		return err
	}
}
