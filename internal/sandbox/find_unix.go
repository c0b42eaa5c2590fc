//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

func systemDirs() []string {
	dirs := []string{"/usr/bin", "/bin", "/usr/local/bin"}
	if runtime.GOOS == "darwin" {
		dirs = append(dirs, "/opt/homebrew/bin")
	}
	return dirs
}

func fileNames(name string) []string { return []string{name} }

func executable(mode fs.FileMode) bool { return mode.Perm()&0o111 != 0 }

func ownership(info fs.FileInfo) owner {
	st, ok := info.Sys().(*syscall.Stat_t)
	return owner{info.Mode(), ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())}
}

// links returns how many hard links a file has.
func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	// The type of this field differs from one system to the next.
	return uint64(st.Nlink)
}

// sameName compares paths. Some systems take names that differ in case for
// one; there, a forbidden directory is one in every spelling.
func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "darwin" && strings.EqualFold(a, b)
}

// nonblock keeps the opening of a pipe from waiting for a writer.
const nonblock = syscall.O_NONBLOCK

// missing makes one error of "no such file" and "the way to it is a file".
func missing(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist
	}
	return err
}
