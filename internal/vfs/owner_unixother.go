//go:build unix && !linux

package vfs

// hasACL returns true, because access control lists are not read on this system. A directory that
// root's group can write to is therefore not considered private to root.
func hasACL(string) bool { return true }
