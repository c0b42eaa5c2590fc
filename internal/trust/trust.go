// Package trust stores the user's approvals: which definition, with which files, may run which
// commands. An approval is tied to the content of all these files; changing one byte revokes it.
//
// The store is a directory that only the user can access, outside every project, with one file
// for each approval. Nothing in a project can create an approval.
package trust

import "io/fs"

// Limits. Anything larger is refused, never approved in part.
const (
	// MaxFiles is the maximum number of files, and of directories, in a closure.
	MaxFiles = 4096
	// MaxBytes is the maximum total size of a closure's files: 64 MiB.
	MaxBytes = 64 << 20
	// MaxText is the maximum size of the text that is stored for a later diff: 256 KiB.
	MaxText = 256 << 10
	// MaxTexts is the maximum total size of the texts stored for a closure: 4 MiB.
	MaxTexts = 4 << 20
)

// ID identifies what was approved: a definition in a project.
type ID struct {
	// Project is the project directory without symlinks, or "" for a definition of the user or of
	// a plugin that is used outside projects.
	Project string `json:"project"`
	// Kind, Name and Path are the definition's kind, name and file.
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// File is one entry of a closure.
type File struct {
	// Path is absolute and without symlinks for collected files. It is compared, never opened.
	Path string `json:"path"`
	// Mode is compared by type and by whether anyone may execute the file.
	Mode fs.FileMode `json:"mode,omitempty"`
	// Digest is the digest of the content, "sha256:" and 64 hexadecimal digits. It is "" if the
	// entry is not a regular file. If Data is set, Data takes precedence.
	Digest string `json:"digest,omitempty"`
	// Size is the content's length in bytes.
	Size int64 `json:"size,omitempty"`
	// Target is the target of a symlink.
	Target string `json:"target,omitempty"`
	// Data is the whole content, or nil if it is too large to store.
	Data []byte `json:"-"`
}

// Closure is everything that an approval covers: the definition's file, the files that it refers
// to, its companion files, and its commands.
type Closure struct {
	ID    ID
	Files []File
	// Commands are the commands as written, in text order.
	Commands []string
	// Grants are the rules that would allow the commands, in any order.
	Grants []string
}

// State is the result of checking a closure against the store.
type State uint8

// The states. Only Trusted allows commands to run.
const (
	// None means that the definition has no valid approval.
	None State = iota
	// Trusted means that the user approved exactly this closure.
	Trusted
	// Changed means that the user approved another closure with the same ID.
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
