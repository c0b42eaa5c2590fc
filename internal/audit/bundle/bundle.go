// Package bundle reads a definition and all its files for an audit. It opens no pipes or devices
// and follows symlinks only to targets that the tree allows. Anything beyond a limit is reported
// instead of read.
package bundle

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/document"
	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits for one package: the number of bytes read from each file and from all files, the number of
// directory entries, and the nesting depth.
const (
	MaxFile  = 2 << 20
	MaxBytes = 32 << 20
	// MaxFiles is the maximum number of directory entries in a package. It bounds the time spent on
	// packages with many empty files.
	MaxFiles  = MaxBytes / entryCost
	entryCost = 1024
	maxDepth  = 32
	// headSize is the number of bytes read from a binary file larger than MaxFile.
	headSize = 8 << 10
)

// Request selects what to read.
type Request struct {
	Name  string
	Kind  definition.Kind
	Layer definition.Layer
	// Tree contains the package, and Main is the definition's file in it. Dir is the directory that
	// holds the definition's companion files, or "" if it has none.
	Tree      *vfs.Tree
	Main, Dir string
	// Data is the content of Main, if already read.
	Data []byte
	// Skip reports whether to skip a file or directory in Dir because it belongs to another
	// package. If Skip is nil, nothing is skipped.
	Skip func(name string) bool
	// VersionControl reports whether a directory belongs to version control. Read lists
	// such directories without reading them.
	VersionControl func(name string) bool
}

