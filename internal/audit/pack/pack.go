// Package pack reads what an audit looks at: a definition with all that travels with
// it. Only reading is done: no link is followed, no pipe or device opened, and what
// is over a limit is named instead of read.
package pack

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/vfs"
)

// The limits of one package: how many files and directories are looked at, how many
// bytes of one and of all are read.
const (
	MaxFiles = 2000
	MaxFile  = 2 << 20
	MaxBytes = 32 << 20
	maxDepth = 32
	// headSize is how much is read of a file that is too large and no text.
	headSize = 8 << 10
)

// Request says what to read.
type Request struct {
	Name  string
	Kind  definition.Kind
	Layer definition.Layer
	// Tree has the package, Main is the definition's own file in it. Dir is the
	// directory of what travels with it; "" where nothing does.
	Tree      *vfs.Tree
	Main, Dir string
	// Data is the content of Main where it was read already.
	Data []byte
	// Skip says which files and directories in Dir belong to others; nil is none.
	Skip func(name string) bool
	// Kept says which directories version control keeps: they are named and not read.
	Kept func(name string) bool
}

// Read reads a package. The error is that of the definition's own file or of the
// context; whatever else can not be read is among what was missed.
func Read(ctx context.Context, q Request) (*fact.Package, error) {
	r := reader{ctx: ctx, q: q, left: MaxBytes, out: &fact.Package{Name: q.Name, Kind: q.Kind, Layer: q.Layer, Bare: q.Main == ""}}
	if q.Main != "" {
		if err := r.main(); err != nil {
			return nil, err
		}
	}
	if q.Dir != "" {
		r.directory(q.Dir, 0)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.out, nil
}

type reader struct {
	ctx   context.Context
	q     Request
	out   *fact.Package
	left  int64
	files int
	full  bool
}

func (r *reader) main() error {
	x := &fact.File{Path: r.rel(r.q.Main), Raw: r.q.Data, Size: int64(len(r.q.Data))}
	if x.Raw == nil {
		data, size, err := r.read(r.q.Main, MaxFile)
		if err != nil {
			return err
		}
		x.Raw, x.Size = data, size
		if size > int64(len(data)) {
			r.miss(r.q.Main, size, fact.MissedTooLarge, "only its beginning was read")
		}
	}
	r.out.Files = append(r.out.Files, x)
	r.left -= int64(len(x.Raw))
	return nil
}

// rel is the path of a name relative to the package.
func (r *reader) rel(name string) string {
	switch {
	case r.q.Dir == "":
		return path.Base(name)
	case r.q.Dir == ".":
		return name
	}
	return strings.TrimPrefix(name, r.q.Dir+"/")
}

func (r *reader) miss(name string, size int64, why fact.Reason, note string) {
	r.out.Missed = append(r.out.Missed, fact.Missed{Path: r.rel(name), Size: size, Why: why, Note: note})
}

// directory reads a directory, files before the directories in it.
func (r *reader) directory(name string, depth int) {
	if r.ctx.Err() != nil || r.full {
		return
	}
	if depth > maxDepth {
		r.miss(name, 0, fact.MissedTooMany, "too deep")
		return
	}
	list, more, err := r.q.Tree.ReadDirInfo(name, MaxFiles+1)
	if err != nil {
		r.miss(name, 0, fact.MissedUnreadable, "")
		return
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	var dirs []string
	for _, info := range list {
		child := path.Join(name, info.Name())
		switch {
		case child == r.q.Main, r.q.Skip != nil && r.q.Skip(child):
		case info.IsDir() && r.q.Kept != nil && r.q.Kept(child):
			r.miss(child, 0, fact.MissedKept, "")
		case info.IsDir():
			dirs = append(dirs, child)
		default:
			r.file(child, info)
		}
		if r.full {
			return
		}
	}
	if more {
		r.miss(name, 0, fact.MissedTooMany, "the directory has more entries than are read")
	}
	for _, d := range dirs {
		r.directory(d, depth+1)
	}
}

func (r *reader) file(name string, info fs.FileInfo) {
	if r.files++; r.files > MaxFiles {
		r.full = true
		r.miss(name, 0, fact.MissedTooMany, "this file and all behind it were not read")
		return
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		note := ""
		if target, err := r.q.Tree.Readlink(name); err == nil {
			note = "leads to " + target
		}
		r.miss(name, 0, fact.MissedLink, note)
		return
	case !info.Mode().IsRegular():
		r.miss(name, 0, fact.MissedSpecial, "")
		return
	case r.left <= 0:
		r.miss(name, info.Size(), fact.MissedTooLarge, "the package is too large")
		return
	}
	head, size, err := r.read(name, min(MaxFile, r.left))
	if err != nil {
		r.miss(name, info.Size(), fact.MissedUnreadable, reason(err))
		return
	}
	switch {
	case size <= int64(len(head)):
	case fact.PlainText(head):
		r.miss(name, size, fact.MissedTooLarge, "only its beginning was read")
	default:
		// Its form shows in its first bytes; that the rest is not known is said of
		// each file that is no text.
		head = slices.Clone(head[:min(len(head), headSize)])
	}
	r.left -= int64(len(head))
	r.out.Files = append(r.out.Files, &fact.File{Path: r.rel(name), Raw: head, Size: size, Exec: info.Mode()&0o111 != 0})
}

// read returns the beginning of a file, and how long it is.
func (r *reader) read(name string, limit int64) ([]byte, int64, error) {
	buf := make([]byte, min(limit, 64<<10))
	for {
		n, size, err := r.q.Tree.ReadHead(name, buf)
		if err != nil {
			return nil, size, err
		}
		if n < len(buf) || int64(len(buf)) >= limit {
			return buf[:n], max(size, int64(n)), nil
		}
		buf = make([]byte, min(limit, max(size+1, 2*int64(len(buf)))))
	}
}

func reason(err error) string {
	switch {
	case errors.Is(err, vfs.ErrHardLink):
		return "it has a second hard link"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read"
	}
	return ""
}
