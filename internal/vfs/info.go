package vfs

import (
	"io/fs"
	"os/user"
	"path"
	"strconv"
	"sync"
	"time"
)

// Info is what is known of a file without opening it. It implements
// fs.FileInfo.
type Info struct {
	name     string
	mode     fs.FileMode
	modified time.Time
	stat     stat
	owned    owned
}

// stat is what the opening of a file finds out about it.
type stat struct {
	size  int64
	links uint64
	// id tells the file from all others of the system.
	id fileID
	// changed is when the content or the names last changed, in nanoseconds.
	changed int64
}

type fileID struct{ device, inode uint64 }

// owned is what a system with owners tells of a file beside that.
type owned struct {
	known       bool
	user, group uint32
	blocks      int64
}

// Name returns the last element of the name that was asked for.
func (i *Info) Name() string { return i.name }

// Size returns the length in bytes.
func (i *Info) Size() int64 { return i.stat.size }

// Mode returns the type and the permissions.
func (i *Info) Mode() fs.FileMode { return i.mode }

// ModTime returns when the content was last changed.
func (i *Info) ModTime() time.Time { return i.modified }

// IsDir reports whether it is a directory.
func (i *Info) IsDir() bool { return i.mode.IsDir() }

// Sys returns nil.
func (i *Info) Sys() any { return nil }

// Owner returns the names of the user and the group, the number of hard links
// and the number of blocks of 512 bytes that the file takes. An owner without
// a name is a number; where the system has no owners they are "-".
func (i *Info) Owner() (user, group string, links uint64, blocks int64) {
	o := i.owned
	if !o.known {
		return "-", "-", max(i.stat.links, 1), (i.stat.size + 511) / 512
	}
	return account("user", o.user), account("group", o.group), i.stat.links, o.blocks
}

// accounts are the names that were asked for, by kind and number.
var accounts sync.Map

// account returns the name of a user or group, or the number of one without a name.
func account(kind string, id uint32) string {
	number := strconv.FormatUint(uint64(id), 10)
	if name, ok := accounts.Load(kind + number); ok {
		return name.(string)
	}
	name := number
	if kind == "group" {
		if g, err := user.LookupGroupId(number); err == nil {
			name = g.Name
		}
	} else if u, err := user.LookupId(number); err == nil {
		name = u.Username
	}
	accounts.Store(kind+number, name)
	return name
}

// infoOf returns the info that a package of the standard library gave.
func infoOf(info fs.FileInfo) *Info {
	st, o := facts(info)
	return &Info{name: info.Name(), mode: info.Mode(), modified: info.ModTime(), stat: st, owned: o}
}

// Info returns what a name is without following it.
func (t *Tree) Info(name string) (fs.FileInfo, error) {
	info, err := t.lstat(name)
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Lstat returns the type of a name without following it.
func (t *Tree) Lstat(name string) (Type, error) {
	info, err := t.lstat(name)
	if err != nil {
		return Other, err
	}
	return typeOf(info.mode), nil
}

func (t *Tree) lstat(name string) (*Info, error) {
	err := t.valid(name)
	var info *Info
	if err == nil {
		info, err = t.back.info(name)
	}
	return info, pathError("lstat", name, err)
}

// ReadDirInfo is ReadDir with what each entry is, links not followed.
func (t *Tree) ReadDirInfo(name string, limit int) (infos []fs.FileInfo, more bool, err error) {
	if err := t.valid(name); err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	list, more, err := t.back.readDirInfo(name, max(limit, 0))
	if err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	infos = make([]fs.FileInfo, len(list))
	for i, info := range list {
		infos[i] = info
	}
	return infos, more, nil
}

const (
	second = 1_000_000_000
	// clockLag is more than what the clock of a file system may be behind, in
	// nanoseconds.
	clockLag = second / 50
	// maxTries bounds how often a file is opened that changes meanwhile.
	maxTries = 10
	// looks is how often a file that changed is looked at again.
	looks = 3
)

// lag is how much the time of a change may be behind the change itself. Some
// file systems know only the full second.
func (s stat) lag() int64 {
	if s.changed%second == 0 {
		return second + clockLag
	}
	return clockLag
}

// single refuses a file that has another name, which may be outside.
//
// The count of its names is of the moment after it was opened: if the name by
// which it was found was taken away in between, a file from outside has one
// left. That is a change, so for a file that last changed before the tree was
// opened the count is enough. The clocks are those of one system: on a file
// system of the network that is more than a second ahead it may be not.
//
// A file that changed since is looked at again. The kernel counts a name off a
// moment before it takes it out of sight. It keeps the directory locked
// meanwhile, so reading that waits until it is done; then the file is looked at
// once more. A name that was put back for that shows in the time of the change,
// or where the clock is too coarse for it, has to be put back and taken away at
// the right instant each time.
func (t *Tree) single(name string, st stat) error {
	switch {
	case t.hardLinks:
		return nil
	case st.links > 1:
		return ErrHardLink
	case st.changed+st.lag() < t.opened:
		return nil
	}
	for range looks {
		if _, _, err := t.back.readDir(path.Dir(name), 0); err != nil {
			return err
		}
		now, err := t.back.info(name)
		switch {
		case err != nil:
			return err
		case now.stat.id != st.id || now.stat.changed != st.changed:
			return ErrChanged
		case now.stat.links > 1:
			return ErrHardLink
		}
	}
	return nil
}

// Fingerprint is what tells without reading whether a file is still the one that was
// read: its length, the file itself, and when it was changed.
type Fingerprint struct {
	stat     stat
	modified int64
}

// Fingerprint returns the stamp of a name, which is not followed.
func (t *Tree) Fingerprint(name string) (Fingerprint, error) {
	info, err := t.lstat(name)
	if err != nil {
		return Fingerprint{}, err
	}
	s, _ := FingerprintOf(info)
	return s, nil
}

// FingerprintOf returns the stamp of what [Tree.Info] and [Tree.ReadDirInfo] tell of a
// file. It is false for what another file system tells.
func FingerprintOf(info fs.FileInfo) (Fingerprint, bool) {
	i, ok := info.(*Info)
	if !ok {
		return Fingerprint{}, false
	}
	s := Fingerprint{stat: i.stat}
	if !i.modified.IsZero() {
		s.modified = i.modified.UnixNano()
	}
	return s, true
}

// Unchanged reports whether a file with this stamp is certain to be the one that
// had another stamp at a moment: it was read not before that. What was changed
// shortly before the moment may have been changed again within one tick of the
// clock, so that it is not certain; nor is a file without a time.
func (s Fingerprint) Unchanged(before Fingerprint, at time.Time) bool {
	if s != before || s.modified == 0 {
		return false
	}
	last := max(s.modified, s.stat.changed)
	return last+max(s.stat.lag(), second+clockLag) < at.UnixNano()
}

// ChangedSince reports whether a file with this stamp may have been changed, or given
// its name, at a moment or after it, as far as the clock of its file system tells. One
// without a time is taken for one that was not.
func (s Fingerprint) ChangedSince(at time.Time) bool {
	last := max(s.modified, s.stat.changed)
	return last != 0 && last+s.stat.lag() >= at.UnixNano()
}
