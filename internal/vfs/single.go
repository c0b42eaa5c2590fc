package vfs

import "path"

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
func (t *Tree) single(name string, st stat) error {
	switch {
	case t.hardLinks:
		return nil
	case st.links > 1:
		return ErrHardLink
	case st.changed+st.lag() < t.opened:
		return nil
	}
	return t.settled(name, st)
}

// settled asserts that a file is at its name and has no other.
//
// The kernel counts a name off a moment before it takes it out of sight. It
// keeps the directory locked meanwhile, so reading that waits until it is
// done; then the file is looked at once more. A name that was put back for
// that shows in the time of the change, or where the clock is too coarse for
// it, has to be put back and taken away at the right instant each time.
func (t *Tree) settled(name string, st stat) error {
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
