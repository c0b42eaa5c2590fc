//go:build !linux

package vfs

import "os"

func openFast(string) (backend, error) { return nil, nil }

// renameNew gives a file a name unless something has it.
func renameNew(dir *os.Root, from, to string) error { return renameLooking(dir, from, to) }
