package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/vfs"
)

// An index with at most maxInMemory definitions reads them on the first search and keeps their
// vectors in memory. A larger index stores the vectors in shards, which are files of about
// shardSize definitions each. Searches read the shards unless [Index.KeepInMemory] is used. When a
// definition changes, only its shard is rewritten.
const (
	maxInMemory = 250
	shardSize   = 1024
	maxShards   = 256
	// maxShard limits the size of a shard, and maxFiles and maxBytes limit all cached shards.
	maxShard = 64 << 20
	maxFiles = 1024
	maxBytes = 512 << 20
)

// entry identifies a definition in a shard.
type entry struct {
	at int
	// key identifies everything that a vector depends on. A file that was modified very recently
	// could change again without getting a different modification time. In that case, key is zero
	// and the vector is not stored.
	key key
}

type key [16]byte

// prepare assigns the definitions to shards. Calls after the first one return the same result.
func (x *Index) prepare(ctx context.Context) ([][]entry, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.shards != nil {
		return x.shards, nil
	}
	shards := make([][]entry, 1<<bits.Len(uint(min(len(x.list)/shardSize, maxShards-1))))
	keys := make([]key, len(x.list))
	if x.dir != "" {
		if err := catalog.Parallel(len(x.list), func(i int) error {
			keys[i] = keyOf(x.list[i])
			return ctx.Err()
		}); err != nil {
			return nil, err
		}
	}
	for i, d := range x.list {
		shard := hash(d.Path()) % uint32(len(shards))
		shards[shard] = append(shards[shard], entry{i, keys[i]})
	}
	x.shards, x.kept = shards, make([]vector, len(x.list))
	return shards, nil
}

func keyOf(d catalog.Definition) (k key) {
	stamp, ok := d.AppendFingerprint(nil)
	if !ok {
		return k
	}
	t := textOf(d)
	sum := sha256.Sum256(fmt.Appendf(stamp, "%d%q%q%q%q", d.Kind(), d.Path(), t.name, t.title, t.description))
	return key(sum[:])
}

// read returns a shard's vectors. If it is interrupted, it stores the vectors created so far before
// it returns.
func (x *Index) read(ctx context.Context, shard int, entries []entry) ([]vector, error) {
	vectors := make([]vector, len(entries))
	if x.recall(entries, vectors) {
		return vectors, nil
	}
	dir, name := x.open(shard, len(x.shards))
	var stored map[key]vector
	if dir != nil {
		defer dir.Close()
		data, _ := dir.Read(name, maxShard)
		stored = decode(data)
	}
	for i, e := range entries {
		if v, ok := stored[e.key]; ok {
			vectors[i] = v
		}
	}
	z, changed := newVectorizer(x.weights), false
	for i, e := range entries {
		if vectors[i] != nil {
			continue
		}
		v := z.vector(ctx, textOf(x.list[e.at]))
		if ctx.Err() != nil {
			// The body may be missing.
			break
		}
		vectors[i] = v
		changed = changed || e.key != key{}
	}
	// If the shard cannot be stored, the next search reads the definitions again.
	if dir != nil && changed && dir.Write(name, encode(entries, vectors), false) == nil && shard == 0 {
		dir.Sweep(maxFiles, maxBytes)
	}
	x.remember(entries, vectors, dir != nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// recall copies the vectors that are in memory to vectors, and reports whether all of them are in
// memory.
func (x *Index) recall(entries []entry, vectors []vector) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := true
	for i, e := range entries {
		vectors[i] = x.kept[e.at]
		all = all && vectors[i] != nil
	}
	return all
}

// remember keeps vectors in memory. It always keeps vectors that are not stored in a file, and
// keeps other vectors if they fit within the limit.
func (x *Index) remember(entries []entry, vectors []vector, stored bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	size := 0
	for i, e := range entries {
		if x.kept[e.at] == nil {
			size += len(vectors[i])
		}
	}
	fits := size <= x.memory
	if fits && stored {
		x.memory -= size
	}
	for i, e := range entries {
		if vectors[i] != nil && (!stored || fits || e.key == (key{})) {
			x.kept[e.at] = vectors[i]
		}
	}
}

// open opens the cache directory, and returns it with the name of a shard's file. If there is no
// cache, it returns nil.
func (x *Index) open(shard, shards int) (*vfs.PrivateDir, string) {
	if x.dir == "" {
		return nil, ""
	}
	dir, err := vfs.MakePrivate(x.dir)
	if err != nil {
		return nil, ""
	}
	c := x.list[0].Catalog()
	scope := sha256.Sum256(fmt.Appendf(nil, "%q%q", c.ProjectDir(), c.Profile.Name))
	return dir, fmt.Sprintf("%x-%d-%d", scope[:12], shards, shard)
}

// The first line of a file is the format version. A checksum of the rest follows it.
const first = "vade search 1\n"

// encode formats a shard: the format version, a checksum (4 bytes), and then the key and the
// content of each vector.
func encode(entries []entry, vectors []vector) []byte {
	var b bytes.Buffer
	b.WriteString(first + "\x00\x00\x00\x00")
	for i, e := range entries {
		if e.key == (key{}) || vectors[i] == nil {
			continue
		}
		b.Write(e.key[:])
		b.Write(vectors[i])
	}
	putChecksum(b.Bytes())
	return b.Bytes()
}

func putChecksum(data []byte) { binary.LittleEndian.PutUint32(data[len(first):], checksum(data)) }

func checksum(data []byte) uint32 {
	return crc32.Checksum(data[len(first)+4:], crc32.MakeTable(crc32.Castagnoli))
}

// decode returns the vectors in a shard, or nil if the data is not valid.
func decode(data []byte) map[key]vector {
	if len(data) < len(first)+4 || string(data[:len(first)]) != first ||
		checksum(data) != binary.LittleEndian.Uint32(data[len(first):]) {
		return nil
	}
	stored := map[key]vector{}
	for data = data[len(first)+4:]; len(data) > 0; {
		if len(data) < len(key{})+vectorHead {
			return nil
		}
		k, v := key(data), vector(data[len(key{}):])
		n := vectorHead + 5*v.size()
		if v.size() > maxVector || n > len(v) {
			return nil
		}
		stored[k], data = v[:n], v[n:]
	}
	return stored
}
