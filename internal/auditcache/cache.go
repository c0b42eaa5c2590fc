package auditcache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// Limits on the number of files in a cache and on the size of each.
const (
	maxKept   = 4096
	maxRecord = 256 << 10
)

// Cache is a directory of stored verdicts. It does not keep files open, and is safe for concurrent
// use by goroutines and processes because it replaces files atomically.
type Cache struct{ dir string }

// Open returns the cache in dir, which must be an absolute path. It does not create the directory.
func Open(dir string) *Cache { return &Cache{filepath.Clean(dir)} }

// Dir returns the cache's directory.
func (c *Cache) Dir() string { return c.dir }

// ID returns a package's file name in the cache, derived from its kind, layer and path.
func ID(kind, layer, file string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "vade verdict of 2 %q %q %q", kind, layer, file)))
}

// ErrInvalid is the error for a cache file that Vade did not write or that was written for a
// different ID.
var ErrInvalid = errors.New("is not a valid audit verdict")

// Get returns the verdict stored for an ID, or nil if there is none. The caller must check that the
// verdict's key is the current one. If a verdict is stored but cannot be used, the error says why.
func (c *Cache) Get(id string) (*Verdict, error) {
	dir, err := vfs.OpenPrivate(c.dir)
	var data []byte
	if err == nil {
		defer dir.Close()
		data, err = dir.Read(id, maxRecord)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := parse(id, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(c.dir, id), err)
	}
	return v, nil
}

// Put stores a verdict for an ID, replacing an earlier one. It creates the directory if necessary.
// If the verdict is too large to store, Put does nothing and returns nil.
func (c *Cache) Put(id string, v *Verdict) error {
	data, err := encode(id, v)
	if err != nil || len(data) > maxRecord {
		return err
	}
	dir, err := vfs.MakePrivate(c.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	// Occasionally remove the oldest files.
	if rand.IntN(32) == 0 {
		dir.Sweep(maxKept, 0)
	}
	return dir.Write(id, data, false)
}

// A file's first line is the format version, and its last line shows that the file is complete.
const first, last = "vade verdict 1", "end"

// encode formats a verdict as lines of text: the format version, the ID, the key, the severity
// followed by "whole" or "part" for the completeness, the findings as JSON, and the end marker. If
// there are no findings, their line is omitted.
func encode(id string, v *Verdict) ([]byte, error) {
	completeness := "part"
	if v.Complete {
		completeness = "whole"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n%s\n%s %s\n", first, id, v.Key, v.Severity, completeness)
	if len(v.Findings) > 0 {
		data, err := jsonc.Marshal(v.Findings, "")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s\n", data)
	}
	b.WriteString(last + "\n")
	return b.Bytes(), nil
}

// parse parses the verdict for an ID. It accepts only what encode writes.
func parse(id string, data []byte) (*Verdict, error) {
	lines := strings.Split(string(data), "\n")
	if n := len(lines); n < 6 || n > 7 || lines[0] != first || lines[1] != id || lines[n-2] != last || lines[n-1] != "" {
		return nil, ErrInvalid
	}
	v := &Verdict{Key: lines[2]}
	word, completeness, _ := strings.Cut(lines[3], " ")
	severity, known := rules.ParseSeverity(cmp.Or(word, "?"))
	if word == rules.Clean.String() {
		severity, known = rules.Clean, true
	}
	if !known || completeness != "whole" && completeness != "part" {
		return nil, ErrInvalid
	}
	v.Severity, v.Complete = severity, completeness == "whole"
	if len(lines) == 7 {
		d := json.NewDecoder(strings.NewReader(lines[4]))
		d.DisallowUnknownFields()
		if err := d.Decode(&v.Findings); err != nil || d.More() || len(v.Findings) == 0 {
			return nil, ErrInvalid
		}
	}
	if !v.valid() {
		return nil, ErrInvalid
	}
	return v, nil
}
