//go:build unix && !solaris && !aix

package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Lock keeps other processes that ask for the lock of this directory from getting
// it, until release is called or the process ends. It fails with [ErrBusy] where
// another one has it. Nothing is written: the lock is the directory's own. A file
// system without locks gives everyone one.
func (t *Tree) Lock() (release func(), err error) {
	if _, foreign := t.back.(fsBackend); foreign {
		return nil, ErrReadOnly
	}
	dir, err := os.Open(filepath.FromSlash(t.real))
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		dir.Close()
		return nil, ErrBusy
	}
	return func() { dir.Close() }, nil
}
