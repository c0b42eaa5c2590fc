// Package syncstate reads and writes .vade/sync.json, which records the files
// and symlinks that vade sync wrote. A file whose digest is recorded belongs to
// Vade; any other file belongs to the user.
package syncstate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// File is the path of the state file, relative to the project root.
const File = ".vade/sync.json"

// Size limits. A file larger than MaxFile is not compared against its recorded digest.
const (
	maxBytes   = 16 << 20
	maxEntries = 200000
	MaxFile    = 64 << 20
)

// State records what vade sync wrote. It contains no timestamps or absolute
// paths, so it can be committed to git.
type State struct {
	Version int `json:"version"`
	// Pending is set while a run of vade sync is in progress, and remains set if the run is
	// interrupted. Until the next run, a path may have two entries: one for the old content and one
	// for the new.
	Pending bool    `json:"pending,omitempty"`
	Files   []Entry `json:"files"`
}

// Entry is a file or symlink. Paths are slash-separated and relative to the project root.
type Entry struct {
	Path   string   `json:"path"`
	Source string   `json:"source,omitempty"`
	Hosts  []string `json:"hosts"`
	// Digest is the file's SHA-256. Link is the symlink's target.
	Digest string `json:"sha256,omitempty"`
	Link   string `json:"link,omitempty"`
	// Own reports whether the project already contained an identical file. Vade updates such a
	// file, but does not remove it when its source is removed.
	Own bool `json:"own,omitempty"`
}

