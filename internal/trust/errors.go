package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// StoreError says why the store can not be used. Nothing is trusted then.
type StoreError struct {
	// Path is the store, or the directory on the way to it that is at fault.
	Path string
	// Problem is what is wrong, to be read after the path.
	Problem string
	// Fix is what the user can do about it.
	Fix string
	// Err is the error of the system behind it, or nil.
	Err error
}

// Error returns "trust store: path problem".
func (e *StoreError) Error() string { return "trust store: " + e.Path + " " + e.Problem }

// Unwrap returns the error of the system.
func (e *StoreError) Unwrap() error { return e.Err }

// Diagnostic returns the error as it is shown.
func (e *StoreError) Diagnostic() diag.Diagnostic {
	return diag.For(e.Path, diag.TrustInvalid, "no consent counts: the directory %s", e.Problem).WithFix("%s", e.Fix)
}

// RecordError says why one record of the store is not believed.
type RecordError struct {
	// Path is the file of the record.
	Path string
	// Problem is what is wrong, to be read after the path.
	Problem string
	// Err is the error behind it, or nil.
	Err error
}

// Error returns "trust record: path problem".
func (e *RecordError) Error() string { return "trust record: " + e.Path + " " + e.Problem }

// Unwrap returns the error behind it.
func (e *RecordError) Unwrap() error { return e.Err }

// Diagnostic returns the error as it is shown.
func (e *RecordError) Diagnostic() diag.Diagnostic {
	return diag.For(e.Path, diag.TrustInvalid, "this consent does not count: the record %s", e.Problem).
		WithFix("remove the file and give the consent again")
}

// LimitError says that a closure is larger than a consent may be. Nobody can
// look through so much, and a part of it is no closure.
type LimitError struct {
	// Path is where the limit was reached, "" where it is the whole closure.
	Path string
	// What is counted: "files", "directories", "bytes" or "bytes of the record".
	What  string
	Limit int64
}

// Error returns "path: more than 4096 files".
func (e *LimitError) Error() string {
	text := fmt.Sprintf("more than %d %s to consent to", e.Limit, e.What)
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	return text
}

// storeError makes of an error of the system one that says what to do.
func storeError(dir string, err error) error {
	var owner *vfs.OwnerError
	var store *StoreError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &store):
		return err
	case errors.As(err, &owner):
		return &StoreError{Path: owner.Path, Problem: owner.Problem, Fix: owner.Fix, Err: err}
	case errors.Is(err, syscall.EROFS):
		return &StoreError{Path: dir, Problem: "is on a read-only file system", Fix: "set another directory for the configuration of the user", Err: err}
	case errors.Is(err, syscall.ENOSPC):
		return &StoreError{Path: dir, Problem: "has no space left on its disk", Fix: "make room on the disk", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &StoreError{Path: dir, Problem: "may not be read or written by this user", Fix: "give the directory to its user, with the mode 0700", Err: err}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &StoreError{Path: dir, Problem: "can not be used: " + err.Error(), Fix: "look at the directory", Err: err}
}
