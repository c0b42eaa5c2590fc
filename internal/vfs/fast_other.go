//go:build !linux

package vfs

import "os"

func openFast(string) (backend, error) { return nil, nil }

// renameNew renames a file unless the new name exists.
func renameNew(dir *os.Root, from, to string) error { return renameAfterCheck(dir, from, to) }
