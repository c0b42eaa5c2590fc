package vfs

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// fdBackend reads a directory with openat2, which refuses links and ways out
// of the directory in the kernel: one call where os.Root needs one for each
// element of the path.
type fdBackend struct{ dir *os.File }

// openFast returns nil where the kernel has no openat2 (before Linux 5.6, or
// forbidden by a sandbox).
func openFast(dir string) (backend, error) {
	f, err := os.OpenFile(dir, unix.O_DIRECTORY|unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	b := fdBackend{f}
	fd, err := b.open(".", unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		f.Close()
		return nil, nil
	}
	unix.Close(fd)
	return b, nil
}

func (b fdBackend) close() error { return b.dir.Close() }

// maxAgain bounds how often an opening is tried that the kernel puts off. A
// process that holds a lease on a file could make it do so for ever.
const maxAgain = 100

func (b fdBackend) open(name string, flags uint64) (int, error) {
	how := unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for again := 0; ; {
		fd, err := unix.Openat2(int(b.dir.Fd()), name, &how)
		switch {
		case err == nil:
			return fd, nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN) && again < maxAgain:
			again++
		case errors.Is(err, unix.ELOOP):
			return -1, ErrLink
		case errors.Is(err, unix.EXDEV):
			return -1, ErrOutside
		case errors.Is(err, unix.ENXIO):
			return -1, ErrNotRegular
		default:
			return -1, err
		}
	}
}

func (b fdBackend) readDir(name string, limit int) ([]Entry, bool, error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, false, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return readEntries(f, limit)
}

func (b fdBackend) readHead(name string, buf []byte) (n int, st stat, err error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return 0, st, err
	}
	defer unix.Close(fd)
	var raw unix.Stat_t
	if err := unix.Fstat(fd, &raw); err != nil {
		return 0, st, err
	}
	switch raw.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		return 0, st, ErrDirectory
	default:
		return 0, st, ErrNotRegular
	}
	st = rawStat(&raw)
	for n < len(buf) {
		m, err := unix.Read(fd, buf[n:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return n, st, err
		}
		if m == 0 {
			break
		}
		n += m
		if int64(n) >= raw.Size && raw.Size > 0 {
			break
		}
	}
	return n, st, nil
}

func (b fdBackend) lstat(name string) (Type, error) {
	raw, err := b.stat(name)
	if err != nil {
		return Other, err
	}
	switch raw.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return File, nil
	case unix.S_IFDIR:
		return Dir, nil
	case unix.S_IFLNK:
		return Link, nil
	}
	return Other, nil
}

func (b fdBackend) stat(name string) (raw unix.Stat_t, err error) {
	fd, base, done, err := b.parent(name)
	if err != nil {
		return raw, err
	}
	defer done()
	return raw, unix.Fstatat(fd, base, &raw, unix.AT_SYMLINK_NOFOLLOW)
}

// parent returns the directory that the last element of name is in, until done.
func (b fdBackend) parent(name string) (fd int, base string, done func(), err error) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return int(b.dir.Fd()), name, func() {}, nil
	}
	fd, err = b.open(name[:i], unix.O_PATH|unix.O_DIRECTORY)
	return fd, name[i+1:], func() { unix.Close(fd) }, err
}

func (b fdBackend) readlink(name string) (string, error) {
	fd, base, done, err := b.parent(name)
	if err != nil {
		return "", err
	}
	defer done()
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, base, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
