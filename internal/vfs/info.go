package vfs

import (
	"encoding/binary"
	"io/fs"
	"os/user"
	"path"
	"strconv"
	"sync"
	"time"
)

// Info holds a file's properties. It implements fs.FileInfo.
type Info struct {
	name     string
	mode     fs.FileMode
	modified time.Time
	stat     stat
	owned    owned
}

// stat holds file properties that may become known only after the file is opened.
type stat struct {
	size  int64
	links uint64
	// id identifies the file on this system.
	id fileID
	// changed is the ctime in nanoseconds: when the content or the metadata, such as the link
	// count, last changed.
	changed int64
}

type fileID struct{ device, inode uint64 }

// owned holds file properties that exist only on systems where files have owners.
type owned struct {
	known       bool
	user, group uint32
	blocks      int64
}

// Name returns the last element of the name passed to the tree or view.
func (i *Info) Name() string { return i.name }

// Size returns the file's size in bytes.
func (i *Info) Size() int64 { return i.stat.size }

// Mode returns the file's type and permissions.
func (i *Info) Mode() fs.FileMode { return i.mode }

// ModTime returns when the content last changed.
func (i *Info) ModTime() time.Time { return i.modified }

// IsDir reports whether the file is a directory.
func (i *Info) IsDir() bool { return i.mode.IsDir() }

// Sys returns nil.
func (i *Info) Sys() any { return nil }

// Owner returns the names of the user and group, the number of hard links, and the number of
// 512-byte blocks. For a user or group without a name, it returns the number. On systems where
// files have no owners, both names are "-".
func (i *Info) Owner() (user, group string, links uint64, blocks int64) {
	o := i.owned
	if !o.known {
		return "-", "-", max(i.stat.links, 1), (i.stat.size + 511) / 512
	}
	return account("user", o.user), account("group", o.group), i.stat.links, o.blocks
}

// accounts caches account names by kind and number.
var accounts sync.Map

// account returns the name of a user or group, or its number if it does not have a name.
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

// infoOf converts an fs.FileInfo from the standard library to an *Info.
func infoOf(info fs.FileInfo) *Info {
	st, o := sysInfo(info)
	return &Info{name: info.Name(), mode: info.Mode(), modified: info.ModTime(), stat: st, owned: o}
}

// Info returns the properties of the file called name. It does not follow symlinks.
func (t *Tree) Info(name string) (fs.FileInfo, error) {
	info, err := t.lstat(name)
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Lstat returns the type of the file called name. It does not follow symlinks.
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

// ReadDirInfo is like ReadDir but returns the properties of each entry. It does not follow
// symlinks.
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
	// clockLag is an upper bound on the resolution of file system clocks, in nanoseconds.
	clockLag = second / 50
	// maxTries is the maximum number of attempts to open a file that keeps changing.
	maxTries = 10
	// recheckLimit is the number of times that [Tree.single] checks a recently changed file again.
	recheckLimit = 3
)

// lag returns the maximum amount by which the recorded time of a change may precede the actual
// time. Some file systems record only full seconds.
func (s stat) lag() int64 {
	if s.changed%second == 0 {
		return second + clockLag
	}
	return clockLag
}

// single returns ErrHardLink if a file has another hard link, which may be outside the tree.
//
// The link count is read after the file is opened. An attacker may link an outside file into the
// tree, and then remove that link in between, so that the file has only one link left. But the
// removal changes the ctime. The count is therefore sufficient if the file last changed before the
// tree was opened. This assumes a single clock: a network file system whose clock is more than a
// second ahead may defeat it.
//
// A file that changed later is checked again. The kernel decrements the link count just before it
// removes the name, and keeps the directory locked until it is done. single reads the directory,
// which waits for the lock, and then checks the file again. If the name was restored in the
// meantime, the ctime has changed. If the clock is too coarse to show this, an attacker must
// restore and remove the name at exactly the right moment each time.
func (t *Tree) single(name string, st stat) error {
	switch {
	case t.hardLinks:
		return nil
	case st.links > 1:
		return ErrHardLink
	case st.changed+st.lag() < t.opened:
		return nil
	}
	for range recheckLimit {
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

// Fingerprint identifies the state of a file without reading it, by properties such as its size,
// identity and ctime.
type Fingerprint struct {
	stat     stat
	modified int64
}

// Fingerprint returns the fingerprint of the file called name. It does not follow symlinks.
func (t *Tree) Fingerprint(name string) (Fingerprint, error) {
	info, err := t.lstat(name)
	if err != nil {
		return Fingerprint{}, err
	}
	s, _ := FingerprintOf(info)
	return s, nil
}

// FingerprintOf returns the fingerprint for an fs.FileInfo returned by [Tree.Info] or
// [Tree.ReadDirInfo]. It returns false for other implementations of fs.FileInfo.
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

// Append appends the fingerprint to b in a form that can be stored and compared.
func (s Fingerprint) Append(b []byte) []byte {
	for _, n := range [...]uint64{uint64(s.stat.size), s.stat.id.device, s.stat.id.inode, uint64(s.stat.changed),
		uint64(s.modified)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// Unchanged reports whether a file is certain to be the same as before. s is the file's current
// fingerprint. before is a fingerprint that was taken at the given time or later. Unchanged returns
// false if the file changed shortly before that time, because it may have changed again within the
// same clock tick. It also returns false for a file without a modification time.
func (s Fingerprint) Unchanged(before Fingerprint, at time.Time) bool {
	if s != before || s.modified == 0 {
		return false
	}
	last := max(s.modified, s.stat.changed)
	return last+max(s.stat.lag(), second+clockLag) < at.UnixNano()
}

// ChangedSince reports whether a file with this fingerprint may have been changed or renamed at or
// after the given time, taking into account the resolution of the file system's clock. It returns
// false for a file without a time.
func (s Fingerprint) ChangedSince(at time.Time) bool {
	last := max(s.modified, s.stat.changed)
	return last != 0 && last+s.stat.lag() >= at.UnixNano()
}
