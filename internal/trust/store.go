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

// Store is the directory of the user's consents. It holds nothing open and
// looks anew each time, so that a consent that another process gives or takes
// back counts at once. It is safe for use by many goroutines and processes.
type Store struct{ dir string }

// Open returns the store in dir, an absolute path. It creates nothing; a
// directory that is not there is an empty store. One that is there has to be a
// real directory of the user's own with no rights for others, below directories
// that nobody else can change: else a *StoreError says what to do. Owners and
// rights are not checked on Windows.
func Open(dir string) (*Store, error) {
	s := &Store{filepath.Clean(dir)}
	if !filepath.IsAbs(s.dir) {
		return nil, &StoreError{Path: dir, Problem: "is not an absolute path", Fix: "give the path from the root"}
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

// Dir returns the directory of the store.
func (s *Store) Dir() string { return s.dir }

// Check says whether the user consented to exactly this closure, its commands
// and its grants. The record is that of the last consent to the same ID, nil
// for None. With an error, a *StoreError or a *RecordError, the state is None.
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

// Give records the consent to a closure, in the place of an earlier one to the
// same ID, and returns when it is on the disk. The directory is created where
// it is not there. It fails with a *StoreError or a *LimitError, and leaves
// what was there before.
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
		return nil, storeError(s.dir, err)
	}
	defer dir.Close()
	dir.Sweep(0, 0)
	if err := dir.Write(c.ID.key()+recordSuffix, data, true); err != nil {
		return nil, storeError(s.dir, err)
	}
	return r, nil
}

// within fails where a closure is larger than a consent may be, or has names or
// commands that a record cannot hold.
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
		return &fs.PathError{Op: "consent to", Path: c.ID.Path, Err: fmt.Errorf("%q is not UTF-8", texts[i])}
	}
	return nil
}

// Revoke takes back the consent to an ID, also where its record is broken. It
// reports whether there was one.
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
		return false, storeError(s.dir, err)
	}
	return true, nil
}

// open checks the directory and opens it. It returns nil where there is none.
func (s *Store) open() (*vfs.PrivateDir, error) {
	dir, err := vfs.OpenPrivate(s.dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	return nil, storeError(s.dir, err)
}
