package remote

import (
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// Limits on a cache's file count and total size.
const (
	maxCached      = 4096
	maxCachedBytes = 256 << 20
)

// Cache stores verified files, named by their digests, in a directory that only
// the user can access. Definitions are never discovered there. Files are hashed
// again on each read, so modified files are ignored.
type Cache struct{ dir string }

// OpenCache returns the cache in dir, which must be an absolute path. It does not create dir.
func OpenCache(dir string) *Cache { return &Cache{dir} }

// Dir returns the cache's directory.
func (c *Cache) Dir() string { return c.dir }

// get returns the data with the given digest and size if it is cached and unmodified.
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

// put caches data. Callers may ignore the error, because the data can be downloaded again.
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
