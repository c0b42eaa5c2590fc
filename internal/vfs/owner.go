package vfs

import (
	"os"
	"path"
	"path/filepath"
)

// OwnerError explains why a directory or file cannot be trusted. Usually, the reason is that other
// users could have written its content.
type OwnerError struct {
	// Path is the path that has the problem: the file or directory, a directory above it, or a
	// symlink.
	Path string
	// Problem describes what is wrong with Path. In messages, it follows the path.
	Problem string
	// Fix tells the user what to do.
	Fix string
}

func (e *OwnerError) Error() string { return e.Path + " " + e.Problem }

// UserOnly returns an *OwnerError if anyone other than root and the process's user could change the
// content of dir. It checks dir and every directory and symlink on its path. Each must belong to
// the user or root, and directories must not be writable by their group or others. A directory
// above dir may be writable if it has the sticky bit, which keeps users from replacing one
// another's files. dir must be absolute, and symlinks are followed. If dir is missing, the error is
// fs.ErrNotExist.
//
// On Linux, the group bits include access control lists. Other systems do not check these lists,
// and treat root's group like any other group. On systems without Unix owners, including Windows,
// UserOnly only checks whether the directory exists.
func UserOnly(dir string) error { return checkChain(dir, userOnly) }

// SystemOnly is like UserOnly but for the administrator's directories: root must own everything,
// and only root and root's group may have write access. Managed directories can override the user's
// settings, so they must pass this check.
func SystemOnly(dir string) error { return checkChain(dir, systemOnly) }

// trustedOwners is the set of users who may own and change a directory.
type trustedOwners uint8

const (
	userOnly trustedOwners = iota
	systemOnly
)

// UserOnlyFile is like [UserOnly] but for a file. It also checks the
// directories and symlinks on the file's path.
func UserOnlyFile(name string) error { return checkFile(name, userOnly) }

// SystemOnlyFile is like [SystemOnly] but for a file.
func SystemOnlyFile(name string) error { return checkFile(name, systemOnly) }

func checkFile(name string, who trustedOwners) error {
	if err := checkChain(path.Dir(name), who); err != nil {
		return err
	}
	real, err := RealPath(name)
	if err != nil {
		return err
	}
	if err := checkChain(path.Dir(real), who); err != nil {
		return err
	}
	info, err := os.Lstat(filepath.FromSlash(real))
	if err != nil {
		return pathError("lstat", name, err)
	}
	return who.check(real, info, false)
}
