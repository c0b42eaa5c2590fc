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

// groupOrOthers are the bits with which others than the owner may write.
const groupOrOthers = 0o022

// checkChain walks to dir element by element, as the system does, and asks of
// everything on the way who could change it.
func checkChain(dir string, who keepers) error {
	if !filepath.IsAbs(dir) {
		return &OwnerError{dir, "is not an absolute path", "give the path from the root"}
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

// step looks at one element. at has no link in it, so ".." is what its text
// says.
func step(at, name string, who keepers) (next string, info fs.FileInfo, target string, err error) {
	next = filepath.Join(at, name)
	info, err = os.Lstat(next)
	switch {
	case err != nil:
		return next, nil, "", err
	case info.IsDir():
		return next, info, "", nil
	case info.Mode()&fs.ModeSymlink == 0:
		return next, nil, "", &OwnerError{next, "is not a directory", "name a directory"}
	}
	if err := who.owns(next, info); err != nil {
		return next, nil, "", err
	}
	target, err = os.Readlink(next)
	return next, info, target, err
}

// check fails where somebody who is not among the keepers owns the directory
// or may write to it; shared says that its writers can not harm one another.
func (k keepers) check(path string, info fs.FileInfo, shared bool) error {
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

func (k keepers) owns(path string, info fs.FileInfo) error {
	owner := ownerOf(info)
	switch {
	case owner == 0, k == userOnly && owner == os.Geteuid():
		return nil
	case k == systemOnly:
		return &OwnerError{path, fmt.Sprintf("belongs to user %d and not to root", owner), "chown root " + path}
	}
	return otherOwner(path, owner)
}

// rootGroup reports whether nobody but root and its group may write. With an
// access list the bits of the group say what others may do, too.
func rootGroup(path string, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Gid == 0 && info.Mode().Perm()&0o002 == 0 && !hasACL(path)
}

// private fails with an *OwnerError where the file or directory of info, found
// at path, is not the user's own or may be read or written by anybody else. A
// file with a second hard link is not private either.
func private(path string, info fs.FileInfo) error {
	if owner := ownerOf(info); owner != os.Geteuid() {
		return otherOwner(path, owner)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return &OwnerError{path, "is open to group or others", "chmod go-rwx " + path}
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() && st.Nlink > 1 {
		return &OwnerError{path, ErrHardLink.Error(), "remove it: rm " + path}
	}
	return nil
}

func otherOwner(path string, owner int) error {
	user := os.Geteuid()
	return &OwnerError{path, fmt.Sprintf("belongs to user %d and not to user %d", owner, user), fmt.Sprintf("chown %d %s", user, path)}
}

// ownerOf returns the user id of the owner, and -1 where it is not known.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// nonblock keeps the opening of a pipe from waiting for a writer, should one
// take a file's place after it was looked at, and a terminal from becoming the
// process's own.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// facts returns what the system says of a file beside what an fs.FileInfo has.
// One of no system has one link, and does not change.
func facts(info fs.FileInfo) (stat, owned) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{size: info.Size(), links: 1}, owned{}
	}
	// The types of these fields differ from one system to the next.
	return stat{info.Size(), uint64(st.Nlink), fileID{uint64(st.Dev), uint64(st.Ino)}, changed(st)},
		owned{known: true, user: st.Uid, group: st.Gid, blocks: int64(st.Blocks)}
}
