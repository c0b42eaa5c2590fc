package main

import "golang.org/x/sys/unix"

// oldActions returns system calls that newer architectures do not have.
func oldActions() []uint32 { return []uint32{unix.SYS_RENAMEAT} }
