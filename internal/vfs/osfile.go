package vfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// descend opens the directory of a name's last element, one element at a time.
// os.Root keeps a path inside the tree but follows links in it; here each
// directory has to be the one that stood there as no link, so that a link that
// comes in between does not lead to another file of the tree.
func (b rootBackend) descend(name string) (dir *os.Root, last string, err error) {
	if dir, err = b.root.OpenRoot("."); err != nil {
		return nil, "", err
	}
	for {
		element, rest, more := strings.Cut(name, "/")
		if !more {
			return dir, element, nil
		}
		sub, err := child(dir, element)
		dir.Close()
		if err != nil {
			return nil, "", err
		}
		dir, name = sub, rest
	}
}

func child(dir *os.Root, element string) (*os.Root, error) {
	seen, err := dir.Lstat(element)
	switch {
	case err != nil:
		return nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, ErrLink
	case !seen.IsDir():
		return nil, fs.ErrNotExist
	}
	sub, err := dir.OpenRoot(element)
	if err != nil {
		return nil, err
	}
	opened, err := sub.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrChanged
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// openFile opens what was a regular file a moment ago. Should a device be
// there by then it is opened without waiting, and closed again.
func (b rootBackend) openFile(name string) (fs.File, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	seen, err := dir.Lstat(last)
	if err != nil {
		return nil, err
	}
	if err := regular(seen.Mode()); err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(last, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (b rootBackend) info(name string) (*Info, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Lstat(last)
	if err != nil {
		return nil, err
	}
	return infoOf(info), nil
}

func (b rootBackend) readlink(name string) (string, error) {
	dir, last, err := b.descend(name)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	return dir.Readlink(last)
}

func (b rootBackend) readDirInfo(name string, limit int) ([]*Info, bool, error) {
	parent, last, err := b.descend(name)
	if err != nil {
		return nil, false, err
	}
	defer parent.Close()
	dir, err := child(parent, last)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	more := len(names) > limit
	if more {
		names = names[:limit]
	}
	return describe(names, dir.Lstat, more)
}

// describe returns the infos of the entries of a directory, sorted.
func describe(names []string, lstat func(string) (fs.FileInfo, error), more bool) ([]*Info, bool, error) {
	infos := make([]*Info, 0, len(names))
	for _, n := range names {
		info, err := lstat(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		infos = append(infos, infoOf(info))
	}
	slices.SortFunc(infos, func(a, b *Info) int { return cmp.Compare(a.name, b.name) })
	return infos, more, nil
}
