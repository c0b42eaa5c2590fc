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

// maxDigested is the maximum size in bytes of a file for which a digest is computed. It applies to
// files that are too large for the audit to read in full.
const maxDigested = 256 << 20

// Sums holds the digests of a package and its files. Packages with equal digests are identical.
type Sums struct {
	// Files maps paths to file digests. Files that cannot be read in full are absent.
	Files map[string]string
	// Whole covers all file names, file contents and symlink targets. It is "" if any part was not
	// read, because that part could change without changing the digest.
	Whole string
}

// Of returns a file's digest. If path names a missed file or a file inside an
// archive, Of returns the digest of the whole package.
func (s *Sums) Of(path string) string { return cmp.Or(s.Files[path], s.Whole) }

// Digests returns the digests of a package that was read from tree, or of a package in memory if
// tree is nil. It must be called before the audit, because the audit adds unpacked files to the
// package.
func Digests(tree *vfs.Tree, dir string, p *signal.Package) *Sums {
	s := &Sums{Files: map[string]string{}}
	complete := true
	var lines []string
	for _, f := range p.Files {
		sum := sha256.Sum256(f.Raw)
		text := hex.EncodeToString(sum[:])
		if f.Size > int64(len(f.Raw)) {
			text = digestFile(tree, path.Join(dir, f.Path), f.Size)
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
			lines = append(lines, fmt.Sprintf("missed %s %d %q %q\n", m.Reason, m.Size, m.Path, m.Note))
			// The content of an unread part does not affect the digest, so the part could change
			// without being noticed. For a symlink, the digest covers the target.
			complete = complete && m.Reason == signal.MissedLink
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

// digestFile returns the digest of a file whose content is only partly in memory. It returns "" if
// the file cannot be read.
func digestFile(tree *vfs.Tree, name string, size int64) string {
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
