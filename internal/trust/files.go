package trust

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/vfs"
)

const (
	recordSuffix = ".json"
	tempPrefix   = ".tmp-"
	// leftover is the age after which a file that was never finished belongs
	// to a process that is gone.
	leftover = time.Hour
	// maxRecords is how many names of the directory are looked at.
	maxRecords = 100_000
)

// read returns a record, nil where there is none, and a *RecordError where
// there is one that is not believed.
func (s *Store) read(root *os.Root, key string) (*Record, error) {
	name := key + recordSuffix
	path := filepath.Join(s.dir, name)
	data, err := readPrivate(root, name, path)
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
	problem := "can not be read: " + err.Error()
	var owner *vfs.OwnerError
	if errors.As(err, &owner) {
		problem = owner.Problem
	}
	return nil, &RecordError{Path: path, Problem: problem, Err: err}
}

func readPrivate(root *os.Root, name, path string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &vfs.OwnerError{Path: path, Problem: vfs.ErrNotRegular.Error()}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The file may be another one by now: what is opened is what is judged.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := vfs.Private(path, info); err != nil {
		return nil, err
	}
	if info.Size() > maxRecord {
		return nil, vfs.ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err == nil && len(data) > maxRecord {
		err = vfs.ErrTooLarge
	}
	return data, err
}

// replace puts data in the place of a file. Whoever reads it meanwhile, and
// whatever ends the process, sees the old file or the new one.
func replace(root *os.Root, name string, data []byte) error {
	var random [12]byte
	rand.Read(random[:])
	temp := tempPrefix + hex.EncodeToString(random[:])
	if err := write(root, temp, data); err != nil {
		root.Remove(temp)
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		root.Remove(temp)
		return err
	}
	return syncDir(root)
}

func write(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir puts the names of the directory on the disk, where the system can.
func syncDir(root *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// sweep removes what processes left that were ended in the middle. What can
// not be removed is harmless: nothing reads it.
func sweep(root *os.Root, before time.Time) {
	entries, _, err := names(root)
	if err != nil {
		return
	}
	for _, name := range entries {
		if !strings.HasPrefix(name, tempPrefix) {
			continue
		}
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			root.Remove(name)
		}
	}
}

// names returns the names in the store in their order, and whether there are
// more than are looked at.
func names(root *os.Root) ([]string, bool, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	list, err := dir.Readdirnames(maxRecords + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	slices.Sort(list)
	return list[:min(len(list), maxRecords)], len(list) > maxRecords, nil
}

// List returns the consents in the order of their ID, without the texts that
// were kept, and a diagnostic for each file that is no valid record.
func (s *Store) List() ([]Record, []diag.Diagnostic, error) {
	root, err := s.open()
	if root == nil {
		return nil, nil, err
	}
	defer root.Close()
	entries, more, err := names(root)
	if err != nil {
		return nil, nil, storeError(s.dir, err)
	}
	var list []Record
	var found []diag.Diagnostic
	if more {
		found = append(found, diag.For(s.dir, diag.TrustInvalid, "more than %d files; the others are not listed", maxRecords))
	}
	for _, name := range entries {
		if strings.HasPrefix(name, tempPrefix) {
			continue
		}
		r, err := s.listed(root, name)
		if err != nil {
			found = append(found, err.Diagnostic())
		} else if r != nil {
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return a.ID.compare(b.ID) })
	return list, found, nil
}

// listed reads the record of a file name for a listing. A record that another
// process removed meanwhile is nil.
func (s *Store) listed(root *os.Root, name string) (*Record, *RecordError) {
	key, ok := strings.CutSuffix(name, recordSuffix)
	if !ok || !isKey(key) {
		return nil, &RecordError{Path: filepath.Join(s.dir, name), Problem: "has not the name of a record"}
	}
	r, err := s.read(root, key)
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
