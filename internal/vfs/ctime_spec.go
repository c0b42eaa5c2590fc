//go:build darwin || freebsd || netbsd

package vfs

import (
	"syscall"
	"time"
)

func changed(st *syscall.Stat_t) int64 {
	return time.Unix(int64(st.Ctimespec.Sec), int64(st.Ctimespec.Nsec)).UnixNano()
}
