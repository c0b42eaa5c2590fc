package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// SkillsPath is the path of the ledger that npx skills writes for a project, relative to the
// project root. UserSkillsPath is the path of the ledger that npx skills shares with gh, relative
// to the home directory. If $XDG_STATE_HOME is set, npx skills writes the file to
// $XDG_STATE_HOME/skills instead, but gh does not.
const (
	SkillsPath     = "skills-lock.json"
	UserSkillsPath = ".agents/.skill-lock.json"
)

// Skills is the content of an npx skills ledger. Fields unknown to Vade are kept.
type Skills struct {
	// Path is the ledger's path, relative to the project root or the home directory.
	Path    string
	entries map[string]json.RawMessage
	unknown map[string]json.RawMessage
}

// SkillsEntry is a skill in an npx skills ledger. The keys are in the order that npx skills uses.
type SkillsEntry struct {
	Source     string `json:"source"`
	SourceURL  string `json:"sourceUrl,omitempty"`
	Ref        string `json:"ref,omitempty"`
	SourceType string `json:"sourceType"`
	SkillPath  string `json:"skillPath,omitempty"`
	// ComputedHash is set in a project's ledger. FolderHash and the times are set in the user's
	// ledger.
	ComputedHash string `json:"computedHash,omitempty"`
	FolderHash   string `json:"skillFolderHash,omitempty"`
	InstalledAt  string `json:"installedAt,omitempty"`
	UpdatedAt    string `json:"updatedAt,omitempty"`
	PinnedRef    string `json:"pinnedRef,omitempty"`
	// SourceBaseURL is the website that a skill in the user's ledger comes from. WellKnownDigest is
	// the digest listed in the website's index or, if the index has none, the result of the
	// function [WellKnownDigest].
	SourceBaseURL   string `json:"sourceBaseUrl,omitempty"`
	WellKnownDigest string `json:"wellKnownDigest,omitempty"`
}

// user reports whether the ledger belongs to the user rather than a project.
func (s *Skills) user() bool { return s.Path != SkillsPath }

// version returns the version that npx skills 1.7.4 writes. npx skills treats ledgers with earlier
// versions as empty.
func (s *Skills) version() int {
	if s.user() {
		return 3
	}
	return 1
}

// ReadSkills reads the ledger at a path. If the file does not exist, it returns
// an empty ledger and nil data.
func ReadSkills(tree *vfs.Tree, at string) (*Skills, []byte, error) {
	data, err := tree.ReadFile(at, maxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w", at, vfs.WithoutPath(err))
	}
	s, err := ParseSkills(at, data)
	return s, data, err
}

// ParseSkills parses the ledger at a path. Nil data is an empty ledger. If this
// program does not know the ledger's version, the error wraps [ErrVersion].
func ParseSkills(at string, data []byte) (*Skills, error) {
	s := &Skills{Path: at, entries: map[string]json.RawMessage{}, unknown: map[string]json.RawMessage{}}
	// gh creates an empty file before it locks and writes it.
	if data == nil || len(data) == 0 && s.user() {
		return s, nil
	}
	var head struct {
		Version float64                    `json:"version"`
		Skills  map[string]json.RawMessage `json:"skills"`
	}
	if err := cmp.Or(json.Unmarshal(data, &head), json.Unmarshal(data, &s.unknown)); err != nil {
		return nil, fmt.Errorf("%s: cannot be read as a skills lock file: %w", at, err)
	}
	if head.Version != float64(s.version()) {
		return nil, fmt.Errorf("%s: %w %v; this version of Vade reads %d", at, ErrVersion, head.Version, s.version())
	}
	delete(s.unknown, "version")
	delete(s.unknown, "skills")
	for name, raw := range head.Skills {
		if !bytes.HasPrefix(raw, []byte("{")) {
			return nil, fmt.Errorf("%s: the entry for %q is not an object", at, name)
		}
		s.entries[name] = raw
	}
	return s, nil
}

