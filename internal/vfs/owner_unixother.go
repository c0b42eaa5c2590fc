//go:build unix && !linux

package vfs

// hasACL answers true where access lists are not read, so that a directory
// which root's group may write to is not taken for root's alone.
func hasACL(string) bool { return true }
