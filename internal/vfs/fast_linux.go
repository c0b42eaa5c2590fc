package vfs

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fdBackend reads a directory using openat2, which makes the kernel reject symlinks and paths that
// leave the directory. This takes one system call per path, while os.Root needs one per path
// element.
type fdBackend struct{ dir *os.File }

// openFast opens a directory. It returns nil if openat2 is not available, as in kernels before
// Linux 5.6 and in some sandboxes.
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

// maxAgain limits retries after EAGAIN. Without a limit, a process that holds a lease on a file
// could cause infinite retries.
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

func (b fdBackend) readDir(name string, limit int) (entries []Entry, more bool, err error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, false, err
	}
	defer unix.Close(fd)
	var buf [8 << 10]byte
	for !more {
		n, err := unix.Getdents(fd, buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			break
		}
		if err == nil {
			entries, err = appendEntries(entries, fd, buf[:n])
		}
		if err != nil {
			return nil, false, err
		}
		if more = len(entries) > limit; more {
			entries = entries[:limit]
		}
	}
	return entries, more, nil
}

// appendEntries appends the entries in a buffer of struct linux_dirent64, whose layout is the same
// on all architectures. It calls fstatat for an entry whose type the file system does not report.
func appendEntries(entries []Entry, fd int, buf []byte) ([]Entry, error) {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	// Convert the whole buffer to a string once. The names are substrings of it and need no
	// allocations of their own.
	for text := string(buf); len(buf) > 0; {
		length, kind := binary.NativeEndian.Uint16(buf[lengthAt:]), buf[typeAt]
		name, _, _ := strings.Cut(text[nameAt:length], "\x00")
		buf, text = buf[length:], text[length:]
		if name == "." || name == ".." {
			continue
		}
		typ := Other
		switch kind {
		case unix.DT_REG:
			typ = File
		case unix.DT_DIR:
			typ = Dir
		case unix.DT_LNK:
			typ = Link
		case unix.DT_UNKNOWN:
			info, err := infoAt(fd, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			typ = typeOf(info.mode)
		}
		entries = append(entries, Entry{name, typ})
	}
	return entries, nil
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
	if err := regular(modeOf(raw.Mode)); err != nil {
		return 0, st, err
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

func (b fdBackend) info(name string) (*Info, error) {
	fd, base, done, err := b.parent(name)
	if err != nil {
		return nil, err
	}
	defer done()
	return infoAt(fd, base)
}

func infoAt(fd int, name string) (*Info, error) {
	var raw unix.Stat_t
	if err := unix.Fstatat(fd, name, &raw, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	return &Info{
		name: name, mode: modeOf(raw.Mode), stat: rawStat(&raw),
		// The types of these fields differ between architectures.
		modified: time.Unix(int64(raw.Mtim.Sec), int64(raw.Mtim.Nsec)),
		owned:    owned{known: true, user: raw.Uid, group: raw.Gid, blocks: int64(raw.Blocks)},
	}, nil
}

func (b fdBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, false, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return readInfos(f, limit, func(n string) (*Info, error) { return infoAt(fd, n) })
}

// parent opens the directory that contains name's last element. Call done to close it.
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

const openFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// openFile checks the file's type before opening the file for reading, because opening a device can
// have side effects. The check uses O_PATH, which has none.
func (b fdBackend) openFile(name string) (fs.File, error) {
	path, err := b.open(name, unix.O_PATH)
	if err != nil {
		return nil, err
	}
	defer unix.Close(path)
	var seen, opened unix.Stat_t
	if err := unix.Fstat(path, &seen); err != nil {
		return nil, err
	}
	if err := regular(modeOf(seen.Mode)); err != nil {
		return nil, err
	}
	fd, err := b.reopen(path, name)
	if err != nil {
		return nil, err
	}
	err = unix.Fstat(fd, &opened)
	if err == nil && (opened.Dev != seen.Dev || opened.Ino != seen.Ino) {
		err = ErrChanged
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// reopen opens a file for reading, given an O_PATH handle for the file. If /proc is unavailable, it
// opens the file by name, which may then refer to a different file.
func (b fdBackend) reopen(path int, name string) (int, error) {
	for {
		fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(path), openFlags, 0)
		switch {
		case err == nil:
			return fd, nil
		case errors.Is(err, unix.EINTR):
		default:
			return b.open(name, openFlags)
		}
	}
}

func rawStat(raw *unix.Stat_t) stat {
	return stat{raw.Size, uint64(raw.Nlink), fileID{uint64(raw.Dev), raw.Ino}, raw.Ctim.Nano()}
}

// modeOf converts a raw mode to an fs.FileMode, as package os does.
func modeOf(raw uint32) fs.FileMode {
	mode := fs.FileMode(raw & 0o777)
	switch raw & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFREG:
	default:
		mode |= fs.ModeIrregular
	}
	for _, bit := range [...]struct {
		raw  uint32
		mode fs.FileMode
	}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if raw&bit.raw != 0 {
			mode |= bit.mode
		}
	}
	return mode
}

// renameNew renames a file atomically, unless the new name exists.
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
		// The kernel or the file system does not support RENAME_NOREPLACE.
		return renameAfterCheck(dir, from, to)
	default:
		return err
	}
}

// hasACL reports whether a directory has an access control list in addition to its mode. It returns
// false if the check fails, because the file system then most likely does not support such lists.
func hasACL(path string) bool {
	n, err := unix.Lgetxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}
