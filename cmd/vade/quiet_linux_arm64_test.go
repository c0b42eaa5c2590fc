package main

import "golang.org/x/sys/unix"

// oldActions are system calls that newer architectures lack.
func oldActions() []uint32 { return []uint32{unix.SYS_RENAMEAT} }
