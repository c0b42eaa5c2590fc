package bundled

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/vadehq/vade/internal/vfs"
)

// Limits on one skill's companion files. The embedded skills are far below these limits, which
// exist because a program can pass in another file system.
const (
	MaxFiles = 256
	MaxBytes = 8 << 20
)

// HasCompanions reports whether a skill has companion files, which are files
// other than its SKILL.md.
func HasCompanions(fsys fs.FS, name string) bool {
	entries, err := fs.ReadDir(fsys, name)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != File })
}

// CompanionNames lists the paths of a skill's companion files.
func CompanionNames(fsys fs.FS, name string) ([]string, error) {
	sub, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, err
	}
	var list []string
	err = fs.WalkDir(sub, ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() || p == File:
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%s: %w", p, vfs.ErrNotRegular)
		case len(list) == MaxFiles:
			return fmt.Errorf("more than %d companion files", MaxFiles)
		}
		list = append(list, p)
		return nil
	})
	return list, err
}

// ReadCompanions reads a skill's companion files.
func ReadCompanions(fsys fs.FS, name string) ([]vfs.TempFile, error) {
	names, err := CompanionNames(fsys, name)
	if err != nil {
		return nil, err
	}
	var list []vfs.TempFile
	left := int64(MaxBytes)
	for _, n := range names {
		f, err := fsys.Open(name + "/" + n)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(f, left+1))
		f.Close()
		if err != nil {
			return nil, err
		}
		if left -= int64(len(data)); left < 0 {
			return nil, fmt.Errorf("companion files larger than %d MiB in total", MaxBytes>>20)
		}
		list = append(list, vfs.TempFile{Path: n, Data: data})
	}
	return list, nil
}

// Companions writes bundled skills' companion files to a temporary directory,
// so agents can read them. Each skill's files are written on first use and
// removed by [Companions.Close]. Companions is safe for concurrent use.
type Companions struct {
	mu      sync.Mutex
	scratch *vfs.TempDir
	out     map[string]extracted
	closed  bool
	// again is the number of directories created so far to replace modified ones.
	again int
	// options is the zero value except in tests.
	options vfs.TempDirOptions
}

// extracted records where a skill's files were written.
type extracted struct {
	folder, dir string
	files       []vfs.TempFile
}

// errNowhere is returned if no private directory is known in which to create the files.
var errNowhere = errors.New("no directory for companion files; set HOME or XDG_CACHE_HOME to a directory outside the project")

// Dir returns the absolute path of the directory that holds a skill's companion files, or "" if the
// skill has none. On the first call, Dir creates a temporary directory in one of the parents,
// trying them in order. Each call verifies the files and, if they were modified, writes them again
// to a directory with a different name.
func (c *Companions) Dir(fsys fs.FS, name string, parents []string) (string, error) {
	if !HasCompanions(fsys, name) {
		return "", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", vfs.ErrClosed
	}
	known, there := c.out[name]
	if there && c.scratch != nil && c.scratch.Verify(known.folder, known.files) == nil {
		return known.dir, nil
	}
	files := known.files
	if !there {
		var err error
		if files, err = ReadCompanions(fsys, name); err != nil {
			return "", err
		}
	}
	folder := name
	if there {
		c.again++
		folder = fmt.Sprintf("%s-%d", name, c.again)
	}
	dir, err := c.write(folder, files, parents)
	if err != nil {
		return "", err
	}
	if c.out == nil {
		c.out = map[string]extracted{}
	}
	c.out[name] = extracted{folder, dir, files}
	return dir, nil
}

// write writes a skill's files to a folder in the temporary directory. If someone else has modified
// the temporary directory, write creates another one.
func (c *Companions) write(folder string, files []vfs.TempFile, parents []string) (string, error) {
	if c.scratch != nil {
		dir, err := c.scratch.Write(folder, files)
		if err == nil || !errors.Is(err, vfs.ErrChanged) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
		_ = c.scratch.Close()
		c.scratch = nil
	}
	err := errNowhere
	for _, parent := range parents {
		var s *vfs.TempDir
		if s, err = vfs.OpenTempDir(parent, c.options); err != nil {
			continue
		}
		_, _ = vfs.SweepTempDirs(parent)
		dir, failed := s.Write(folder, files)
		if err = failed; err == nil {
			c.scratch = s
			return dir, nil
		}
		_ = s.Close()
	}
	return "", err
}

// Sweep removes the temporary directories in parents that terminated processes left behind, and
// returns the number of directories removed.
func (c *Companions) Sweep(parents []string) (removed int) {
	for _, parent := range parents {
		n, _ := vfs.SweepTempDirs(parent)
		removed += n
	}
	return removed
}

// Close removes all written files. It may be called more than once. Later calls to Dir fail.
func (c *Companions) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.scratch == nil {
		return nil
	}
	err := c.scratch.Close()
	c.scratch, c.out = nil, nil
	return err
}
