package host

import (
	"time"

	"github.com/vadehq/vade/definition"
)

// Instructions describes how a host sends instruction files to the model. If a profile has no
// Instructions, Vade uses the neutral form.
type Instructions struct {
	// Rows lists the locations of instruction files in the host's order. By default, the project's
	// directories are read from the outermost down to the working directory, with the rows in order
	// within each directory. ByRow puts all of a row's files before the next row's files. Inward
	// orders directories from the working directory up.
	Rows          []InstructionRow
	ByRow, Inward bool
	// Rank returns a file's position; lower ranks come first. read is false if the host does not
	// read the row's files in that place. nil means the order that Rows describes.
	Rank func(InstructionPlace) (rank int, read bool)
	// MaxFile is the size in bytes above which a file is not read. MaxTotal is the maximum number
	// of bytes sent from the project's files. 0 means no limit.
	MaxFile, MaxTotal int64
	// Whole also sends frontmatter and comments. Exact keeps leading and trailing whitespace.
	Whole, Exact bool
	// Empty also sends files without text. Blank sends files that contain only
	// whitespace, but not empty files. Distinct sends only the first of several
	// files with the same text, except for files in conditional rows.
	Empty, Blank, Distinct bool
	// Imports is the import form. Depth is the maximum import depth, counted from a row's file.
	Imports ImportForm
	Depth   int
	// Inline determines what replaces an inline import.
	Inline InlineTexts
	// Mode parses the setting that selects the files. It is nil if the host has no such setting.
	Mode func(setting string) InstructionMode
	// Excludes is the key of the host setting that excludes files.
	Excludes string

	// Compose creates the messages for the session's files. Brought creates the messages for files
	// activated by a touched file, and defaults to Compose. If Compose is nil, Part, Message,
	// Touched and TouchedRole are used instead. Always calls Compose even if there are no files.
	Compose func(InstructionSession, []InstructionText) []InstructionMessage
	Always  bool
	Brought func(InstructionSession, []InstructionText) []InstructionMessage

	// Part renders one of several files, given its absolute path, its row's
	// label and its trimmed text.
	Part func(path, label, text string) string
	// Message returns the message that contains all parts. asAgent is set if the session runs as an
	// agent that the user chose.
	Message func(parts string, now time.Time, asAgent bool) string
	// Touched renders a file activated by a touched file, leaving its text
	// unchanged. followed is set if another file follows in the same message.
	Touched func(path, text string, followed bool) string
	// Closer is the text that ends the host's block. If this text occurs inside the block, the host
	// does not escape it.
	Closer string
	// TouchedRole is the role of the message from Touched.
	TouchedRole string
}

// ImportForm determines how an instruction file's imports are sent.
type ImportForm uint8

const (
	// NoImports means that files cannot import other files.
	NoImports ImportForm = iota
	// ImportsBeside means that an imported file's text is sent separately, after the text of the
	// importing file.
	ImportsBeside
	// ImportsInline means that an imported file's text replaces the import.
	ImportsInline
)

// InlineTexts holds functions that return the replacement for an import. Each path parameter is the
// path as written in the import.
type InlineTexts struct {
	// Imported returns the replacement for an import, given the file's absolute path abs and its
	// text. Failed is used if the file cannot be read, Outside if the file must not be read, and
	// Again for a cycle. If a function is nil, the import is left as written.
	Imported func(path, abs, text string) string
	Failed   func(path, why string) string
	Outside  func(path string) string
	Again    func(path, abs string) string
	// Missing returns the reason to pass to Failed if the file with the given absolute path does
	// not exist. If nil, the import stays unchanged.
	Missing func(abs string) string
	// Tokens finds imports as described at [instructions.TokenImports];
	// otherwise they are found as described at [instructions.InlineImports].
	Tokens bool
	// Once treats a file that was already imported into the same row's file as
	// a cycle. MaxFiles is the maximum number of files that one of a row's
	// files may import, directly or indirectly; 0 means no limit.
	Once     bool
	MaxFiles int
}

// InstructionPlace is where an instruction file was found.
type InstructionPlace struct {
	// Row is the index of the file's row. Distance is the number of directories between the file's
	// directory and the working directory. Top is set if the file's directory is the repository
	// root, or the working directory if there is no repository. Above is set if the file's
	// directory is above that root.
	Row, Distance int
	Top, Above    bool
}

// InstructionSession holds the session data that Compose needs.
type InstructionSession struct {
	// WorkDir is the absolute path of the working directory. UserDir is the absolute path of the
	// host's own directory in the home directory, or "" if the home directory is unknown.
	WorkDir, UserDir string
	// Waiting holds the conditional files that have not been activated yet, in order.
	Waiting []WaitingInstruction
}

// WaitingInstruction is a conditional file that is not sent yet.
type WaitingInstruction struct {
	// Path is relative to the parent of the row's directory, or absolute for a
	// file outside the project.
	Path        string
	Patterns    []string
	Description string
}

// InstructionText is the text of an instruction file or an imported file.
type InstructionText struct {
	// Path is the file's absolute path.
	Path  string
	Layer definition.Layer
	Text  string
	// Rule reports whether the file's row is conditional.
	Rule bool
}

// InstructionMessage is a message that a host sends.
type InstructionMessage struct{ Role, Text string }

// InstructionRow is a location where a host looks for instruction files.
type InstructionRow struct {
	Layer definition.Layer
	// Dir is the root's directory, and File is the name of the file. An empty File means every file
	// below Dir.
	Dir, File string
	// Label is the host's description of the files.
	Label string
	// Source is the files' settings source, one of the Source constants.
	Source string
	// Conditional makes a file with paths wait for a matching file. OnRequest
	// includes a file without paths only if the file always applies.
	Conditional, OnRequest bool
	// Other lets [InstructionMode] decide whether the row's files are used.
	Other bool
	// NotNested is set if the host does not look for the files below the working directory.
	NotNested bool
	// Group names a group of rows: in each directory, only the first row in the group that has a
	// file is used. SkipEmpty ignores empty files when choosing that row. Set names a set of rows,
	// in which only the first row that has a file in any directory is used.
	Group, Set string
	SkipEmpty  bool
	// Real makes the host refer to a file by its path after resolving symlinks.
	Real bool
	// NoImports ignores imports in these files.
	NoImports bool
}

// InstructionMode selects which instruction files are used. The zero value selects all rows in
// which Other is not set.
type InstructionMode struct {
	// Fallback selects the Other rows if the profile's fallback activates them. Both always
	// selects them.
	Fallback, Both bool
	// ManagedOnly restricts the files to the managed layer.
	ManagedOnly bool
}
