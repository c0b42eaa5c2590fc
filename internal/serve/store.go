package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/vadehq/vade/internal/catalog"
)

// ErrNoFile is the error of [Store.Files] and [Store.ReadFile] for what a skill
// has not.
var ErrNoFile = errors.New("no such file")

// Store is what is served at one moment: it does not change, and another takes
// its place when a file does. It is safe for use by many goroutines.
type Store interface {
	// Generation tells stores apart: a later one has a higher number.
	Generation() uint64
	// Skills returns the skills that are offered, in the order of their URIs. The
	// slice belongs to the store and must not be changed.
	Skills() []Skill
	// Skill returns the skill of a URI, which ends with /SKILL.md.
	Skill(uri string) (Skill, bool)
	// Frontmatter returns the fields of a skill's file as a JSON object, the keys
	// and values as they are written.
	Frontmatter(ctx context.Context, s Skill) (json.RawMessage, error)
	// Files returns every file of a skill, SKILL.md among them, by path. more says
	// that there are others above limit, which then are not returned.
	Files(ctx context.Context, s Skill, limit int) (files []File, more bool, err error)
	// ReadFile reads one file of a skill by its path in the skill; it fails where
	// the file is longer than limit bytes.
	ReadFile(ctx context.Context, s Skill, path string, limit int64) ([]byte, error)
}

// Skill is one skill of a store.
type Skill struct {
	// URI is that of its SKILL.md: skill://SCOPE/NAME/SKILL.md, where SCOPE is the
	// layer and, where it has one, the plugin or the directory.
	URI string
	d   catalog.Definition
}

// Name is the name that its author wrote, or else the one that it is loaded by.
func (s Skill) Name() string { return cmp.Or(s.d.FieldName(), s.d.Name()) }

// Description is that of the listing.
func (s Skill) Description() string { return s.d.Description() }

// ModelInvocable reports whether a model may load it by itself.
func (s Skill) ModelInvocable() bool { return s.d.ModelInvocable() }

// File is one file of a skill.
type File struct {
	// Path is below the skill's directory, with forward slashes.
	Path string
	Size int64
	// Info has the time of the last change, which with the size tells whether a
	// digest is still that of the file.
	Info fs.FileInfo
}
