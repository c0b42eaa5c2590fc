//go:build unix && !darwin && !freebsd && !netbsd

package vfs

import (
	"syscall"
	"time"
)

func changed(st *syscall.Stat_t) int64 {
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)).UnixNano()
}
