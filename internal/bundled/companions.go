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

// The bounds of the files beside one skill. What is embedded is far below them; they
// are for what a program brings of its own.
const (
	MaxFiles = 256
	MaxBytes = 8 << 20
)

// HasCompanions reports whether files stand beside the text of a skill.
func HasCompanions(fsys fs.FS, name string) bool {
	entries, err := fs.ReadDir(fsys, name)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != File })
}

// CompanionNames lists the files beside the text of a skill, by path.
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
			return fmt.Errorf("more than %d files stand beside it", MaxFiles)
		}
		list = append(list, p)
		return nil
	})
	return list, err
}

// ReadCompanions reads the files beside the text of a skill.
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
			return nil, fmt.Errorf("the files beside it have more than %d MB", MaxBytes>>20)
		}
		list = append(list, vfs.TempFile{Path: n, Data: data})
	}
	return list, nil
}

// Companions puts the files beside bundled skills where others can read them, each
// skill's once and when it is first asked for, in a scratch directory that goes with
// [Companions.Close]. It is safe for use by many goroutines: however many ask for a
// skill at first, its files are written once.
type Companions struct {
	mu      sync.Mutex
	scratch *vfs.TempDir
	out     map[string]extracted
	closed  bool
	// again numbers directories that are made because another is not as it was.
	again int
	// options are for tests.
	options vfs.TempDirOptions
}

// extracted is where the files of a skill are.
type extracted struct {
	folder, dir string
	files       []vfs.TempFile
}

// errNowhere: no directory is known that is the user's alone.
var errNowhere = errors.New("there is no directory for them: neither a home nor XDG_RUNTIME_DIR or XDG_CACHE_HOME is known")

// Dir returns the absolute directory with the files beside a skill, "" for one that
// has none. At the first call it makes the scratch directory in the first of some
// places where that is possible. Each time it makes sure that all is there as it was
// written, and writes it anew under another name where it is not. With an error
// nothing is there to be used.
func (c *Companions) Dir(fsys fs.FS, name string, places []string) (string, error) {
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
	dir, err := c.write(folder, files, places)
	if err != nil {
		return "", err
	}
	if c.out == nil {
		c.out = map[string]extracted{}
	}
	c.out[name] = extracted{folder, dir, files}
	return dir, nil
}

// write writes a folder, into another scratch directory where the present one is not
// as it was.
func (c *Companions) write(folder string, files []vfs.TempFile, places []string) (string, error) {
	if c.scratch != nil {
		dir, err := c.scratch.Write(folder, files)
		if err == nil || !errors.Is(err, vfs.ErrChanged) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
		_ = c.scratch.Close()
		c.scratch = nil
	}
	err := errNowhere
	for _, place := range places {
		var s *vfs.TempDir
		if s, err = vfs.OpenTempDir(place, c.options); err != nil {
			continue
		}
		_, _ = vfs.SweepTempDirs(place)
		dir, failed := s.Write(folder, files)
		if err = failed; err == nil {
			c.scratch = s
			return dir, nil
		}
		_ = s.Close()
	}
	return "", err
}

// Sweep removes what processes that are gone have left in the places, and returns how
// many directories that were.
func (c *Companions) Sweep(places []string) (removed int) {
	for _, place := range places {
		n, _ := vfs.SweepTempDirs(place)
		removed += n
	}
	return removed
}

// Close removes all that was written. It may be called more than once; afterwards
// nothing is written any more.
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
