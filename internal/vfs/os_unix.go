//go:build unix

package vfs

import (
	"io/fs"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting for a writer, should one
// take a file's place after it was looked at, and a terminal from becoming the
// process's own.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// facts returns what the system says of a file beside what an fs.FileInfo has.
// One of no system has one link, and does not change.
func facts(info fs.FileInfo) (stat, owned) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{size: info.Size(), links: 1}, owned{}
	}
	// The types of these fields differ from one system to the next.
	return stat{info.Size(), uint64(st.Nlink), fileID{uint64(st.Dev), uint64(st.Ino)}, changed(st)},
		owned{known: true, user: st.Uid, group: st.Gid, blocks: int64(st.Blocks)}
}
