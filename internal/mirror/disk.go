package mirror

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// Reader is what planning needs of the files below the top of a project. No method
// but Resolve follows a link.
type Reader interface {
	Lstat(name string) (vfs.Type, error)
	ReadDir(name string, limit int) (entries []vfs.Entry, more bool, err error)
	ReadFile(name string, limit int64) ([]byte, error)
	Readlink(name string) (string, error)
	// Executable reports whether a file may be run.
	Executable(name string) (bool, error)
	// Real is the name with all links followed, where that is below the top.
	Real(name string) (string, error)
}

// Disk is what carrying out needs besides. Each call is one step: a process that
// ends in it leaves what was before or what is after, and perhaps a file that
// Sweep removes.
type Disk interface {
	Reader
	Mkdir(name string) error
	Create(name string, data []byte, executable bool) error
	Replace(name string, before, after []byte, executable bool) error
	Remove(name string, before []byte) error
	Symlink(target, name string) error
	Unlink(name, target string) error
	RemoveDir(name string) error
	Sweep(dir string) (int, error)
}

// Tree is the Reader of a tree.
type Tree struct{ *vfs.Tree }

// Executable implements [Reader].
func (t Tree) Executable(name string) (bool, error) {
	info, err := t.Info(name)
	if err != nil {
		return false, err
	}
	return info.Mode()&0o100 != 0, nil
}

// Real implements [Reader].
func (t Tree) Real(name string) (string, error) {
	in, rel, err := t.Resolve(name)
	if err != nil {
		return "", err
	}
	if in.Real() != t.Tree.Real() {
		return "", vfs.ErrOutside
	}
	return rel, nil
}

// Files is the Disk of a tree and a writer for it.
type Files struct {
	Tree
	*vfs.Writer
}

// The limits of what is looked at: the length of one file in bytes, the entries of
// one directory, and how many directories are in one another.
const (
	maxFile  = 64 << 20
	maxEntry = 100000
	maxDepth = 64
)

// thing is what stands at a path.
type thing struct {
	what what
	data []byte
	run  bool
	link string
	// at is the element of the path that is in the way, and as what it stands
	// there where that differs.
	at, as string
	err    error
}

type what uint8

const (
	nothing what = iota
	file
	link
	directory
	// other is a pipe, a device, or a file that can not be read.
	other
	// behindLink: a link stands before the last element; underFile: a file does.
	behindLink
	underFile
	// otherCase: the file system takes the path for one that is written with
	// other capitals, or with its accents otherwise.
	otherCase
)

// looker looks at paths, some of which count as gone.
type looker struct {
	disk Reader
	gone map[string]bool
	dirs map[string]*listing
}

type listing struct {
	entries []vfs.Entry
	err     error
	// types are what the entries are, by name; folded are their names by how they fold,
	// nil where that was not asked for.
	types  map[string]vfs.Type
	folded map[string][]string
}

// listing reads a directory, once.
func (l *looker) listing(name string) *listing {
	known, ok := l.dirs[name]
	if !ok {
		known = &listing{}
		var more bool
		known.entries, more, known.err = l.disk.ReadDir(name, maxEntry)
		if more {
			known.err = vfs.ErrTooLarge
		}
		known.types = make(map[string]vfs.Type, len(known.entries))
		for _, e := range known.entries {
			known.types[e.Name] = e.Type
		}
		l.dirs[name] = known
	}
	return known
}

// list returns the entries of a directory that are not gone.
func (l *looker) list(name string) ([]vfs.Entry, error) {
	known := l.listing(name)
	if known.err != nil {
		return nil, known.err
	}
	var left []vfs.Entry
	for _, e := range known.entries {
		if !l.gone[path.Join(name, e.Name)] {
			left = append(left, e)
		}
	}
	return left, nil
}

// look returns what stands at a path, by the names as they are written there: a
// file system may take one spelling for another.
func (l *looker) look(name string) thing {
	at := "."
	elements := strings.Split(name, "/")
	for i, element := range elements {
		in := l.listing(at)
		if in.err != nil {
			return thing{what: other, at: at, err: in.err}
		}
		next := path.Join(at, element)
		typ, there := in.types[element]
		if !there || l.gone[next] {
			return l.absent(in, at, element)
		}
		at = next
		if i == len(elements)-1 {
			return l.read(at, typ)
		}
		switch typ {
		case vfs.Dir:
		case vfs.Link:
			return thing{what: behindLink, at: at}
		default:
			return thing{what: underFile, at: at}
		}
	}
	return thing{}
}

// absent tells what is not there from what stands there in another spelling.
func (l *looker) absent(in *listing, at, element string) thing {
	if in.folded == nil {
		in.folded = make(map[string][]string, len(in.entries))
		for _, e := range in.entries {
			in.folded[fold(e.Name)] = append(in.folded[fold(e.Name)], e.Name)
		}
	}
	names := in.folded[fold(element)]
	k := slices.IndexFunc(names, func(name string) bool { return !l.gone[path.Join(at, name)] })
	if k < 0 {
		return thing{}
	}
	// Where both spellings are names of one file, the system finds it by either.
	if _, err := l.disk.Lstat(path.Join(at, element)); err != nil {
		return thing{}
	}
	return thing{what: otherCase, at: path.Join(at, element), as: names[k]}
}

func (l *looker) read(name string, typ vfs.Type) thing {
	t := thing{at: name}
	switch typ {
	case vfs.Dir:
		t.what = directory
	case vfs.Link:
		t.what = link
		t.link, t.err = l.disk.Readlink(name)
	case vfs.File:
		t.what = file
		if t.data, t.err = l.disk.ReadFile(name, maxFile); t.err == nil {
			t.run, t.err = l.disk.Executable(name)
		}
	default:
		t.what, t.err = other, vfs.ErrNotRegular
	}
	if t.err != nil {
		t.what = other
	}
	return t
}

// reason is an error without the path that it names.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

func dir(p string) string { return path.Dir(p) }
