package remote

import (
	"strings"

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
	dir, err := vfs.OpenPrivate(c.dir)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	data, err := dir.Read(strings.TrimPrefix(digest, "sha256:"), size)
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
	dir, err := vfs.MakePrivate(c.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	dir.Sweep(maxCached-1, maxCachedBytes)
	return dir.Write(strings.TrimPrefix(digest, "sha256:"), data, false)
}
