package main

import "golang.org/x/sys/unix"

// oldActions are calls that newer systems do without.
func oldActions() []uint32 { return []uint32{unix.SYS_RENAMEAT} }
