//go:build unix

package vfs

import (
	"io/fs"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting for a writer, should one
// take a file's place after it was looked at.
const nonblock = syscall.O_NONBLOCK

func hardLinks(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
