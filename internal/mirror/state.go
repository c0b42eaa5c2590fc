package mirror

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
		if ok := (e.Digest == "") != (e.Link == "") && (e.Digest == "" || isDigest(e.Digest)); !ok {
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

// isDigest reports whether a text is a digest as they are written.
func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// errState is the error of a state that could not be read again.
var errState = errors.New("too much has been made to be written down")

// encode writes the state so that it can be read again: in lines, or where that is too
// long without them.
func (s *State) encode() ([]byte, error) {
	data := s.Format()
	if len(data) > MaxState {
		var b bytes.Buffer
		if err := json.Compact(&b, data); err == nil {
			data = append(b.Bytes(), '\n')
		}
	}
	if len(data) > MaxState || len(s.Files) > 2*maxEntries || len(s.Dirs) > 2*maxEntries {
		return nil, errState
	}
	return data, nil
}

// Format writes the state.
func (s *State) Format() []byte {
	s.sort()
	if s.Files == nil {
		s.Files = []Entry{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	// What it is made of is text and lists of text: no error can come.
	_ = e.Encode(s)
	return b.Bytes()
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
	for p := path; p != "." && p != "" && p != "/"; p = dir(p) {
		if list := s.of(p); len(list) > 0 {
			return list[0].Source + strings.TrimPrefix(path, p), true
		}
	}
	return "", false
}

// LinkOver is the entry of a link at a path or above it, and what stands at the path in
// its source; nil where there is none.
func (s *State) LinkOver(path string) (e *Entry, source string) {
	for p := path; p != "." && p != "" && p != "/"; p = dir(p) {
		for i, e := range s.of(p) {
			if e.Link != "" {
				return &s.of(p)[i], e.Source + strings.TrimPrefix(path, p)
			}
		}
	}
	return nil, ""
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
