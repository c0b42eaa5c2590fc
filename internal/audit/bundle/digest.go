package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/vfs"
)

// maxDigested is the longest file of which the whole is digested although only its
// beginning was read.
const maxDigested = 256 << 20

// Sums are the digests of a package: equal digests mean equal packages.
type Sums struct {
	// Files are those of its files by their paths. One that cannot be read to its end
	// has none.
	Files map[string]string
	// Whole is that of all its files with their names, and of where its symlinks lead; ""
	// where a part was not read, which then may change as it likes.
	Whole string
}

// Of is the digest of the file of a path. Of what is no file of the package, but packed
// in one or missed, it is that of the whole package.
func (s *Sums) Of(path string) string { return cmp.Or(s.Files[path], s.Whole) }

// Digests returns the digests of a package that was read from a directory of a tree, or
// from nowhere, where tree is nil. It is to be asked before an audit, which adds to the
// package what it unpacks.
func Digests(tree *vfs.Tree, dir string, p *signal.Package) *Sums {
	s := &Sums{Files: map[string]string{}}
	complete := true
	var lines []string
	for _, f := range p.Files {
		sum := sha256.Sum256(f.Raw)
		text := hex.EncodeToString(sum[:])
		if f.Size > int64(len(f.Raw)) {
			text = streamed(tree, path.Join(dir, f.Path), f.Size)
		}
		if text == "" {
			complete = false
			continue
		}
		s.Files[f.Path] = "sha256:" + text
		lines = append(lines, fmt.Sprintf("%s  %v %q\n", text, f.Exec, f.Path))
	}
	for _, m := range p.Missed {
		if s.Files[m.Path] == "" {
			lines = append(lines, fmt.Sprintf("missed %s %d %q %q\n", m.Why, m.Size, m.Path, m.Note))
			// What was not read may change as it likes.
			complete = complete && m.Why == signal.MissedLink
		}
	}
	if !complete {
		return s
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	s.Whole = "sha256:" + hex.EncodeToString(sum[:])
	return s
}

// streamed is the digest of a file that was not read to its end, "" where it cannot
// be.
func streamed(tree *vfs.Tree, name string, size int64) string {
	if tree == nil || size > maxDigested {
		return ""
	}
	tree, name, err := tree.Resolve(name)
	if err != nil {
		return ""
	}
	f, err := tree.OpenFile(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(f, maxDigested)); err != nil || n != size {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
