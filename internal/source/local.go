package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/vfs"
)

// local reads a directory as is, even if it is a git repository.
func (f *Fetcher) local(ctx context.Context, s Source, _ []string) (*Fetched, error) {
	tree, err := vfs.Open(s.URL, vfs.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{s.Typed, "no such file or directory", "check the path", err}
	}
	if err != nil {
		return nil, &Error{s.Typed, "not a readable directory", "specify a directory, a .zip or a .tar.gz file", err}
	}
	defer tree.Close()
	out, err := Read(ctx, tree)
	if err != nil {
		return nil, &Error{s.Typed, err.Error(), "specify a subdirectory", err}
	}
	return out, nil
}

// Read reads a directory's regular files, except those in .git and node_modules.
func Read(ctx context.Context, tree *vfs.Tree) (*Fetched, error) {
	r := &reader{ctx: ctx, tree: tree, out: &Fetched{}, left: maxBytes}
	return r.out, r.directory(".")
}

// reader adds a directory's regular files to out.
type reader struct {
	ctx  context.Context
	tree *vfs.Tree
	out  *Fetched
	left int64
}

// errTooMany is returned if a source exceeds maxFiles or maxBytes.
var errTooMany = errors.New("source exceeds 20,000 files or 256 MiB")

func (r *reader) directory(dir string) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	entries, more, err := r.tree.ReadDir(dir, maxFiles)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", dir, vfs.WithoutPath(err))
	}
	if more {
		return errTooMany
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case e.Type == vfs.Dir && (e.Name == ".git" || e.Name == "node_modules"):
		case e.Type == vfs.Dir:
			if err := r.directory(name); err != nil {
				return err
			}
		case e.Type == vfs.File:
			data, err := r.tree.ReadFile(name, r.left)
			if errors.Is(err, vfs.ErrTooLarge) {
				return errTooMany
			}
			if err != nil {
				return fmt.Errorf("cannot read %s: %w", name, vfs.WithoutPath(err))
			}
			info, err := r.tree.Info(name)
			if r.left -= int64(len(data)); err != nil || r.left <= 0 || len(r.out.Files) == maxFiles {
				return errTooMany
			}
			r.out.Files = append(r.out.Files, ledger.File{Path: name, Data: data, Executable: info.Mode()&0o111 != 0 && vfs.HasExecBits()})
		default:
			r.out.Omitted = append(r.out.Omitted, Omitted{name, "symlink or special file", false})
		}
	}
	return nil
}

// archive reads a .zip or .tar.gz file from a path or URL.
func (f *Fetcher) archive(ctx context.Context, s Source) (*Fetched, error) {
	var data []byte
	var err error
	if strings.Contains(s.URL, "://") {
		data, err = get(ctx, s.URL, maxBytes)
	} else {
		data, err = vfs.ReadUserFile(s.URL, maxBytes)
	}
	if err != nil {
		return nil, &Error{s.Typed, "cannot be read: " + vfs.WithoutPath(err).Error(), "check the path or URL", err}
	}
	out := &Fetched{Digest: ledger.SHA256(data)}
	if out.Files, err = unpack(data); err != nil {
		return nil, badArchive(s, "archive", err)
	}
	out.Files = withoutTop(out.Files)
	return out, nil
}

// badArchive returns the error for an archive that cannot be unpacked. what is "archive" or
// "package".
func badArchive(s Source, what string, err error) error {
	hint := "ask the author for a valid " + what
	if errors.Is(err, errTooMany) {
		hint = "extract the " + what + ", and specify a subdirectory"
	}
	return &Error{s.Typed, err.Error(), hint, err}
}

// withoutTop removes the top-level directory from the paths if it contains all of the files, as is
// usual in archives of repositories.
func withoutTop(files []ledger.File) []ledger.File {
	top, _, ok := strings.Cut(files[0].Path, "/")
	if !ok {
		return files
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Path, top+"/") {
			return files
		}
	}
	for i := range files {
		files[i].Path = files[i].Path[len(top)+1:]
	}
	return files
}

// unpack returns an archive's regular files. A path outside the archive is an error, because no
// legitimate archive contains one.
func unpack(data []byte) ([]ledger.File, error) {
	u := unpacker{left: maxBytes}
	var err error
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		err = u.zip(data)
	} else {
		err = u.tar(data)
	}
	switch {
	case err != nil:
		return nil, err
	case len(u.files) == 0:
		return nil, errors.New("the archive contains no files")
	}
	return u.files, nil
}

type unpacker struct {
	files []ledger.File
	left  int64
}

func (u *unpacker) zip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("not a valid archive: %w", err)
	}
	for _, f := range z.File {
		if !f.Mode().IsRegular() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("not a valid archive: %w", err)
		}
		err = u.add(f.Name, r, f.Mode())
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) tar(data []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("not a valid archive: %w", err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a valid archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := u.add(h.Name, t, h.FileInfo().Mode()); err != nil {
			return err
		}
	}
}

func (u *unpacker) add(name string, r io.Reader, mode fs.FileMode) error {
	clean := strings.TrimPrefix(name, "./")
	if !fs.ValidPath(clean) || vfs.CheckName(clean) != nil {
		return fmt.Errorf("the archive or index contains the invalid path %q", name)
	}
	data, err := io.ReadAll(io.LimitReader(r, u.left+1))
	if err != nil {
		return fmt.Errorf("not a valid archive: %w", err)
	}
	if u.left -= int64(len(data)); u.left < 0 || len(u.files) == maxFiles {
		return errTooMany
	}
	u.files = append(u.files, ledger.File{Path: clean, Data: data, Executable: mode&0o111 != 0})
	return nil
}
