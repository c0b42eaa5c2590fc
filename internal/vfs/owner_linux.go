package vfs

import "golang.org/x/sys/unix"

// hasACL reports whether a directory has an access list beside its mode. What
// can not be asked has none: then the file system has no lists.
func hasACL(path string) bool {
	n, err := unix.Lgetxattr(path, "system.posix_acl_access", nil)
	return err == nil && n > 0
}
