package trust

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/vadehq/vade/internal/vfs"
)

// Source is a file or directory to include in a closure.
type Source struct {
	// Tree and Name specify the file or directory. A directory includes everything below it.
	Tree *vfs.Tree
	Name string
	// Data is the content if it was already read. It takes precedence over the file, so the file
	// cannot change between reading and approval. If it is nil, the file is read from the tree.
	Data []byte
	// Path is the name of a source with Data but without a Tree. If Tree is set, Path is ignored,
	// and the file's resolved path is used instead.
	Path string
}

// Sources specifies the contents of a closure.
type Sources struct {
	ID ID
	// Definition is the definition's file.
	Definition Source
	// Files are the files that the definition refers to, and the directory that contains its
	// companion files.
	Files            []Source
	Commands, Grants []string
}

// Collect reads all files in a closure, even hidden and protected ones. For a symlink, it includes
// the target path. If the target is in a tree that the symlink's tree allows, it also includes the
// target's content. For FIFOs, sockets and devices, it includes only the type and does not open
// them.
//
// Collect fails if it cannot read a file, or if a file has more than one hard link where the tree
// forbids it. If the closure exceeds MaxFiles or MaxBytes, the error is a *LimitError. Collect
// never returns a partial closure.
//
// The files in the result are sorted. Data that was set in a source is kept. Other files have Data
// only if they are at most MaxText bytes long and the total, starting with the definition, is at
// most MaxTexts.
func Collect(ctx context.Context, s Sources) (*Closure, error) {
	c := &collector{
		ctx: ctx, seen: map[string]bool{}, left: MaxBytes, texts: MaxTexts,
		out: Closure{ID: s.ID, Commands: slices.Clone(s.Commands), Grants: slices.Clone(s.Grants)},
	}
	for _, source := range append([]Source{s.Definition}, s.Files...) {
		c.todo = append(c.todo, source)
		for len(c.todo) > 0 {
			next := c.todo[len(c.todo)-1]
			c.todo = c.todo[:len(c.todo)-1]
			if err := c.visit(next); err != nil {
				return nil, collectError(next, err)
			}
		}
	}
	slices.SortFunc(c.out.Files, compareFiles)
	return &c.out, nil
}

// collectError adds the file's complete path to the error.
func collectError(s Source, err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		limit.Path = s.path()
		return limit
	}
	return &fs.PathError{Op: "approve", Path: s.path(), Err: vfs.WithoutPath(err)}
}

func (s Source) path() string {
	if s.Tree == nil {
		return s.Path
	}
	return s.Tree.RealPath(s.Name)
}

// collector collects the files in a closure. It holds the sources that it has yet to visit, and how
// much of each limit is left.
type collector struct {
	ctx   context.Context
	out   Closure
	todo  []Source
	seen  map[string]bool
	dirs  int
	left  int64
	texts int
}

func (c *collector) visit(s Source) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	path := s.path()
	if c.seen[path] {
		return nil
	}
	c.seen[path] = true
	if s.Tree == nil {
		return c.content(s, File{Path: path})
	}
	info, err := s.Tree.Info(s.Name)
	if errors.Is(err, vfs.ErrLink) {
		return c.follow(s)
	}
	if err != nil {
		return err
	}
	switch f := (File{Path: path, Mode: typeAndExec(info.Mode())}); {
	case info.IsDir():
		return c.directory(s)
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(s, f)
	case !info.Mode().IsRegular():
		return c.add(f)
	default:
		return c.content(s, f)
	}
}

func (c *collector) add(f File) error {
	if len(c.out.Files) >= MaxFiles {
		return &LimitError{What: "files", Limit: MaxFiles}
	}
	if c.left -= f.Size; c.left < 0 {
		return &LimitError{What: "bytes", Limit: MaxBytes}
	}
	c.out.Files = append(c.out.Files, f)
	return nil
}

// directory pushes the directory's entries onto todo, so they are visited next and in order.
func (c *collector) directory(s Source) error {
	if c.dirs++; c.dirs > MaxFiles {
		return &LimitError{What: "directories", Limit: MaxFiles}
	}
	entries, more, err := s.Tree.ReadDir(s.Name, MaxFiles)
	if err != nil {
		return err
	}
	// todo may hold up to MaxFiles files and MaxFiles directories.
	if more || len(c.todo)+len(entries) > 2*MaxFiles {
		return &LimitError{What: "files", Limit: MaxFiles}
	}
	for _, e := range slices.Backward(entries) {
		name := e.Name
		if s.Name != "." {
			name = s.Name + "/" + name
		}
		c.todo = append(c.todo, Source{Tree: s.Tree, Name: name})
	}
	return nil
}

// link adds the symlink itself and pushes its target onto todo.
func (c *collector) link(s Source, f File) error {
	target, err := s.Tree.Readlink(s.Name)
	if err != nil {
		return err
	}
	f.Target = target
	if err := c.add(f); err != nil {
		return err
	}
	err = c.follow(s)
	if errors.Is(err, vfs.ErrOutside) || errors.Is(err, vfs.ErrLoop) || errors.Is(err, fs.ErrNotExist) {
		// The target is missing, part of a loop or outside the allowed trees, so include only its
		// path.
		return nil
	}
	return err
}

func (c *collector) follow(s Source) error {
	tree, name, err := s.Tree.Resolve(s.Name)
	if err == nil {
		c.todo = append(c.todo, Source{Tree: tree, Name: name, Data: s.Data})
	}
	return err
}

// content adds a regular file and its content.
func (c *collector) content(s Source, f File) error {
	if s.Data != nil || s.Tree == nil {
		f.Data = slices.Concat([]byte{}, s.Data)
		f.Digest, f.Size = digestOf(f.Data), int64(len(f.Data))
		c.texts -= min(len(f.Data), c.texts)
		return c.add(f)
	}
	h, err := s.Tree.OpenFile(s.Name)
	if err != nil {
		return err
	}
	defer h.Close()
	// Use the mode of the file that was opened, in case another one replaced it.
	info, err := h.Stat()
	if err != nil {
		return err
	}
	f.Mode = typeAndExec(info.Mode())
	if err := c.read(h, info.Size(), &f); err != nil {
		return err
	}
	return c.add(f)
}

// read sets the file's digest and size and, if the file is short, its data.
func (c *collector) read(r io.Reader, size int64, f *File) error {
	if size > c.left {
		return &LimitError{What: "bytes", Limit: MaxBytes}
	}
	// Read one byte more than allowed to detect a file that grows while it is being read.
	r = io.LimitReader(untilDone{c.ctx, r}, c.left+1)
	var head bytes.Buffer
	head.Grow(int(min(size, MaxText)) + bytes.MinRead)
	if _, err := head.ReadFrom(io.LimitReader(r, MaxText+1)); err != nil {
		return err
	}
	h := sha256.New()
	h.Write(head.Bytes())
	rest, err := io.Copy(h, r)
	if err != nil {
		return err
	}
	f.Digest, f.Size = digestPrefix+hex.EncodeToString(h.Sum(nil)), int64(head.Len())+rest
	if head.Len() <= min(MaxText, c.texts) {
		f.Data = head.Bytes()
		if f.Data == nil {
			f.Data = []byte{}
		}
		c.texts -= len(f.Data)
	}
	return nil
}

// untilDone is a reader that fails once its context is done.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
