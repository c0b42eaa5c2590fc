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

// The bounds of a cache: how many files it keeps, and how long one is.
const (
	maxKept   = 4096
	maxRecord = 256 << 10
)

// Cache is the directory of the verdicts. It holds nothing open, and is safe for use
// by many goroutines and processes: a file is replaced in one step.
type Cache struct{ dir string }

// Open returns the cache in dir, an absolute path. It creates nothing.
func Open(dir string) *Cache { return &Cache{filepath.Clean(dir)} }

// Dir returns the directory.
func (c *Cache) Dir() string { return c.dir }

// ID names the file of a package: by its kind and its place.
func ID(kind, layer, file string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "vade verdict of 2 %q %q %q", kind, layer, file)))
}

// ErrNotBelieved: what is there was not written for what is asked, or not by Vade.
var ErrNotBelieved = errors.New("is not the verdict of an audit")

// Get returns the verdict that is kept for an ID, whatever content it is of; nil where
// there is none. The error says why there may be one that is not believed.
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

// Put keeps a verdict for an ID in the place of an earlier one. The directory is made
// where it is not there.
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
	// Now and then it looks how many there are.
	if rand.IntN(32) == 0 {
		dir.Sweep(maxKept, 0)
	}
	return dir.Write(id, data, false)
}

// The first line of a file says what it is; its last that it is whole.
const first, last = "vade verdict 1", "end"

// encode writes a verdict: a line each for what it is, whose and of what, and the
// findings as JSON. A verdict without findings is read without it.
func encode(id string, v *Verdict) ([]byte, error) {
	whole := "part"
	if v.Complete {
		whole = "whole"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n%s\n%s %s\n", first, id, v.Key, v.Severity, whole)
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

// parse reads what encode has written, and nothing else.
func parse(id string, data []byte) (*Verdict, error) {
	lines := strings.Split(string(data), "\n")
	if n := len(lines); n < 6 || n > 7 || lines[0] != first || lines[1] != id || lines[n-2] != last || lines[n-1] != "" {
		return nil, ErrNotBelieved
	}
	v := &Verdict{Key: lines[2]}
	word, whole, _ := strings.Cut(lines[3], " ")
	severity, known := rules.ParseSeverity(cmp.Or(word, "?"))
	if word == rules.Clean.String() {
		severity, known = rules.Clean, true
	}
	if !known || whole != "whole" && whole != "part" {
		return nil, ErrNotBelieved
	}
	v.Severity, v.Complete = severity, whole == "whole"
	if len(lines) == 7 {
		d := json.NewDecoder(strings.NewReader(lines[4]))
		d.DisallowUnknownFields()
		if err := d.Decode(&v.Findings); err != nil || d.More() || len(v.Findings) == 0 {
			return nil, ErrNotBelieved
		}
	}
	if !v.valid() {
		return nil, ErrNotBelieved
	}
	return v, nil
}
