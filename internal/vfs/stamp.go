package vfs

import "time"

// Stamp is what tells without reading whether a file is still the one that was
// read: its length, the file itself, and when it was changed.
type Stamp struct {
	stat     stat
	modified int64
}

// Stamp returns the stamp of a name, which is not followed.
func (t *Tree) Stamp(name string) (Stamp, error) {
	if err := t.valid(name); err != nil {
		return Stamp{}, pathError("lstat", name, err)
	}
	info, err := t.back.info(name)
	if err != nil {
		return Stamp{}, pathError("lstat", name, err)
	}
	s := Stamp{stat: info.stat}
	if !info.modified.IsZero() {
		s.modified = info.modified.UnixNano()
	}
	return s, nil
}

// Unchanged reports whether a file with this stamp is certain to be the one that
// had another stamp at a moment: it was read not before that. What was changed
// shortly before the moment may have been changed again within one tick of the
// clock, so that it is not certain; nor is a file without a time.
func (s Stamp) Unchanged(before Stamp, at time.Time) bool {
	if s != before || s.modified == 0 {
		return false
	}
	last := max(s.modified, s.stat.changed)
	return last+max(s.stat.lag(), second+clockLag) < at.UnixNano()
}

// ChangedSince reports whether a file with this stamp may have been changed, or given
// its name, at a moment or after it, as far as the clock of its file system tells. One
// without a time is taken for one that was not.
func (s Stamp) ChangedSince(at time.Time) bool {
	last := max(s.modified, s.stat.changed)
	return last != 0 && last+s.stat.lag() >= at.UnixNano()
}
