package trust

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

const recordSuffix = ".json"

// read returns a record, or nil if it does not exist. If the record is invalid,
// the error is a *RecordError.
func (s *Store) read(dir *vfs.PrivateDir, key string) (*Record, error) {
	name := key + recordSuffix
	path := filepath.Join(s.dir, name)
	data, err := dir.Read(name, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		var r *Record
		if r, err = parseRecord(key, data); err == nil {
			return r, nil
		}
		return nil, &RecordError{Path: path, Problem: err.Error(), Err: err}
	}
	problem := "cannot be read: " + err.Error()
	var owner *vfs.OwnerError
	var reason *fs.PathError
	switch {
	case errors.As(err, &owner):
		problem = owner.Problem
	case errors.As(err, &reason):
		problem = "cannot be read: " + reason.Err.Error()
	}
	return nil, &RecordError{Path: path, Problem: problem, Err: err}
}

// List returns the approvals sorted by ID, without the stored texts. For each
// file that is not a valid record, it returns a diagnostic.
func (s *Store) List() ([]Record, []diag.Diagnostic, error) {
	dir, err := s.open()
	if dir == nil {
		return nil, nil, err
	}
	defer dir.Close()
	entries, more, err := dir.Names()
	if err != nil {
		return nil, nil, newStoreError(s.dir, err)
	}
	var list []Record
	var found []diag.Diagnostic
	if more {
		found = append(found, diag.For(s.dir, diag.TrustInvalid, "too many files; the list is incomplete"))
	}
	for _, name := range entries {
		r, err := s.listed(dir, name)
		if err != nil {
			found = append(found, err.Diagnostic())
		} else if r != nil {
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return a.ID.compare(b.ID) })
	return list, found, nil
}

// listed reads a record for a listing. It returns nil if another process has removed the record.
func (s *Store) listed(dir *vfs.PrivateDir, name string) (*Record, *RecordError) {
	key, ok := strings.CutSuffix(name, recordSuffix)
	if !ok || !isKey(key) {
		return nil, &RecordError{Path: filepath.Join(s.dir, name), Problem: "has an invalid name"}
	}
	r, err := s.read(dir, key)
	if err != nil {
		var broken *RecordError
		errors.As(err, &broken)
		return nil, broken
	}
	if r == nil {
		return nil, nil
	}
	for i := range r.Files {
		r.Files[i].Data = nil
	}
	return r, nil
}

func isKey(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
