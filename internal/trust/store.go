package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/vfs"
)

// Store is the directory that holds the user's approvals. It does not cache anything, so approvals
// and revocations by other processes take effect immediately. It is safe for concurrent use by
// goroutines and processes.
type Store struct{ dir string }

// Open returns the store in dir, an absolute path. It does not create the directory; a missing
// directory is an empty store. An existing store must be a directory, not a symlink. It must belong
// to the user and be inaccessible to others, and only trusted users may be able to change its
// parent directories. Otherwise the error is a *StoreError. Owners and permissions are not checked
// on Windows.
func Open(dir string) (*Store, error) {
	s := &Store{filepath.Clean(dir)}
	if !filepath.IsAbs(s.dir) {
		return nil, &StoreError{Path: dir, Problem: "is not an absolute path", Fix: "use an absolute path"}
	}
	found, err := s.open()
	if err != nil {
		return nil, err
	}
	if found != nil {
		found.Close()
	}
	return s, nil
}

func (s *Store) Dir() string { return s.dir }

// Check reports whether the user approved exactly this closure with its commands and grants. It
// also returns the last approval for the same ID, or nil. If Check fails, the state is None and the
// error is a *StoreError or a *RecordError.
func (s *Store) Check(c *Closure) (State, *Record, error) {
	dir, err := s.open()
	if dir == nil {
		return None, nil, err
	}
	defer dir.Close()
	r, err := s.read(dir, c.ID.key())
	switch {
	case r == nil:
		return None, nil, err
	case r.covers(c):
		return Trusted, r, nil
	}
	return Changed, r, nil
}

// Give approves a closure, replacing any earlier approval for the same ID, and returns once the
// approval is on disk. It creates the directory if necessary. If Give fails, the earlier approval
// remains. The error is a *StoreError, a *LimitError, or an *fs.PathError for text that is not
// valid UTF-8.
func (s *Store) Give(c *Closure, now time.Time) (*Record, error) {
	if err := c.within(); err != nil {
		return nil, err
	}
	r := newRecord(c, now)
	data, err := r.encode()
	if err != nil {
		return nil, err
	}
	dir, err := vfs.MakePrivate(s.dir)
	if err != nil {
		return nil, newStoreError(s.dir, err)
	}
	defer dir.Close()
	dir.Sweep(0, 0)
	if err := dir.Write(c.ID.key()+recordSuffix, data, true); err != nil {
		return nil, newStoreError(s.dir, err)
	}
	return r, nil
}

// within returns an error if the closure is too large to approve, or contains
// names or commands that a record cannot store.
func (c *Closure) within() error {
	if len(c.Files) > MaxFiles {
		return &LimitError{Path: c.ID.Path, What: "files", Limit: MaxFiles}
	}
	left := int64(MaxBytes)
	for _, f := range c.Files {
		if left -= max(f.Size, int64(len(f.Data))); left < 0 {
			return &LimitError{Path: f.Path, What: "bytes", Limit: MaxBytes}
		}
	}
	texts := slices.Concat([]string{c.ID.Project, c.ID.Kind, c.ID.Name, c.ID.Path}, c.Commands, c.Grants)
	for _, f := range c.Files {
		texts = append(texts, f.Path, f.Target)
	}
	if i := slices.IndexFunc(texts, func(s string) bool { return !utf8.ValidString(s) }); i >= 0 {
		return &fs.PathError{Op: "approve", Path: c.ID.Path, Err: fmt.Errorf("%q is not valid UTF-8", texts[i])}
	}
	return nil
}

// Revoke removes the approval for an ID, even if its record is invalid. It
// reports whether an approval existed.
func (s *Store) Revoke(id ID) (bool, error) {
	dir, err := s.open()
	if dir == nil {
		return false, err
	}
	defer dir.Close()
	switch err := dir.Remove(id.key() + recordSuffix); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, newStoreError(s.dir, err)
	}
	return true, nil
}

// open checks and opens the directory. It returns nil if the directory does not exist.
func (s *Store) open() (*vfs.PrivateDir, error) {
	dir, err := vfs.OpenPrivate(s.dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	return nil, newStoreError(s.dir, err)
}
