package scaffold

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/vfs"
)

// draftFS is a project that holds nothing but files that are not written yet. Whether
// something else is there is asked of the project that they are for, so that links in
// them lead where they will; nothing of that can be read.
type draftFS struct {
	files map[string][]byte
	under *vfs.Tree
}

func draftProject(under *vfs.Tree, files []File) draftFS {
	d := draftFS{files: map[string][]byte{}, under: under}
	for i := range files {
		d.files[files[i].Path] = files[i].data
	}
	return d
}

// Open opens a file that is not written yet, or a directory above one.
func (d draftFS) Open(name string) (fs.File, error) {
	if data, ok := d.files[name]; ok {
		return &draftFile{info: draftInfo{path.Base(name), int64(len(data)), 0o444}, Reader: bytes.NewReader(data)}, nil
	}
	entries := d.entries(name)
	if !fs.ValidPath(name) || entries == nil && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &draftFile{info: draftInfo{path.Base(name), 0, fs.ModeDir | 0o555}, Reader: bytes.NewReader(nil), entries: entries}, nil
}

// entries are those of a directory, nil where there is none.
func (d draftFS) entries(dir string) []fs.DirEntry {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	found := map[string]draftInfo{}
	for name, data := range d.files {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		if deeper {
			found[first] = draftInfo{first, 0, fs.ModeDir | 0o555}
		} else {
			found[first] = draftInfo{first, int64(len(data)), 0o444}
		}
	}
	var list []fs.DirEntry
	for _, info := range found {
		list = append(list, fs.FileInfoToDirEntry(info))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// Lstat also tells of what is in the project.
func (d draftFS) Lstat(name string) (fs.FileInfo, error) {
	f, err := d.Open(name)
	if err == nil {
		return f.Stat()
	}
	if d.under == nil {
		return nil, err
	}
	switch typ, err := d.under.Lstat(name); {
	case err != nil:
		return nil, err
	case typ == vfs.Dir:
		return draftInfo{path.Base(name), 0, fs.ModeDir | 0o555}, nil
	case typ == vfs.File:
		return draftInfo{path.Base(name), 0, 0o444}, nil
	}
	return draftInfo{path.Base(name), 0, fs.ModeIrregular}, nil
}

// ReadLink knows of no links.
func (d draftFS) ReadLink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

type draftFile struct {
	info draftInfo
	*bytes.Reader
	entries []fs.DirEntry
}

func (f *draftFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *draftFile) Close() error               { return nil }

// ReadDir returns the next entries of a directory, all of them with 0 or less.
func (f *draftFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(f.entries)
	} else if len(f.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.entries))
	list := f.entries[:n]
	f.entries = f.entries[n:]
	return list, nil
}

// draftInfo is what is known of a file that is not written yet.
type draftInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i draftInfo) Name() string       { return i.name }
func (i draftInfo) Size() int64        { return i.size }
func (i draftInfo) Mode() fs.FileMode  { return i.mode }
func (i draftInfo) ModTime() time.Time { return time.Time{} }
func (i draftInfo) IsDir() bool        { return i.mode.IsDir() }
func (i draftInfo) Sys() any           { return nil }