// Digest returns the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read reads a project's state. If there is no state file, it returns an empty state.
func Read(tree *vfs.Tree) (*State, error) {
	data, err := tree.ReadFile(File, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &State{Version: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// ReadFor reads the entries for the given paths, their parent directories and their sources. It
// parses only these entries, so that loading a definition is fast even in projects with many
// copies.
func ReadFor(tree *vfs.Tree, names []string) (*State, error) {
	data, err := tree.ReadFile(File, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &State{Version: 1}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseFor(data, names)
}

func parseFor(data []byte, names []string) (*State, error) {
	s, err := Parse(linesOf(data, names))
	if err != nil {
		return nil, err
	}
	for _, e := range s.Files {
		names = append(names, e.Source)
	}
	return Parse(linesOf(data, names))
}

// linesOf removes the entries from data except those for names and their parent directories. If
// data does not have the layout that [State.Format] writes, linesOf returns it unchanged.
func linesOf(data []byte, names []string) []byte {
	wanted := map[string]bool{}
	for _, name := range names {
		for ; name != "." && name != "/" && name != ""; name = path.Dir(name) {
			wanted[name] = true
		}
	}
	const first, begin = "\n  \"files\": [\n", `{"path":"`
	start := bytes.Index(data, []byte(first))
	end, ended := bytes.CutSuffix(data, []byte("\n  ]\n}\n"))
	if start < 0 || !ended || start+len(first) > len(end) {
		return data
	}
	start += len(first)
	out := slices.Clone(data[:start])
	for line := range bytes.Lines(append(end[start:len(end):len(end)], '\n')) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte(","))
		rest, entry := bytes.CutPrefix(line, []byte(begin))
		stop := bytes.IndexByte(rest, '"')
		// If an entry has several "path" keys, in any case or spelling, the JSON decoder uses the
		// last one. Therefore, leave all lines to the decoder if one of them contains an escape,
		// another "path" or more than one entry.
		if !entry || stop < 0 || bytes.ContainsAny(rest, `\{`) || bytes.Count(rest, []byte("]")) > 1 ||
			bytes.Contains(bytes.ToLower(rest), []byte(`"path"`)) {
			return data
		}
		if wanted[string(rest[:stop])] {
			out = append(append(out, line...), ',')
		}
	}
	return append(bytes.TrimSuffix(out, []byte(",")), "]}"...)
}

// Parse parses a state file. It drops entries marked "adopted", which earlier versions wrote for a
// user's file that was equivalent to the one that Vade would have written.
func Parse(data []byte) (*State, error) {
	var raw struct {
		State
		Files []struct {
			Entry
			Adopted bool `json:"adopted"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("not a valid state file: %w", err)
	}
	if raw.Version != 1 {
		return nil, fmt.Errorf("unsupported version %d; this version of Vade reads only version 1", raw.Version)
	}
	if len(raw.Files) > maxEntries {
		return nil, errors.New("too many entries")
	}
	s := &State{Version: 1, Pending: raw.Pending}
	for _, f := range raw.Files {
		if (f.Digest == "") == (f.Link == "") {
			return nil, fmt.Errorf("the entry for %q must have either a digest or a link", f.Path)
		}
		if !f.Adopted {
			s.Files = append(s.Files, f.Entry)
		}
	}
	s.Sort()
	return s, nil
}

// Format returns the state as JSON with one line per entry, sorted by path, to reduce merge
// conflicts.
func (s *State) Format() ([]byte, error) {
	s.Sort()
	b := bytes.NewBufferString("{\n  \"version\": 1,\n")
	if s.Pending {
		b.WriteString("  \"pending\": true,\n")
	}
	b.WriteString("  \"files\": [")
	for i, e := range s.Files {
		if i > 0 {
			b.WriteByte(',')
		}
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n  ]\n}\n")
	if b.Len() > maxBytes || len(s.Files) > maxEntries {
		return nil, errors.New("too many files to record; exclude some with sync.exclude in vade.yaml")
	}
	return b.Bytes(), nil
}

// Sort sorts the entries and removes duplicates, as [State.At] and [State.Has] require.
func (s *State) Sort() {
	slices.SortFunc(s.Files, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Link, b.Link), cmp.Compare(a.Digest, b.Digest))
	})
	s.Files = slices.CompactFunc(s.Files, func(a, b Entry) bool {
		return a.Path == b.Path && a.Digest == b.Digest && a.Link == b.Link
	})
}

// At returns the entries for a path.
func (s *State) At(name string) []Entry {
	start, _ := slices.BinarySearchFunc(s.Files, name, func(e Entry, p string) int { return strings.Compare(e.Path, p) })
	end := start
	for end < len(s.Files) && s.Files[end].Path == name {
		end++
	}
	return s.Files[start:end]
}

// Has reports whether the state records a path, or a symlink that replaces one of its parent
// directories.
func (s *State) Has(name string) bool {
	if len(s.At(name)) > 0 {
		return true
	}
	link, _ := s.above(name)
	return link != nil
}

// above looks for a recorded symlink that replaces one of the path's parent directories. It returns
// the symlink's entry and the path to which the given path leads.
func (s *State) above(name string) (link *Entry, source string) {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, e := range s.At(dir) {
			if e.Link != "" {
				return &e, e.Source + strings.TrimPrefix(name, dir)
			}
		}
	}
	return nil, ""
}

// Source returns the source of the file at a path. It returns "" if the path is not recorded, or if
// the file or the symlink that leads to it has been modified since it was recorded.
func (s *State) Source(tree *vfs.Tree, name string) string {
	if link, source := s.above(name); link != nil {
		if text, err := tree.Readlink(link.Path); err != nil || text != link.Link || text != LinkText(link.Path, link.Source) {
			return ""
		}
		return source
	}
	entries := s.At(name)
	if len(entries) == 0 {
		return ""
	}
	data, err := tree.ReadFile(name, MaxFile)
	if err != nil {
		return ""
	}
	digest := Digest(data)
	for _, e := range entries {
		if e.Digest == digest {
			return e.Source
		}
	}
	return ""
}

// Hosts returns the sorted names of the hosts for which files were written.
func (s *State) Hosts() []string {
	var list []string
	for _, e := range s.Files {
		list = append(list, e.Hosts...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// LinkText returns the relative target for a symlink from one project path to another.
func LinkText(at, to string) string {
	from, target := strings.Split(path.Dir(at), "/"), strings.Split(to, "/")
	if from[0] == "." {
		from = nil
	}
	for len(from) > 0 && len(target) > 1 && from[0] == target[0] {
		from, target = from[1:], target[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(target, "/")
}
