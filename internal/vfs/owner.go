package vfs

import (
	"os"
	"path"
	"path/filepath"
)

// OwnerError explains why a directory or file cannot be trusted: someone else could have written
// its content.
type OwnerError struct {
	// Path is the directory, a directory above it, or the symlink that causes the error.
	Path string
	// Problem describes the error, for use after the path.
	Problem string
	// Fix tells the user what to do.
	Fix string
}

func (e *OwnerError) Error() string { return e.Path + " " + e.Problem }

// UserOnly returns an *OwnerError if anyone except the process's user and root could change the
// contents of dir: it has another owner, is writable for its group or others, or the same is true
// for a directory or symlink on its path. Above dir, a directory with the sticky bit may be
// writable, because nobody can replace another user's files there. dir is absolute, and symlinks
// are followed. A missing dir is fs.ErrNotExist.
//
// On Linux the group bits include access lists. On other systems access lists are not checked, and
// root's group counts like any other. On systems without Unix owners, including Windows, only the
// existence of the directory is checked.
func UserOnly(dir string) error { return checkChain(dir, userOnly) }

// SystemOnly is UserOnly for directories of the administrator: root must own everything, and only
// root's group may write. Managed directories have precedence only because of this.
func SystemOnly(dir string) error { return checkChain(dir, systemOnly) }

// trustedOwners is the set of users that may own and change a directory.
type trustedOwners uint8

const (
	userOnly trustedOwners = iota
	systemOnly
)

// UserOnlyFile is [UserOnly] for a file, including the directories and symlinks on its path.
func UserOnlyFile(name string) error { return checkFile(name, userOnly) }

// SystemOnlyFile is [SystemOnly] for a file.
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
