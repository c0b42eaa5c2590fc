// Package publish makes skills ready for those who read them over a wire: the
// entry of a skill with the digest and the size of each of its files, and an index
// of skills for the web. It serves no protocol of its own and opens no file: what
// it needs comes through a [Source].
package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/vadehq/vade/internal/lazyregexp"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// The limits of one skill: that many files, of that many bytes together. A server
// should not give out more, and no client has to take more (documented: the stable
// specification of the skills extension, ext-skills@0682b7b).
const (
	MaxResources = 512
	MaxBytes     = 16 << 20
)

// Main is the file that a skill begins with.
const Main = "SKILL.md"

// ErrNoFile is the error of a [Source] for what a skill has not.
var ErrNoFile = errors.New("no such file")

// File is one file of a skill.
type File struct {
	// Path is below the skill's directory, with forward slashes.
	Path string
	Size int64
	// Info tells whether the file is still the one that was read before. Without it
	// the file is read each time.
	Info fs.FileInfo
}

// Source gives the files of skills, which are named by the URI of their SKILL.md. It
// is used by many goroutines at once.
type Source interface {
	// Files returns all files of a skill. more says that there are others above
	// limit.
	Files(ctx context.Context, uri string, limit int) (files []File, more bool, err error)
	// ReadFile reads one of them. It fails where it is longer than limit bytes.
	ReadFile(ctx context.Context, uri, path string, limit int64) ([]byte, error)
}

// Resource is one file of a skill as others check it.
type Resource struct {
	URI string `json:"uri"`
	// Digest is "sha256:" and the hash of the file in small letters, Size its length
	// in bytes.
	Digest string `json:"digest"`
	Size   int64  `json:"size"`

	// Path is below the skill's directory. Executable: its owner may run it.
	Path       string `json:"-"`
	Executable bool   `json:"-"`
}

// Entry is one skill with everything that it is made of.
type Entry struct {
	// URI is that of SKILL.md.
	URI string `json:"uri"`
	// Frontmatter are the fields as they stand in the file; name and description are
	// always there.
	Frontmatter json.RawMessage `json:"frontmatter"`
	// Resources are all files, SKILL.md first and then by path.
	Resources []Resource `json:"resources"`

	// Name and Description are those of the frontmatter.
	Name        string `json:"-"`
	Description string `json:"-"`
}

// Bytes is the length of all files together.
func (e *Entry) Bytes() int64 {
	var n int64
	for i := range e.Resources {
		n += e.Resources[i].Size
	}
	return n
}

// Resource returns the file of a path.
func (e *Entry) Resource(path string) (Resource, bool) {
	for i := range e.Resources {
		if e.Resources[i].Path == path {
			return e.Resources[i], true
		}
	}
	return Resource{}, false
}

// Refused is the error for a skill that is not given out, with the reason.
type Refused struct{ Diagnostic diag.Diagnostic }

func (r *Refused) Error() string { return r.Diagnostic.Message }

func refuse(uri string, code diag.Code, fix, format string, args ...any) error {
	return &Refused{diag.For(uri, code, format, args...).WithFix("%s", fix)}
}

var namePattern = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Named reports whether a name is one that a skill can be given out under: 1 to 64
// lowercase letters, digits and single hyphens, none of them at an end (documented: the
// Agent Skills specification; the extension's URIs and the web index ask for it).
func Named(name string) bool { return len(name) <= 64 && namePattern().MatchString(name) }

// head fills in what SKILL.md says.
func (e *Entry) head(data []byte) error {
	var err error
	if e.Frontmatter, err = frontmatter.Verbatim(data); err != nil {
		return refuse(e.URI, diag.PublishFrontmatter, "write its frontmatter as plain YAML between two lines of \"---\"; see: vade check",
			"the skill is not given out: its frontmatter does not read the same everywhere: %v", err)
	}
	// A map keeps to the keys as they are written, which a struct does not.
	var fields map[string]any
	_ = json.Unmarshal(e.Frontmatter, &fields)
	e.Name, _ = fields["name"].(string)
	e.Description, _ = fields["description"].(string)
	switch {
	case e.Name == "":
		return refuse(e.URI, diag.PublishName, "write the name of its directory as name: in its frontmatter", "the skill is not given out: its frontmatter has no name")
	case !Named(e.Name):
		return refuse(e.URI, diag.PublishName, "use small letters, digits and single hyphens, 64 at most",
			"the skill is not given out: its name %q is none that every client takes", e.Name)
	case e.Name != lastName(e.URI):
		return refuse(e.URI, diag.PublishName, "let the name be the one that it is listed under",
			"the skill is not given out: its name %q is not the one of its URI", e.Name)
	case e.Description == "":
		return refuse(e.URI, diag.PublishFrontmatter, "say in description: what it is for", "the skill is not given out: its frontmatter has no description")
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