// Names returns the sorted skill names.
func (s *Skills) Names() []string { return slices.Sorted(maps.Keys(s.entries)) }

// Get returns a skill's entry.
func (s *Skills) Get(name string) (e SkillsEntry, ok bool) {
	raw, ok := s.entries[name]
	return e, ok && json.Unmarshal(raw, &e) == nil
}

// Set adds or replaces an entry. It keeps the earlier entry's unknown fields and installation time.
func (s *Skills) Set(name string, e SkillsEntry) {
	unknown := map[string]json.RawMessage{}
	if old, ok := s.Get(name); ok {
		if old.InstalledAt != "" {
			e.InstalledAt = old.InstalledAt
		}
		_ = json.Unmarshal(s.entries[name], &unknown)
		var known map[string]json.RawMessage
		_ = json.Unmarshal(encoded(old), &known)
		maps.DeleteFunc(unknown, func(key string, _ json.RawMessage) bool { return known[key] != nil })
	}
	s.entries[name] = merged(e, unknown)
}

// Delete removes a skill's entry.
func (s *Skills) Delete(name string) { delete(s.entries, name) }

// Empty reports whether the ledger has neither entries nor unknown fields.
func (s *Skills) Empty() bool { return len(s.entries) == 0 && len(s.unknown) == 0 }

// Format returns the file as npx skills writes it for a project: sorted skills,
// two-space indentation and a final newline.
func (s *Skills) Format() []byte {
	head := struct {
		Version int                        `json:"version"`
		Skills  map[string]json.RawMessage `json:"skills"`
	}{s.version(), s.entries}
	var b bytes.Buffer
	_ = json.Indent(&b, merged(head, s.unknown), "", "  ")
	return append(b.Bytes(), '\n')
}

// merged encodes a struct as JSON and appends more members to it.
func merged(known any, more map[string]json.RawMessage) json.RawMessage {
	out := encoded(known)
	if len(more) == 0 {
		return out
	}
	return append(append(out[:len(out)-1], ','), encoded(more)[1:]...)
}

// encoded encodes a value as JSON like JavaScript's JSON.stringify, which does not escape "<".
func encoded(v any) []byte {
	data, _ := jsonc.Marshal(v, "")
	return data
}

// Entry returns the entry that npx skills would write to this ledger for an installed skill.
func (s *Skills) Entry(r *Record, files []File, now time.Time) SkillsEntry {
	e := SkillsEntry{Source: r.Source, SourceType: r.Type, Ref: r.Ref, SkillPath: r.Main}
	switch r.Type {
	case "github":
		e.Source = strings.TrimSuffix(strings.SplitN(r.URL, "/", 4)[3], ".git")
	case "gitlab", "git":
		e.Source, e.SourceURL = r.URL, r.URL
	case "well-known":
		e.Source, e.SourceURL, e.SkillPath = strings.SplitN(r.URL+"/", "/", 4)[2], r.URL, ""
		if e.WellKnownDigest = r.Digest; r.Digest == "" {
			e.WellKnownDigest = WellKnownDigest(files)
		}
	default:
		// npx skills cannot update skills from these sources. If the entry has no path, npx skills
		// says so instead of trying.
		e.SkillPath = ""
	}
	if !s.user() {
		e.ComputedHash = ComputedHash(files)
		return e
	}
	e.InstalledAt = now.UTC().Format("2006-01-02T15:04:05.000Z")
	e.UpdatedAt, e.SourceURL = e.InstalledAt, r.URL
	if r.Pinned {
		e.PinnedRef = r.Ref
	}
	switch r.Type {
	case "github":
		e.FolderHash = GitTree(files)
	case "well-known":
		e.SourceBaseURL, e.SourceURL = r.URL, r.URL+"/"+path.Dir(r.Main)
	default:
		e.FolderHash = ComputedHash(files)
	}
	return e
}
