package auditcache

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/vfs"
)

// The bounds of a cache: how many files it keeps, and how long one is.
const (
	maxKept   = 4096
	maxRecord = 256 << 10
)

const (
	tempPrefix = ".tmp-"
	// leftover is the age after which a file that was never finished belongs to a
	// process that is gone.
	leftover = time.Hour
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
	e := newEncoder("vade verdict of 1")
	for _, s := range [...]string{kind, layer, file} {
		e.text(s)
	}
	return strings.TrimPrefix(e.sum(), "sha256:")
}

// ErrNotBelieved: what is there was not written for what is asked, or not by Vade.
var ErrNotBelieved = errors.New("is not the verdict of an audit")

// Get returns the verdict that is kept for an ID, whatever content it is of; nil where
// there is none. The error says why there may be one that is not believed.
func (c *Cache) Get(id string) (*Verdict, error) {
	root, err := c.open()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close()
	data, err := readPrivate(root, id, filepath.Join(c.dir, id))
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
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	root, err := c.open()
	if err != nil {
		return err
	}
	if root == nil {
		return &fs.PathError{Op: "open", Path: c.dir, Err: fs.ErrNotExist}
	}
	defer root.Close()
	var random [12]byte
	rand.Read(random[:])
	temp := tempPrefix + hex.EncodeToString(random[:])
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, id)
	}
	if err != nil {
		root.Remove(temp)
		return err
	}
	// The first byte says whether it is time to look how many there are.
	if random[0] < 8 {
		sweep(root)
	}
	return nil
}

// open opens the directory where it is one of the user alone; nil where there is none.
func (c *Cache) open() (*os.Root, error) {
	info, err := os.Lstat(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: c.dir, Err: vfs.ErrNotDirectory}
	}
	if err := vfs.Private(c.dir, info); err != nil {
		return nil, err
	}
	if err := vfs.UserOnly(c.dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, &fs.PathError{Op: "open", Path: c.dir, Err: vfs.ErrChanged}
	}
	return root, nil
}

func readPrivate(root *os.Root, name, path string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: vfs.ErrNotRegular}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// What is opened is what is judged.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := vfs.Private(path, info); err != nil {
		return nil, err
	}
	data := make([]byte, min(info.Size(), maxRecord)+1)
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	if n > maxRecord {
		err = vfs.ErrTooLarge
	}
	return data[:n], err
}

// sweep removes the oldest files where there are too many, and what was left by
// processes that were ended in the middle.
func sweep(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	infos, err := dir.Readdir(16 * maxKept)
	dir.Close()
	if err != nil && len(infos) == 0 {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	many := len(infos) - maxKept
	for _, info := range infos {
		old := strings.HasPrefix(info.Name(), tempPrefix) && time.Since(info.ModTime()) > leftover
		if info.Mode().IsRegular() && (old || many > 0) {
			if root.Remove(info.Name()) == nil {
				many--
			}
		}
	}
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
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v.Findings); err != nil {
			return nil, err
		}
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
	severity, known := audit.ParseSeverity(cmp.Or(word, "?"))
	if word == audit.Clean.String() {
		severity, known = audit.Clean, true
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
