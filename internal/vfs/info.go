package vfs

import (
	"io/fs"
	"path"
	"strconv"
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
	names    *accounts
}

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
	return i.names.user(o.user), i.names.group(o.group), i.stat.links, o.blocks
}

// infoOf returns the info that a package of the standard library gave.
func infoOf(info fs.FileInfo) *Info {
	st, o := facts(info)
	return &Info{name: info.Name(), mode: info.Mode(), modified: info.ModTime(), stat: st, owned: o}
}

// Info returns what a name is without following it.
func (t *Tree) Info(name string) (fs.FileInfo, error) {
	if err := t.valid(name); err != nil {
		return nil, pathError("lstat", name, err)
	}
	info, err := t.back.info(name)
	if err != nil {
		return nil, pathError("lstat", name, err)
	}
	info.names = &t.names
	return info, nil
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
		info.names = &t.names
		infos[i] = info
	}
	return infos, more, nil
}

func base(name string) string { return path.Base(name) }

func number(id uint32) string { return strconv.FormatUint(uint64(id), 10) }
