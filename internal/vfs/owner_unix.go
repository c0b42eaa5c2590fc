//go:build unix

package vfs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// groupOrOthers holds the permission bits that give write access to users other than the owner.
const groupOrOthers = 0o022

// checkChain resolves dir element by element, as the operating system does, and checks who could
// change each element.
func checkChain(dir string, who trustedOwners) error {
	if !filepath.IsAbs(dir) {
		return &OwnerError{dir, "is not an absolute path", "use an absolute path"}
	}
	at, rest := "/", strings.Split(dir, "/")
	info, err := os.Lstat(at)
	if err != nil {
		return err
	}
	for links := 0; ; {
		if err := who.check(at, info, info.Mode()&fs.ModeSticky != 0); err != nil {
			return err
		}
		for len(rest) > 0 && (rest[0] == "" || rest[0] == ".") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return who.check(at, info, false)
		}
		next, nextInfo, target, err := step(at, rest[0], who)
		if err != nil {
			return err
		}
		rest = rest[1:]
		if target == "" {
			at, info = next, nextInfo
			continue
		}
		if links++; links > maxLinks {
			return pathError("lstat", dir, ErrLoop)
		}
		rest = append(strings.Split(target, "/"), rest...)
		if filepath.IsAbs(target) {
			at = "/"
		}
		if info, err = os.Lstat(at); err != nil {
			return err
		}
	}
}

// step checks one path element and returns its path and, for a symlink, its target. at does not
// contain symlinks, so ".." simply removes its last element.
func step(at, name string, who trustedOwners) (next string, info fs.FileInfo, target string, err error) {
	next = filepath.Join(at, name)
	info, err = os.Lstat(next)
	switch {
	case err != nil:
		return next, nil, "", err
	case info.IsDir():
		return next, info, "", nil
	case info.Mode()&fs.ModeSymlink == 0:
		return next, nil, "", &OwnerError{next, "is not a directory", "specify a directory"}
	}
	if err := who.owns(next, info); err != nil {
		return next, nil, "", err
	}
	target, err = os.Readlink(next)
	return next, info, target, err
}

// check returns an error if a user who is not in trustedOwners owns the directory or can write to
// it. If shared is set, the sticky bit keeps users from replacing one another's files, so others
// may have write access.
func (k trustedOwners) check(path string, info fs.FileInfo, shared bool) error {
	if err := k.owns(path, info); err != nil {
		return err
	}
	if info.Mode().Perm()&groupOrOthers == 0 || shared || k == systemOnly && rootGroup(path, info) {
		return nil
	}
	who := "others"
	if info.Mode().Perm()&0o002 == 0 {
		who = "its group"
	}
	return &OwnerError{path, "is writable by " + who, "chmod go-w " + path}
}

func (k trustedOwners) owns(path string, info fs.FileInfo) error {
	owner := ownerOf(info)
	switch {
	case owner == 0, k == userOnly && owner == os.Geteuid():
		return nil
	case k == systemOnly:
		return &OwnerError{path, fmt.Sprintf("belongs to user %d, not to root", owner), "chown root " + path}
	}
	return otherOwner(path, owner)
}

// rootGroup reports whether only root and its group have write access. If the
// file has an access control list, the group bits also cover other users.
func rootGroup(path string, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Gid == 0 && info.Mode().Perm()&0o002 == 0 && !hasACL(path)
}

// private returns an *OwnerError if the file or directory at path does not belong to the user, if
// anyone else can access it, or if the file has more than one hard link.
func private(path string, info fs.FileInfo) error {
	if owner := ownerOf(info); owner != os.Geteuid() {
		return otherOwner(path, owner)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return &OwnerError{path, "is accessible to its group or others", "chmod go-rwx " + path}
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() && st.Nlink > 1 {
		return &OwnerError{path, "has " + ErrHardLink.Error(), "remove the file: rm " + path}
	}
	return nil
}

func otherOwner(path string, owner int) error {
	user := os.Geteuid()
	return &OwnerError{path, fmt.Sprintf("belongs to user %d, not to user %d", owner, user), fmt.Sprintf("chown %d %s", user, path)}
}

// ownerOf returns the owner's user ID, or -1 if it is unknown.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// nonblock holds the flags that keep open from blocking on a FIFO that replaced a file after the
// check, and keep a terminal from becoming the process's controlling terminal.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// sysInfo returns the properties of a file that fs.FileInfo does not have. If
// they are unavailable, it reports one link and no change time.
func sysInfo(info fs.FileInfo) (stat, owned) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{size: info.Size(), links: 1}, owned{}
	}
	// The types of these fields differ between systems.
	return stat{info.Size(), uint64(st.Nlink), fileID{uint64(st.Dev), uint64(st.Ino)}, changed(st)},
		owned{known: true, user: st.Uid, group: st.Gid, blocks: int64(st.Blocks)}
}
