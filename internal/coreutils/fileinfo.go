package coreutils

import (
	"fmt"
	"io/fs"
	"strconv"
)

// owned returns what a listing shows of a file's owner, links and blocks.
func owned(info fs.FileInfo) (user, group string, links uint64, blocks int64) {
	if o, ok := info.(Owned); ok {
		return o.Owner()
	}
	return "-", "-", 1, (info.Size() + 511) / 512
}

// kind returns the letter of a file's type as find and test name it.
func kind(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	}
	return 'f'
}

// permBits returns the twelve permission bits as chmod numbers them.
func permBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for _, b := range [...]struct {
		mode fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if m&b.mode != 0 {
			bits |= b.bit
		}
	}
	return bits
}

// rawMode returns st_mode as the kernel numbers it.
func rawMode(m fs.FileMode) uint32 {
	var kinds uint32
	switch kind(m) {
	case 'd':
		kinds = 0o040000
	case 'l':
		kinds = 0o120000
	case 'p':
		kinds = 0o010000
	case 's':
		kinds = 0o140000
	case 'c':
		kinds = 0o020000
	case 'b':
		kinds = 0o060000
	default:
		kinds = 0o100000
	}
	return kinds | permBits(m)
}

// modeString returns the ten characters of ls -l.
func modeString(m fs.FileMode) string {
	out := []byte("----------")
	if k := kind(m); k != 'f' {
		out[0] = k
	}
	bits := permBits(m)
	for i := range 9 {
		if bits&(1<<(8-i)) != 0 {
			out[i+1] = "rwxrwxrwx"[i]
		}
	}
	for i, bit := range [...]uint32{0o4000, 0o2000, 0o1000} {
		at := 3 * (i + 1)
		switch {
		case bits&bit == 0:
		case out[at] == 'x':
			out[at] = "sst"[i]
		default:
			out[at] = "SST"[i]
		}
	}
	return string(out)
}

// kindName is how stat %F names the type of a file.
func kindName(info fs.FileInfo) string {
	switch kind(info.Mode()) {
	case 'd':
		return "directory"
	case 'l':
		return "symbolic link"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	case 'c':
		return "character special file"
	case 'b':
		return "block special file"
	}
	if info.Size() == 0 {
		return "regular empty file"
	}
	return "regular file"
}

// human writes a number of bytes as -h does: powers of 1024, rounded up.
func human(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	unit, suffixes := int64(1024), "KMGTPE"
	for n/unit >= 1024 {
		unit *= 1024
		suffixes = suffixes[1:]
	}
	whole, part := n/unit, n%unit
	tenths := int64(float64(part) * 10 / float64(unit))
	if float64(tenths)*float64(unit) < float64(part)*10 {
		tenths++
	}
	if tenths == 10 {
		whole, tenths = whole+1, 0
	}
	if whole < 10 {
		return fmt.Sprintf("%d.%d%c", whole, tenths, suffixes[0])
	}
	if n%unit != 0 && whole == n/unit {
		whole++
	}
	if whole == 1024 && len(suffixes) > 1 {
		return "1.0" + suffixes[1:2]
	}
	return fmt.Sprintf("%d%c", whole, suffixes[0])
}

func ceilDiv(n, by int64) int64 {
	if n <= 0 {
		return 0
	}
	return (n-1)/by + 1
}