// Read reads a package. It returns an error only if the definition's own file cannot be read or ctx
// is done. Anything else that cannot be read is recorded as missed.
func Read(ctx context.Context, q Request) (*signal.Package, error) {
	if q.Skip == nil {
		q.Skip = func(string) bool { return false }
	}
	r := reader{ctx: ctx, q: q, bytesLeft: MaxBytes}
	r.out = &signal.Package{Name: q.Name, Kind: q.Kind, Layer: q.Layer, Bare: q.Main == ""}
	if q.Main != "" {
		if err := r.readMain(); err != nil {
			return nil, err
		}
	}
	if q.Dir != "" {
		r.directory(&entry{tree: q.Tree, name: q.Dir})
	}
	own := len(r.out.Files)
	for _, x := range append(r.priority, r.rest...) {
		if ctx.Err() != nil {
			break
		}
		r.content(x.entry, x.info)
	}
	slices.SortFunc(r.out.Files[own:], func(a, b *signal.File) int { return strings.Compare(a.Path, b.Path) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.out, nil
}

// entry is a file or directory: name is its location in the tree, and path is its path in the
// package. They differ if the entry was reached through a symlink.
type entry struct {
	tree       *vfs.Tree
	name, path string
	parent     *entry
	depth      int
}

// child returns the entry with the given name in a directory.
func (at *entry) child(name string) *entry {
	return &entry{at.tree, path.Join(at.name, name), path.Join(at.path, name), at, at.depth + 1}
}

// contains reports whether at contains other or any of the directories and symlinks through which
// other was reached.
func (at *entry) contains(other *entry) bool {
	real := at.tree.RealPath(at.name)
	for ; other != nil; other = other.parent {
		now := other.tree.RealPath(other.name)
		if now == real || strings.HasPrefix(now, strings.TrimSuffix(real, "/")+"/") {
			return true
		}
	}
	return false
}

type reader struct {
	ctx       context.Context
	q         Request
	out       *signal.Package
	bytesLeft int64
	files     int
	// priority lists files that an agent runs or reads. They are read before all others, so that
	// they are not skipped if large data files use up the byte limit.
	priority, rest []pending
}

// pending is a file that has not been read yet.
type pending struct {
	*entry
	info fs.FileInfo
}

func (r *reader) readMain() error {
	at := &entry{tree: r.q.Tree, name: r.q.Main, path: strings.TrimPrefix(r.q.Main, r.q.Dir+"/")}
	if r.q.Dir == "" {
		at.path = path.Base(r.q.Main)
	}
	x := &signal.File{Path: at.path, Raw: r.q.Data, Size: int64(len(r.q.Data))}
	if x.Raw == nil {
		var err error
		if x.Raw, x.Size, err = r.read(at, MaxFile); err != nil {
			return err
		}
	}
	if x.Size > int64(len(x.Raw)) {
		r.miss(at, x.Size, signal.MissedTooLarge, "only the beginning was read")
	}
	r.out.Files = append(r.out.Files, x)
	r.bytesLeft -= int64(len(x.Raw))
	return nil
}

func (r *reader) miss(at *entry, size int64, reason signal.Reason, note string) {
	r.out.Missed = append(r.out.Missed, signal.Missed{Path: at.path, Size: size, Reason: reason, Note: note})
}

// directory lists a directory recursively.
func (r *reader) directory(at *entry) {
	if r.ctx.Err() != nil || r.files > MaxFiles {
		return
	}
	if at.depth > maxDepth {
		r.miss(at, 0, signal.MissedTooMany, signal.TooDeep)
		return
	}
	list, more, err := at.tree.ReadDirInfo(at.name, MaxFiles+1)
	if err != nil {
		r.miss(at, 0, signal.MissedUnreadable, "")
		return
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	var dirs []*entry
	for _, info := range list {
		child := at.child(info.Name())
		if at.tree == r.q.Tree && (child.name == r.q.Main || r.q.Skip(child.name)) {
			continue
		}
		if r.files++; r.files > MaxFiles {
			r.miss(child, 0, signal.MissedTooMany, "this entry and all entries after it were not read")
			return
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, target := r.followLink(child)
			if to == nil {
				continue
			}
			child, info = to, target
		}
		switch {
		case info.IsDir() && r.q.VersionControl != nil && r.q.VersionControl(child.name):
			r.miss(child, 0, signal.MissedVersionControl, "")
		case info.IsDir():
			dirs = append(dirs, child)
		default:
			list := &r.rest
			if signal.CodeName(child.path) || strings.EqualFold(path.Ext(child.path), ".md") {
				list = &r.priority
			}
			*list = append(*list, pending{child, info})
		}
	}
	if more {
		r.miss(at, 0, signal.MissedTooMany, "the directory has too many entries to read")
	}
	for _, d := range dirs {
		r.directory(d)
	}
}

// followLink follows a symlink and returns its target as if it were at the symlink's path. If the
// tree does not allow the target, or if the target is a secret or a directory that contains the
// symlink, followLink records the symlink as missed and returns nil.
func (r *reader) followLink(link *entry) (*entry, fs.FileInfo) {
	target, err := link.tree.Readlink(link.name)
	if err != nil {
		r.missError(link, 0, err)
		return nil, nil
	}
	tree, name, err := link.tree.Resolve(link.name)
	if err == nil && !isSecretName(target) && !isSecretName(name) {
		to := &entry{tree, name, link.path, link.parent, link.depth}
		if info, err := tree.Info(name); err == nil && !(info.IsDir() && to.contains(link.parent)) {
			return to, info
		}
	}
	note := signal.LeadsTo + target
	if errors.Is(err, vfs.ErrOutside) {
		note = signal.LeadsOutside + target
	}
	r.miss(link, 0, signal.MissedLink, note)
	return nil, nil
}

// isSecretName reports whether a file name indicates that the file contains secrets. Findings must
// not show text from such a file.
func isSecretName(name string) bool { return known.Secret(known.Path(name)) }

// content reads a file. If a binary file is larger than MaxFile, content reads only the beginning,
// which is enough to identify the format.
func (r *reader) content(at *entry, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		r.miss(at, 0, signal.MissedSpecial, "")
		return
	}
	if r.bytesLeft <= 0 {
		r.miss(at, info.Size(), signal.MissedTooLarge, "the package is too large")
		return
	}
	head, size, err := r.read(at, min(MaxFile, r.bytesLeft))
	if err != nil {
		r.missError(at, info.Size(), err)
		return
	}
	if size > int64(len(head)) {
		if document.IsText(head) {
			r.miss(at, size, signal.MissedTooLarge, "only the beginning was read")
		} else {
			head = slices.Clone(head[:min(len(head), headSize)])
		}
	}
	r.bytesLeft -= int64(len(head))
	f := &signal.File{Path: at.path, Raw: head, Size: size, Exec: info.Mode()&0o111 != 0}
	r.out.Files = append(r.out.Files, f)
}

// read returns the first limit bytes of a file, or all of it if it is shorter, and the file's full
// length.
func (r *reader) read(at *entry, limit int64) ([]byte, int64, error) {
	buf := make([]byte, min(limit, 64<<10))
	n, size, err := at.tree.ReadHead(at.name, buf)
	if err == nil && n == len(buf) && size > int64(n) && int64(n) < limit {
		buf = make([]byte, min(limit, size))
		n, size, err = at.tree.ReadHead(at.name, buf)
	}
	return buf[:n], max(size, int64(n)), err
}

func (r *reader) missError(at *entry, size int64, err error) {
	why, note := signal.MissedUnreadable, ""
	var e *fs.PathError
	switch {
	case errors.Is(err, vfs.ErrHardLink):
		why, note = signal.MissedHardLink, "another hard link to the file may be outside the package"
	case errors.Is(err, vfs.ErrNotRegular):
		why = signal.MissedSpecial
	case errors.As(err, &e):
		note = e.Err.Error()
	}
	r.miss(at, size, why, note)
}
