package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io/fs"
	"slices"
	"strings"
)

const digestPrefix = "sha256:"

// Digest returns "sha256:" followed by 64 hexadecimal digits. The hash covers the ID and every
// file's path, type, exec bit, length, content and target. The order of the files does not matter.
// Commands and grants are not included; [Store.Check] compares them.
func (c *Closure) Digest() string {
	e := newEncoder("vade closure 1")
	e.id(c.ID)
	files := sortedFiles(c.Files)
	e.number(uint64(len(files)))
	for _, f := range files {
		e.text(f.Path)
		e.number(uint64(typeAndExec(f.Mode)))
		e.number(uint64(f.Size))
		e.text(f.Digest)
		e.text(f.Target)
	}
	return e.sum()
}

// key returns the name of the record for the ID.
func (id ID) key() string {
	e := newEncoder("vade consent 1")
	e.id(id)
	return strings.TrimPrefix(e.sum(), digestPrefix)
}

// compare orders IDs for listings.
func (id ID) compare(other ID) int {
	return cmp.Or(cmp.Compare(id.Project, other.Project), cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Name, other.Name), cmp.Compare(id.Path, other.Path))
}

// encoder hashes values unambiguously: it writes each string's length before the string.
type encoder struct {
	h   hash.Hash
	buf [8]byte
}

// newEncoder hashes the purpose first, so digests for different purposes never match.
func newEncoder(purpose string) *encoder {
	e := &encoder{h: sha256.New()}
	e.text(purpose)
	return e
}

func (e *encoder) number(n uint64) {
	binary.BigEndian.PutUint64(e.buf[:], n)
	e.h.Write(e.buf[:])
}

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.h.Write([]byte(s))
}

func (e *encoder) id(id ID) {
	for _, s := range [...]string{id.Project, id.Kind, id.Name, id.Path} {
		e.text(s)
	}
}

func (e *encoder) sum() string { return digestPrefix + hex.EncodeToString(e.h.Sum(nil)) }

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// typeAndExec returns a file's type and, for a regular file, whether anyone may execute it.
// Approvals ignore all other mode bits.
func typeAndExec(m fs.FileMode) fs.FileMode {
	t := m.Type()
	if t == 0 && m&0o111 != 0 {
		t |= 0o111
	}
	return t
}

// sortedFiles returns the files in the order in which Digest hashes them, without duplicates, and
// sets the values that are derived from their data.
func sortedFiles(files []File) []File {
	list := slices.Clone(files)
	for i := range list {
		f := &list[i]
		f.Mode = typeAndExec(f.Mode)
		if f.Data != nil {
			f.Digest, f.Size = digestOf(f.Data), int64(len(f.Data))
		}
	}
	slices.SortFunc(list, compareFiles)
	return slices.CompactFunc(list, func(a, b File) bool { return compareFiles(a, b) == 0 })
}

func compareFiles(a, b File) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Size, b.Size),
		cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.Target, b.Target))
}
