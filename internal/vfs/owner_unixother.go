//go:build unix && !linux

package vfs

// hasACL returns true, because Vade does not read access control lists on this system. Therefore, a
// directory that root's group can write to is not trusted as root's own.
func hasACL(string) bool { return true }
