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
		// /usr/bin/git is a stub that starts git from the developer tools.
		return []string{
			"/Library/Developer/CommandLineTools/usr/bin", "/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin",
		}
	}
	return []string{"/usr/bin", "/bin", "/usr/local/bin"}
}

func fileNames(name string) []string { return []string{name} }

func executable(mode fs.FileMode) bool { return mode.Perm()&0o111 != 0 }

// adminGroup is the macOS group that can write to Homebrew's directories. Its
// members can become root.
const adminGroup = 80

func ownership(info fs.FileInfo) owner {
	st, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode()
	if ok && runtime.GOOS == "darwin" && st.Gid == adminGroup {
		mode &^= 0o020
	}
	return owner{mode, ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())}
}

func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	// The field's type differs between systems.
	return uint64(st.Nlink)
}

// sameName reports whether two paths are equal. On macOS, it ignores case, as most file systems
// there do, so a forbidden directory is recognized in any spelling.
func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "darwin" && strings.EqualFold(a, b)
}

// nonblock keeps open from blocking on a FIFO without a writer.
const nonblock = syscall.O_NONBLOCK

// missing converts ENOTDIR to fs.ErrNotExist.
func missing(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist
	}
	return err
}
