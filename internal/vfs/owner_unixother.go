//go:build unix && !linux

package vfs

// hasACL returns true, because access lists are not read: a directory that is writable for root's
// group is not considered private to root.
func hasACL(string) bool { return true }
