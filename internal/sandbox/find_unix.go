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
	if runtime.GOOS == "darwin" {
		// git in /usr/bin is a stub that starts the one of the developer tools.
		return []string{
			"/Library/Developer/CommandLineTools/usr/bin", "/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin",
		}
	}
	return []string{"/usr/bin", "/bin", "/usr/local/bin"}
}

func fileNames(name string) []string { return []string{name} }

func executable(mode fs.FileMode) bool { return mode.Perm()&0o111 != 0 }

// adminGroup is the macOS group that may write to Homebrew's directories. Its members can
// become root.
const adminGroup = 80

func ownership(info fs.FileInfo) owner {
	st, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode()
	if ok && runtime.GOOS == "darwin" && st.Gid == adminGroup {
		mode &^= 0o020
	}
	return owner{mode, ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())}
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
