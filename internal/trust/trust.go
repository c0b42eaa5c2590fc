// Package trust keeps the consents of the user: which definition, with which
// files beside it, may run which commands. A consent is bound to the content of
// all of them; a changed byte ends it.
//
// The store is a directory of the user alone, outside every project, with one
// file for each consent. Nothing that a project carries can give a consent.
package trust

import "io/fs"

// The limits. What is beyond them is refused, never consented to in part.
const (
	// MaxFiles is the number of entries, and of directories, of one closure.
	MaxFiles = 4096
	// MaxBytes is what the files of one closure may hold together: 64 MiB.
	MaxBytes = 64 << 20
	// MaxText is how long a text may be to be kept for a later diff: 256 KiB.
	MaxText = 256 << 10
	// MaxTexts is what is kept of one closure in all: 4 MiB.
	MaxTexts = 4 << 20
)

// ID says whose consent it is: which definition of which project.
type ID struct {
	// Project is the canonical path of the project, "" for a definition of the
	// user or of a plugin outside any.
	Project string `json:"project"`
	// Kind and Name are those of the definition, Path is the file of it.
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// File is one entry of a closure.
type File struct {
	// Path is canonical and absolute for what was collected; it is compared,
	// never opened.
	Path string `json:"path"`
	// Mode counts with its type and with whether anybody may execute.
	Mode fs.FileMode `json:"mode,omitempty"`
	// Digest is that of the content, "sha256:" and 64 hexadecimal digits; ""
	// for what is no regular file. Where Data is there, Data counts.
	Digest string `json:"digest,omitempty"`
	// Size is the length of the content in bytes.
	Size int64 `json:"size,omitempty"`
	// Target is the text of a link.
	Target string `json:"target,omitempty"`
	// Data is the whole content, nil where it is too large to keep.
	Data []byte `json:"-"`
}

// Closure is all that a consent is given to: the definition's file, the files
// that it refers to, its companion files, and what would run.
type Closure struct {
	ID    ID
	Files []File
	// Commands are what would run, as the author wrote it, in the order of the
	// text.
	Commands []string
	// Grants are the rules that would allow it; their order does not matter.
	Grants []string
}

// State is what the store says of a closure.
type State uint8

// The states. Only Trusted lets anything run.
const (
	// None: no valid consent was given to this definition.
	None State = iota
	// Trusted: a consent was given to exactly this.
	Trusted
	// Changed: a consent was given to something else under the same ID.
	Changed
)

// String returns "none", "trusted" or "changed".
func (s State) String() string {
	switch s {
	case Trusted:
		return "trusted"
	case Changed:
		return "changed"
	}
	return "none"
}
