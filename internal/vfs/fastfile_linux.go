package vfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const openFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// openFile looks at the file before it opens it: opening a device for reading
// can already do something, a handle of the path alone can not.
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

// reopen opens for reading the very file that a handle of its path stands for.
// Without /proc it goes by the name again, where another file may be by now.
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

func (b fdBackend) info(name string) (*Info, error) {
	raw, err := b.stat(name)
	if err != nil {
		return nil, err
	}
	return rawInfo(name, &raw), nil
}

func (b fdBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	fd, err := b.open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, false, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	more := len(names) > limit
	if more {
		names = names[:limit]
	}
	infos := make([]*Info, 0, len(names))
	for _, n := range names {
		var raw unix.Stat_t
		err := unix.Fstatat(fd, n, &raw, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		infos = append(infos, rawInfo(n, &raw))
	}
	slices.SortFunc(infos, func(a, b *Info) int { return cmp.Compare(a.name, b.name) })
	return infos, more, nil
}

func rawInfo(name string, raw *unix.Stat_t) *Info {
	return &Info{
		name: base(name), mode: modeOf(raw.Mode), stat: rawStat(raw),
		// The types of these fields differ from one machine to the next.
		modified: time.Unix(int64(raw.Mtim.Sec), int64(raw.Mtim.Nsec)),
		owned:    owned{known: true, user: raw.Uid, group: raw.Gid, blocks: int64(raw.Blocks)},
	}
}

func rawStat(raw *unix.Stat_t) stat {
	return stat{raw.Size, uint64(raw.Nlink), fileID{uint64(raw.Dev), raw.Ino}, raw.Ctim.Nano()}
}

// modeOf is what the os package makes of a mode.
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
