package vfs

import "io/fs"

// StampOf returns the stamp of what [Tree.Info] and [Tree.ReadDirInfo] tell of a
// file. It is false for what another file system tells.
func StampOf(info fs.FileInfo) (Stamp, bool) {
	i, ok := info.(*Info)
	if !ok {
		return Stamp{}, false
	}
	s := Stamp{stat: i.stat}
	if !i.modified.IsZero() {
		s.modified = i.modified.UnixNano()
	}
	return s, true
}
