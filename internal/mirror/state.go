package mirror

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// StateFile is where it is written down what has been made, below the top.
const StateFile = ".vade/sync.json"

// MaxState is the longest such file in bytes, maxEntries the most entries of one.
const (
	MaxState   = 16 << 20
	maxEntries = 100000
)

// State says what has been made. Its text is the same for the same content: no
// time and no path of the machine is in it.
type State struct {
	Version int `json:"version"`
	// Pending: a run began and did not end. There may be two entries for a path
	// then, one for before and one for after.
	Pending bool `json:"pending,omitempty"`
	// NoLinks: the file system has refused to make a link.
	NoLinks bool    `json:"noLinks,omitempty"`
	Files   []Entry `json:"files"`
	// Dirs are the directories that were made.
	Dirs []string `json:"dirs,omitempty"`
	// Usable: the text was a state, of which some entries may have been left out.
	Usable bool `json:"-"`
}

// Entry is one file or link that was made.
type Entry struct {
	// Path is below the top, with slashes, and so is Source, what it was made of.
	Path   string   `json:"path"`
	Source string   `json:"source,omitempty"`
	Hosts  []string `json:"hosts"`
	// Digest is that of the file, in hexadecimal; a link has its text instead.
	Digest string `json:"sha256,omitempty"`
	Link   string `json:"link,omitempty"`
	// Adopted: the project had the file by itself, and it said the same as what was
	// to be made. It is updated as others are, and never removed without force.
	Adopted bool `json:"adopted,omitempty"`
}

// ParseState reads the state. bad reports why a path can not be one that was made,
// that of a directory with a slash behind it; entries of such paths are left out, and
// named by the error. Where nothing can be
// read the state is empty.
func ParseState(data []byte, bad func(path string) string) (*State, error) {
	empty := &State{Version: 1}
	var s State
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&s); err != nil {
		return empty, errors.New("it is not the JSON that it should be")
	}
	if s.Version != 1 {
		return empty, fmt.Errorf("its version is %d, and this program knows 1", s.Version)
	}
	// A run that did not end has up to two for each.
	if len(s.Files) > 2*maxEntries || len(s.Dirs) > 2*maxEntries {
		return empty, errors.New("it has too many entries")
	}
	s.Usable = true
	var err error
	refuse := func(path string) bool {
		why := bad(path)
		if why != "" && err == nil {
			err = fmt.Errorf("it names %q, which Vade has not made: the path %s", path, why)
		}
		return why != ""
	}
	s.Files = slices.DeleteFunc(s.Files, func(e Entry) bool {
		if refuse(e.Path) {
			return true
		}
		if !e.usable() {
			if err == nil {
				err = fmt.Errorf("what it says of %q is neither a digest nor a link", e.Path)
			}
			return true
		}
		return false
	})
	s.Dirs = slices.DeleteFunc(s.Dirs, func(d string) bool { return refuse(d + "/") })
	s.sort()
	return &s, err
}

// usable reports whether an entry says one thing of what stands at its path.
func (e *Entry) usable() bool {
	return (e.Digest == "") != (e.Link == "") && (e.Digest == "" || isDigest(e.Digest))
}

// isDigest reports whether a text is a digest as they are written.
func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// errState is the error of a state that could not be read again.
var errState = errors.New("too much has been made to be written down")

// encode writes the state so that it can be read again.
func (s *State) encode() ([]byte, error) {
	data := s.Format()
	if len(data) > MaxState || len(s.Files) > 2*maxEntries || len(s.Dirs) > 2*maxEntries {
		return nil, errState
	}
	return data, nil
}

// The text of a state has a line for each entry, in the order of their paths, between
// these two: two branches seldom change the same line, and [ReadRecord] finds one
// without reading the others.
const (
	filesOpen  = "\n  \"files\": [\n"
	filesClose = "  ]"
)

// Format writes the state.
func (s *State) Format() []byte {
	s.sort()
	b := bytes.NewBufferString("{\n  \"version\": " + strconv.Itoa(s.Version))
	if s.Pending {
		b.WriteString(",\n  \"pending\": true")
	}
	if s.NoLinks {
		b.WriteString(",\n  \"noLinks\": true")
	}
	b.WriteByte(',')
	writeLines(b, "files", s.Files)
	if len(s.Dirs) > 0 {
		b.WriteByte(',')
		writeLines(b, "dirs", s.Dirs)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// writeLines writes a list with a line for each of its values, which are text, or lists
// of text: no error can come.
func writeLines[T any](b *bytes.Buffer, name string, list []T) {
	b.WriteString("\n  \"" + name + "\": [")
	if len(list) > 0 {
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		for i, v := range list {
			if i > 0 {
				// The encoder has ended the line.
				b.Truncate(b.Len() - 1)
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			_ = e.Encode(v)
		}
		b.WriteString("  ")
	}
	b.WriteByte(']')
}

func (s *State) sort() {
	slices.SortFunc(s.Files, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Link, b.Link), cmp.Compare(a.Digest, b.Digest))
	})
	slices.Sort(s.Dirs)
	s.Dirs = slices.Compact(s.Dirs)
}

// of returns the entries of a path.
func (s *State) of(path string) []Entry {
	at, found := slices.BinarySearchFunc(s.Files, path, func(e Entry, p string) int { return strings.Compare(e.Path, p) })
	if !found {
		return nil
	}
	end := at
	for end < len(s.Files) && s.Files[end].Path == path {
		end++
	}
	return s.Files[at:end]
}

// Hosts are the hosts that something was made for.
func (s *State) Hosts() []string {
	var list []string
	for _, e := range s.Files {
		list = append(list, e.Hosts...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Made reports whether the state has an entry for a path, or for a directory
// above it.
func (s *State) Made(path string) bool {
	_, made := s.Source(path)
	return made
}

// Source is what the file at a path was made of, where the state has an entry for it
// or for a link above it. What stands below a link stands below its source as well.
func (s *State) Source(path string) (source string, made bool) {
	for p := range upwards(path) {
		if list := s.of(p); len(list) > 0 {
			return list[0].Source + strings.TrimPrefix(path, p), true
		}
	}
	return "", false
}

// upwards are a path and the directories above it, without the top.
func upwards(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := path; p != "." && p != "" && p != "/" && yield(p); p = dir(p) {
		}
	}
}

// Of returns the entries of a path, which are not to be changed.
func (s *State) Of(path string) []Entry { return s.of(path) }

// Straight reports whether a link leads to its source as links do that are made.
func (e *Entry) Straight() bool { return canonical(*e) }

// Adopted reports whether the file at a path was the project's own.
func (s *State) Adopted(path string) bool { return adopted(s.of(path)) }

func adopted(entries []Entry) bool {
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Adopted })
}

// Recover adds a file to the state that its mark says was made. It reports whether
// there is a mark.
func (s *State) Recover(path string, data []byte, hosts []string) bool {
	source, intact, found := ReadMark(data)
	if !found {
		return false
	}
	e := Entry{Path: path, Source: source, Hosts: hosts, Digest: Digest(data)}
	if !intact {
		// That of no file: it was edited.
		e.Digest = Digest(nil)
	}
	s.Files = append(s.Files, e)
	return true
}
