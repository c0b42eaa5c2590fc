// Package ledger reads and writes the files in which Vade and other installers record what they
// installed, and computes the digests in those files.
//
// Vade's own record is .vade/lock.yaml. For installed skills Vade also writes skills-lock.json, so
// npx skills and tools that read that file keep working. Vade only reads the ToolHive and APM
// ledgers and the provenance that gh skill writes into SKILL.md.
package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/vfs"
)

// Path is the path of Vade's ledger, relative to the project root or the home directory.
const Path = ".vade/lock.yaml"

const (
	maxBytes   = 16 << 20
	version    = 1
	fileHeader = "# Definitions installed by vade add. Do not edit; see: vade help add\n"
)

// Lock is a ledger's content. The zero value is an empty ledger.
type Lock struct {
	Version     int       `yaml:"version"`
	Definitions []*Record `yaml:"definitions"`
	// Unknown holds keys that later releases of Vade added without changing the version.
	Unknown map[string]any `yaml:",inline"`
}

// Record is an installed definition.
type Record struct {
	Name string `yaml:"name" json:"name"`
	Kind string `yaml:"kind" json:"kind"`
	// Source is the source as the user typed it, except that a local path is made relative to the
	// ledger's directory.
	Source string `yaml:"source" json:"source"`
	// Type is "github", "gitlab", "git", "local", "archive", "npm" or "well-known".
	Type string `yaml:"type" json:"type"`
	// URL is the URL that the definition was fetched from. Ref is the branch or tag that the user
	// named, and Commit is the commit that Ref pointed to at that time. Digest is the SHA-256 of an
	// archive, or the digest listed in a website's index.
	URL    string `yaml:"url,omitempty" json:"url,omitempty"`
	Ref    string `yaml:"ref,omitempty" json:"ref,omitempty"`
	Commit string `yaml:"commit,omitempty" json:"commit,omitempty"`
	Digest string `yaml:"digest,omitempty" json:"digest,omitempty"`
	// Tag reports whether Ref is a tag, which should never move. Pinned reports whether the user
	// specified Ref with --pin, in which case updates keep Ref.
	Tag    bool `yaml:"tag,omitempty" json:"tag,omitempty"`
	Pinned bool `yaml:"pinned,omitempty" json:"pinned,omitempty"`
	// Signer is the identity that the ledger in the source names. Vade does not verify it.
	Signer string `yaml:"signer,omitempty" json:"signer,omitempty"`
	// Hosts are the hosts that the definition was installed for.
	Hosts []string `yaml:"hosts,omitempty" json:"hosts,omitempty"`
	// Main is the path of the definition's file in the source. Original is the SHA-256 of that
	// file. It is "" for skills, which are installed unchanged.
	Main     string `yaml:"main" json:"main"`
	Original string `yaml:"original,omitempty" json:"original,omitempty"`
	// Dir is the directory that contains the installed files, relative to the ledger's directory.
	// It is "." for everything except skills. Files maps the files' paths, relative to Dir, to
	// their SHA-256 digests.
	Dir   string            `yaml:"dir" json:"dir"`
	Files map[string]string `yaml:"files" json:"files"`
	// Before holds the digests of the previous version's files. It is set only while a command is
	// replacing that version.
	Before map[string]string `yaml:"before,omitempty" json:"-"`
	// Links maps the paths of symlinks that lead to Dir to the symlinks' targets.
	Links map[string]string `yaml:"links,omitempty" json:"links,omitempty"`

	Unknown map[string]any `yaml:",inline" json:"-"`
}

// Read reads a directory's ledger and also returns the file's content. If the file does not exist,
// Read returns an empty ledger and nil content.
func Read(tree *vfs.Tree) (*Lock, []byte, error) {
	data, err := tree.ReadFile(Path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{Version: version}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", Path, vfs.WithoutPath(err))
	}
	l, err := Parse(data)
	return l, data, err
}

// Parse parses a ledger. If this program does not know the ledger's version,
// the error wraps [ErrVersion].
func Parse(data []byte) (*Lock, error) {
	l := &Lock{}
	if err := frontmatter.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("%s: cannot be parsed: %w", Path, err)
	}
	if l.Version != version {
		return nil, fmt.Errorf("%s: %w %d; this version of Vade reads %d", Path, ErrVersion, l.Version, version)
	}
	for _, r := range l.Definitions {
		if r == nil || r.Name == "" || r.Dir == "" || len(r.Files) == 0 {
			return nil, fmt.Errorf("%s: an entry is missing its name, dir or files", Path)
		}
		for _, p := range append(slices.Collect(maps.Keys(r.Links)), r.Dir) {
			if !fs.ValidPath(p) || p == "." && r.Kind == "skill" {
				return nil, fmt.Errorf("%s: %s: invalid path %q", Path, r.Name, p)
			}
		}
		for p := range r.Files {
			if !fs.ValidPath(p) || p == "." {
				return nil, fmt.Errorf("%s: %s: invalid path %q", Path, r.Name, p)
			}
		}
	}
	return l, nil
}

// Get returns a definition's record, or nil.
func (l *Lock) Get(kind, name string) *Record {
	i := slices.IndexFunc(l.Definitions, func(r *Record) bool { return r.Name == name && r.Kind == kind })
	if i < 0 {
		return nil
	}
	return l.Definitions[i]
}

// HasLink reports whether the ledger records a symlink at a path. It returns false for a nil
// ledger.
func (l *Lock) HasLink(at string) bool {
	return l != nil && slices.ContainsFunc(l.Definitions, func(r *Record) bool { return r.Links[at] != "" })
}

// HasFile reports whether the ledger records a file at a path that belongs to a definition other
// than a skill.
func (l *Lock) HasFile(at string) bool {
	return slices.ContainsFunc(l.Definitions, func(r *Record) bool { return r.Dir == "." && r.Files[at] != "" })
}

// Hosts returns the hosts for which definitions were installed. It returns nil for a nil ledger.
func (l *Lock) Hosts() (list []string) {
	if l == nil {
		return nil
	}
	for _, r := range l.Definitions {
		list = append(list, r.Hosts...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// With returns a copy of the ledger with r in place of any existing record for the same definition.
func (l *Lock) With(r *Record) *Lock {
	next := l.Without(r.Kind, r.Name)
	next.Definitions = append(next.Definitions, r)
	slices.SortFunc(next.Definitions, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return next
}

// Without returns a copy of the ledger without a definition's record.
func (l *Lock) Without(kind, name string) *Lock {
	next := *l
	next.Version = version
	next.Definitions = slices.DeleteFunc(slices.Clone(l.Definitions), func(r *Record) bool { return r.Name == name && r.Kind == kind })
	return &next
}

// Format returns the file's content. Equal records produce equal bytes.
func (l *Lock) Format() ([]byte, error) {
	data, err := frontmatter.Marshal(l)
	if err != nil {
		return nil, err
	}
	return append([]byte(fileHeader), data...), nil
}
