package remote

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/vfs"
)

// The bounds of a cache: its files, and what they hold together.
const (
	maxCached      = 4096
	maxCachedBytes = 256 << 20
)

// Cache keeps what was read and verified, in a directory of the user alone, each
// file under its digest. It is no place where definitions are looked for, and what
// is in it is hashed again each time: a file that was changed is not there.
type Cache struct{ dir string }

// OpenCache returns the cache in dir, an absolute path. It creates nothing.
func OpenCache(dir string) *Cache { return &Cache{dir} }

// Dir returns its directory.
func (c *Cache) Dir() string { return c.dir }

// get returns what has a digest and a length, if it is there unchanged.
func (c *Cache) get(digest string, size int64) ([]byte, bool) {
	if c == nil || !validDigest(digest) {
		return nil, false
	}
	root, err := c.open()
	if err != nil {
		return nil, false
	}
	defer root.Close()
	name := strings.TrimPrefix(digest, "sha256:")
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return nil, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, size+1))
	if err != nil || int64(len(data)) != size || Digest(data) != digest {
		return nil, false
	}
	return data, true
}

// put keeps data. That it can not be kept costs time later and nothing else.
func (c *Cache) put(digest string, data []byte) error {
	if c == nil || !validDigest(digest) {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	root, err := c.open()
	if err != nil {
		return err
	}
	defer root.Close()
	c.sweep(root)
	var random [12]byte
	rand.Read(random[:])
	temp := ".tmp-" + hex.EncodeToString(random[:])
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, strings.TrimPrefix(digest, "sha256:"))
	}
	if err != nil {
		root.Remove(temp)
	}
	return err
}

// open opens the directory where it is one of the user alone.
func (c *Cache) open() (*os.Root, error) {
	info, err := os.Lstat(c.dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("is not a directory")
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
		return nil, errors.New("was replaced meanwhile")
	}
	return root, nil
}

// sweep removes the oldest files where there are too many, and what was left by
// processes that were ended in the middle.
func (c *Cache) sweep(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(4 * maxCached)
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if strings.HasPrefix(e.Name(), ".tmp-") {
			if time.Since(info.ModTime()) > time.Hour {
				root.Remove(e.Name())
			}
			continue
		}
		files = append(files, info)
		total += info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for len(files) >= maxCached || total > maxCachedBytes {
		if root.Remove(files[0].Name()) != nil {
			return
		}
		total -= files[0].Size()
		files = files[1:]
	}
}
