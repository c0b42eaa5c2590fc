package vfs

import (
	"os"
	"path"
	"path/filepath"
)

// OwnerError says why a directory or a file can not be relied on: somebody
// else could have put its content there.
type OwnerError struct {
	// Path is the directory, the one above it, or the link, that is at fault.
	Path string
	// Problem is what is wrong, to be read after the path.
	Problem string
	// Fix is what the user can do about it.
	Fix string
}

// Error returns "path problem".
func (e *OwnerError) Error() string { return e.Path + " " + e.Problem }

// UserOnly fails with an *OwnerError where somebody but the user of the process
// and root could change what is in dir: another owner, a directory that group
// or others may write to, or the same in one of the directories and links that
// lead to dir. Above dir a directory with the sticky bit may be writable, for
// there nobody can replace what belongs to another. dir is absolute; links are
// followed. A dir that is not there is fs.ErrNotExist.
//
// On Linux an access list shows in the bits of the group. Elsewhere access lists
// are not looked at, and root's group counts as any other. On systems without owners in the manner of Unix, Windows
// among them, only the existence of the directory is checked.
func UserOnly(dir string) error { return checkChain(dir, userOnly) }

// SystemOnly is the same for directories of the administrator: the owner is
// root everywhere, and no group but root's may write. It is what makes a
// managed directory worth its precedence.
func SystemOnly(dir string) error { return checkChain(dir, systemOnly) }

// keepers is who may own and change a directory.
type keepers uint8

const (
	userOnly keepers = iota
	systemOnly
)

// UserOnlyFile is [UserOnly] for a file: nobody else may own or change it, the
// directories that lead to it, or those that a link on its way leads to.
func UserOnlyFile(name string) error { return checkFile(name, userOnly) }

// SystemOnlyFile is [SystemOnly] for a file.
func SystemOnlyFile(name string) error { return checkFile(name, systemOnly) }

func checkFile(name string, who keepers) error {
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
