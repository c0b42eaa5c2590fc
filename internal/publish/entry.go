// Package publish prepares skills for distribution. It builds entries with each file's digest and
// size, and sites with a web index of skills. It reads skill files only through a [Source].
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

// The limits on the number of files in a skill and on their total size in bytes. According to the
// stable specification of the skills extension (ext-skills@0682b7b), servers should not offer
// larger skills, and clients need not accept them.
const (
	MaxResources = 512
	MaxBytes     = 16 << 20
)

// Main is a skill's main file.
const Main = "SKILL.md"

// ErrNoFile is the error that a [Source] returns for a skill or file that does not exist.
var ErrNoFile = errors.New("no such file")

// File is one of a skill's files.
type File struct {
	// Path is relative to the skill's directory and slash-separated.
	Path string
	Size int64
	// Info is used to detect changes to the file. If nil, the file is read every time.
	Info fs.FileInfo
}

// Source provides skill files. A skill is identified by the URI of its
// SKILL.md. Implementations must be safe for concurrent use.
type Source interface {
	// Files returns up to limit files from a skill. more reports whether the skill has more files.
	Files(ctx context.Context, uri string, limit int) (files []File, more bool, err error)
	// ReadFile reads a skill's file. It fails if the file is longer than limit bytes.
	ReadFile(ctx context.Context, uri, path string, limit int64) ([]byte, error)
}

// Resource is a skill's file with the data needed to verify it.
type Resource struct {
	URI string `json:"uri"`
	// Digest is "sha256:" followed by the file's hash in lowercase hex. Size is in bytes.
	Digest string `json:"digest"`
	Size   int64  `json:"size"`

	// Path is relative to the skill's directory. Executable reports whether the
	// file's owner may run it.
	Path       string `json:"-"`
	Executable bool   `json:"-"`
}

// Entry holds a skill and its list of files.
type Entry struct {
	// URI is the URI of SKILL.md.
	URI string `json:"uri"`
	// Frontmatter holds the fields exactly as in the file. It always includes name and
	// description.
	Frontmatter json.RawMessage `json:"frontmatter"`
	// Resources lists all files, SKILL.md first, then sorted by path.
	Resources []Resource `json:"resources"`

	// Name and Description come from the frontmatter.
	Name        string `json:"-"`
	Description string `json:"-"`
}

// Bytes returns the total size of the entry's files.
func (e *Entry) Bytes() int64 {
	var n int64
	for i := range e.Resources {
		n += e.Resources[i].Size
	}
	return n
}

// Resource returns the file with the given path.
func (e *Entry) Resource(path string) (Resource, bool) {
	for i := range e.Resources {
		if e.Resources[i].Path == path {
			return e.Resources[i], true
		}
	}
	return Resource{}, false
}

// NotPublishableError is the error for a skill that cannot be published.
type NotPublishableError struct{ Diagnostic diag.Diagnostic }

func (r *NotPublishableError) Error() string { return r.Diagnostic.Message }

func notPublishable(uri string, code diag.Code, fix, format string, args ...any) error {
	return &NotPublishableError{diag.For(uri, code, format, args...).WithFix("%s", fix)}
}

var namePattern = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidName reports whether a skill can be published under a name. The Agent Skills specification
// requires 1 to 64 lowercase letters, digits and single hyphens, with no hyphen at the start or
// end. The URIs of the skills extension and the web index have the same requirement.
func ValidName(name string) bool { return len(name) <= 64 && namePattern().MatchString(name) }

// readFrontmatter sets the fields that come from SKILL.md.
func (e *Entry) readFrontmatter(data []byte) error {
	var err error
	if e.Frontmatter, err = frontmatter.Verbatim(data); err != nil {
		return notPublishable(e.URI, diag.PublishFrontmatter,
			"use plain YAML for the frontmatter, between two \"---\" lines; run vade check for details",
			"skill not published: not every client can read its frontmatter: %v", err)
	}
	// Unlike a struct, a map matches keys case-sensitively.
	var fields map[string]any
	_ = json.Unmarshal(e.Frontmatter, &fields)
	e.Name, _ = fields["name"].(string)
	e.Description, _ = fields["description"].(string)
	switch {
	case e.Name == "":
		return notPublishable(e.URI, diag.PublishName, "add a name field that contains the name of the skill's directory",
			"skill not published: its frontmatter has no name")
	case !ValidName(e.Name):
		return notPublishable(e.URI, diag.PublishName, "use up to 64 lowercase letters, digits and single hyphens",
			"skill not published: some clients do not accept the name %q", e.Name)
	case e.Name != nameOf(e.URI):
		return notPublishable(e.URI, diag.PublishName, "change the name field to match the URI",
			"skill not published: the name %q differs from the name in its URI", e.Name)
	case e.Description == "":
		return notPublishable(e.URI, diag.PublishFrontmatter, "add a description that says when to use the skill",
			"skill not published: its frontmatter has no description")
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
