package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/jsonc"
)

// SkillsPath is the ledger of npx skills for a project, relative to its root, and
// UserSkillsPath the one that it shares with gh, relative to the home directory.
const (
	SkillsPath     = "skills-lock.json"
	UserSkillsPath = ".agents/.skill-lock.json"
)

// skillsVersion returns the version that npm skills 1.7.4 writes. It treats earlier versions as
// empty.
func skillsVersion(path string) int {
	if path == UserSkillsPath {
		return 3
	}
	return 1
}

// Skills is the content of one of these ledgers. Fields that Vade does not know are kept.
type Skills struct {
	// Path is SkillsPath or UserSkillsPath.
	Path    string
	top     map[string]json.RawMessage
	entries map[string]map[string]json.RawMessage
}

// SkillsEntry is a skill in one of these ledgers.
type SkillsEntry struct {
	Source     string `json:"source"`
	SourceURL  string `json:"sourceUrl,omitempty"`
	Ref        string `json:"ref,omitempty"`
	SourceType string `json:"sourceType"`
	SkillPath  string `json:"skillPath,omitempty"`
	// ComputedHash is set in a project, and FolderHash and the times for a user.
	ComputedHash    string `json:"computedHash,omitempty"`
	FolderHash      string `json:"skillFolderHash,omitempty"`
	InstalledAt     string `json:"installedAt,omitempty"`
	UpdatedAt       string `json:"updatedAt,omitempty"`
	WellKnownDigest string `json:"wellKnownDigest,omitempty"`
}

// entryOrder returns the order in which npx skills writes the keys.
func entryOrder() []string {
	return []string{
		"source", "sourceUrl", "ref", "sourceType", "skillPath", "computedHash", "skillFolderHash", "installedAt", "updatedAt", "wellKnownDigest",
	}
}

// ParseSkills parses the ledger at a path; nil is an empty one.
func ParseSkills(path string, data []byte) (*Skills, error) {
	s := &Skills{Path: path, top: map[string]json.RawMessage{}, entries: map[string]map[string]json.RawMessage{}}
	if data == nil {
		return s, nil
	}
	var head struct {
		Version float64                    `json:"version"`
		Skills  map[string]json.RawMessage `json:"skills"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: it is not valid JSON", path)
	}
	if head.Version != float64(skillsVersion(path)) {
		return nil, fmt.Errorf("%s: its version is %v; this version of Vade reads %d", path, head.Version, skillsVersion(path))
	}
	_ = json.Unmarshal(data, &s.top)
	for name, raw := range head.Skills {
		var e map[string]json.RawMessage
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("%s: the entry of %q is not an object", path, name)
		}
		s.entries[name] = e
	}
	return s, nil
}

// Names returns the names of the skills, sorted.
func (s *Skills) Names() []string { return slices.Sorted(maps.Keys(s.entries)) }

// Get returns the entry of a skill.
func (s *Skills) Get(name string) (e SkillsEntry, ok bool) {
	raw, ok := s.entries[name]
	if !ok {
		return e, false
	}
	data, err := json.Marshal(raw)
	return e, err == nil && json.Unmarshal(data, &e) == nil
}

// Set adds or replaces an entry. Unknown fields of an earlier entry are kept.
func (s *Skills) Set(name string, e SkillsEntry) {
	next := maps.Clone(s.entries[name])
	if next == nil {
		next = map[string]json.RawMessage{}
	}
	if old, ok := s.Get(name); ok && old.InstalledAt != "" {
		e.InstalledAt = old.InstalledAt
	}
	for _, key := range entryOrder() {
		delete(next, key)
	}
	_ = json.Unmarshal(encoded(e), &next)
	s.entries[name] = next
}

// Empty reports whether the file would have no content of its own.
func (s *Skills) Empty() bool {
	return len(s.entries) == 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(s.top)), func(k string) bool { return k != "version" && k != "skills" })
}

// Delete removes the entry of a skill.
func (s *Skills) Delete(name string) { delete(s.entries, name) }

// Format returns the file as npx skills writes it for a project: skills sorted, two spaces, a
// final newline.
func (s *Skills) Format() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"skills\": {", skillsVersion(s.Path))
	for i, name := range s.Names() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + quoted(name) + ": {")
		for n, key := range entryKeys(s.entries[name]) {
			if n > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n      " + quoted(key) + ": " + indented(s.entries[name][key], "      "))
		}
		b.WriteString("\n    }")
	}
	if len(s.entries) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("}")
	for _, key := range slices.Sorted(maps.Keys(s.top)) {
		if key != "version" && key != "skills" {
			b.WriteString(",\n  " + quoted(key) + ": " + indented(s.top[key], "  "))
		}
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

// entryKeys returns the keys of an entry in the order of npx skills, unknown ones last.
func entryKeys(e map[string]json.RawMessage) []string {
	known := slices.DeleteFunc(entryOrder(), func(k string) bool { return e[k] == nil })
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if !slices.Contains(entryOrder(), key) {
			known = append(known, key)
		}
	}
	return known
}

func quoted(s string) string { return string(encoded(s)) }

// encoded returns a value as JSON.stringify writes it, which does not escape "<".
func encoded(v any) []byte {
	data, _ := jsonc.Marshal(v, "")
	return data
}

// indented returns a value as JSON.stringify writes it at this depth.
func indented(value json.RawMessage, prefix string) string {
	var b bytes.Buffer
	if json.Indent(&b, value, prefix, "  ") != nil {
		return string(value)
	}
	return b.String()
}
