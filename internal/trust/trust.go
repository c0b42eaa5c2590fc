// Package trust stores the user's approvals. An approval allows one definition to run certain
// commands. It covers the content of all files that belong to the definition: changing a single
// byte revokes it.
//
// The store is a directory outside every project that only the user can access. It has one file per
// approval. Nothing in a project can create an approval.
package trust

import "io/fs"

// Limits for a closure. A closure that exceeds one of them is refused and is never approved in
// part.
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

// ID identifies the definition that was approved and the project that uses it.
type ID struct {
	// Project is the path of the project directory with symlinks resolved. It is "" for a user or
	// plugin definition that is used outside projects.
	Project string `json:"project"`
	// Kind, Name and Path are the definition's kind, name and file.
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// File is an entry in a closure.
type File struct {
	// Path identifies the file in comparisons and is never opened. For a file found by [Collect],
	// it is absolute and contains no symlinks.
	Path string `json:"path"`
	// Mode is the file's mode. Only the type and whether anyone may execute the file are compared.
	Mode fs.FileMode `json:"mode,omitempty"`
	// Digest is the content's digest, "sha256:" followed by 64 hexadecimal digits. It is "" if the
	// entry is not a regular file. If Data is set, its digest takes precedence.
	Digest string `json:"digest,omitempty"`
	// Size is the content's length in bytes.
	Size int64 `json:"size,omitempty"`
	// Target is a symlink's target.
	Target string `json:"target,omitempty"`
	// Data is the complete content, or nil if it is too large to store.
	Data []byte `json:"-"`
}

// Closure is everything that an approval covers: the definition's file, the files that it refers
// to, its companion files, and its commands.
type Closure struct {
	ID    ID
	Files []File
	// Commands are the commands as written, in source order.
	Commands []string
	// Grants are the rules that would allow the commands, in any order.
	Grants []string
}

// State is the result of checking a closure against the store.
type State uint8

// The states. Granted commands may run only in the state Trusted.
const (
	// None means the definition has no valid approval.
	None State = iota
	// Trusted means the user approved exactly this closure.
	Trusted
	// Changed means the user approved a different closure with the same ID.
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
