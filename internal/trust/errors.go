package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

// StoreError explains why the store cannot be used. Nothing counts as approved
// until the problem is fixed.
type StoreError struct {
	// Path is the path of the store, or of the directory above it that causes the error.
	Path string
	// Problem describes the error. It is a clause that follows the path, such as "is not a
	// directory".
	Problem string
	// Fix tells the user what to do.
	Fix string
	// Err is the underlying system error, or nil.
	Err error
}

func (e *StoreError) Error() string { return "trust store: " + e.Path + " " + e.Problem }

func (e *StoreError) Unwrap() error { return e.Err }

// Diagnostic returns the error as a diagnostic.
func (e *StoreError) Diagnostic() diag.Diagnostic {
	return diag.For(e.Path, diag.TrustInvalid, "approvals cannot be used: this path %s", e.Problem).WithFix("%s", e.Fix)
}

// RecordError explains why a record in the store is not valid.
type RecordError struct {
	// Path is the record's file.
	Path string
	// Problem describes the error as a clause that follows the path.
	Problem string
	// Err is the underlying error, or nil.
	Err error
}

func (e *RecordError) Error() string { return "trust record: " + e.Path + " " + e.Problem }

func (e *RecordError) Unwrap() error { return e.Err }

// Diagnostic returns the error as a diagnostic.
func (e *RecordError) Diagnostic() diag.Diagnostic {
	return diag.For(e.Path, diag.TrustInvalid, "this approval is not valid: the record %s", e.Problem).
		WithFix("delete the file and approve the definition again with vade trust")
}

// LimitError is the error for a closure that is too large to approve. Nobody can review that much
// content, and approving only part of it would not be safe.
type LimitError struct {
	// Path is the file or directory at which the limit was exceeded, or "" if the closure as a
	// whole exceeds the limit.
	Path string
	// What names the unit: "files", "directories", "bytes" or "bytes in the record".
	What  string
	Limit int64
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("too large to approve: more than %d %s", e.Limit, e.What)
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	return text
}

// newStoreError converts a system error to a *StoreError with a fix.
func newStoreError(dir string, err error) error {
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
		return &StoreError{Path: dir, Problem: "is on a read-only file system", Fix: "set XDG_STATE_HOME to a writable directory", Err: err}
	case errors.Is(err, syscall.ENOSPC):
		return &StoreError{Path: dir, Problem: "is on a full disk", Fix: "free some disk space", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &StoreError{Path: dir, Problem: "is not readable and writable by this user", Fix: "change the directory's owner to this user and its mode to 0700", Err: err}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &StoreError{Path: dir, Problem: "cannot be used: " + err.Error(), Fix: "check the directory", Err: err}
}
