package host

import (
	"time"

	"github.com/vadehq/vade/definition"
)

// Instructions describes how a host sends instruction files to the model. For a profile without
// Instructions, Vade formats them as in the neutral view.
type Instructions struct {
	// Rows lists the locations of instruction files. By default, the project's directories are read
	// from the outermost one down to the working directory, and the files in a directory are read
	// in the order of their rows. If ByRow is set, all files of one row come before all files of
	// the next. If Inward is set, directories are read from the working directory up.
	Rows          []InstructionRow
	ByRow, Inward bool
	// Rank returns a file's rank; files with a lower rank come first. read is false if the host
	// does not read a file at that location. If Rank is nil, the comment on Rows describes the
	// order.
	Rank func(InstructionPlace) (rank int, read bool)
	// MaxFile is the size in bytes above which a file is not read. MaxTotal is the maximum number
	// of bytes sent from the project's files. 0 means no limit.
	MaxFile, MaxTotal int64
	// If Whole is set, frontmatter and HTML comments are also sent. If Exact is set, leading and
	// trailing whitespace is kept.
	Whole, Exact bool
	// If Empty is set, files without text are also sent. If Blank is set, files that contain only
	// whitespace are also sent, but empty files are not. If Distinct is set, only the first of
	// several files with the same text is sent; this does not apply to files in conditional rows.
	Empty, Blank, Distinct bool
	// Imports determines how imported files are sent. Depth is the maximum length of a chain of
	// imports that starts at an instruction file.
	Imports ImportForm
	Depth   int
	// Inline holds the texts that replace inline imports.
	Inline InlineTexts
	// Mode parses the setting that determines which files are used. It is nil if the host has no
	// such setting.
	Mode func(setting string) InstructionMode
	// Excludes is the key of the host setting that excludes files.
	Excludes string

	// Compose creates the messages for the instruction files that are read at startup. Brought
	// creates the messages for files activated by a touched file; if it is nil, Compose is used. If
	// Compose is nil, Part, Message, Touched and TouchedRole are used instead. If Always is set,
	// Compose is called even if there are no files.
	Compose func(InstructionSession, []InstructionText) []InstructionMessage
	Always  bool
	Brought func(InstructionSession, []InstructionText) []InstructionMessage

	// Part returns the text for one file, given its absolute path, the label of its row in Rows,
	// and its text without surrounding whitespace.
	Part func(path, label, text string) string
	// Message returns the message that contains all parts. asAgent is set if the session runs as an
	// agent that the user chose.
	Message func(parts string, now time.Time, asAgent bool) string
	// Touched returns the text for a file activated by a touched file. It does not change the
	// file's own text. followed is set if another file follows in the same message.
	Touched func(path, text string, followed bool) string
	// Closer is the closing tag of the element in which the host wraps instructions. The host does
	// not escape this tag in the instructions themselves.
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
	// text. The other functions are used if an import fails: Failed if the file cannot be read,
	// Outside if it must not be read, and Cycle if the import is part of a cycle. If a function is
	// nil, the import is left as written.
	Imported func(path, abs, text string) string
	Failed   func(path, why string) string
	Outside  func(path string) string
	Cycle    func(path, abs string) string
	// Missing returns the reason to pass to Failed if no file exists at the given absolute path. If
	// Missing is nil, the import is left as written.
	Missing func(abs string) string
	// If Tokens is set, imports are found as described at [instructions.TokenImports]; otherwise,
	// they are found as described at [instructions.InlineImports].
	Tokens bool
	// If Once is set, importing a file twice, directly or indirectly, into the same instruction
	// file is treated as a cycle. MaxFiles is the maximum number of files that an instruction file
	// may import, directly or indirectly; 0 means no limit.
	Once     bool
	MaxFiles int
}

// InstructionPlace is where an instruction file was found.
type InstructionPlace struct {
	// Row is the index of the file's row in [Instructions.Rows]. Distance is the number of
	// directories between the file's directory and the working directory. Top is set if the file's
	// directory is the repository root, or the working directory if there is no repository. Above
	// is set if the file's directory is above that directory.
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

// WaitingInstruction is a conditional file that is not sent until it is activated.
type WaitingInstruction struct {
	// Path is relative to the parent directory of [InstructionRow.Dir]. It is absolute for a file
	// outside the project.
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
	// Rule is set if the file is conditional (see [InstructionRow.Conditional]).
	Rule bool
}

// InstructionMessage is a message that a host sends.
type InstructionMessage struct{ Role, Text string }

// InstructionRow is a location where a host looks for instruction files.
type InstructionRow struct {
	Layer definition.Layer
	// Dir is the directory, as in [Root.Dir], and File is the name of the file. If File is empty,
	// every file below Dir is read.
	Dir, File string
	// Label is the host's description of the files.
	Label string
	// Source is the files' settings source, one of the Source constants.
	Source string
	// If Conditional is set, a file with paths is sent only after a matching file is touched. If
	// OnRequest is set, a file without paths is sent only if it sets alwaysApply.
	Conditional, OnRequest bool
	// If Other is set, [InstructionMode] determines whether the files are used.
	Other bool
	// NotNested is set if the host does not look for these files in directories below the working
	// directory.
	NotNested bool
	// Group and Set are names that rows can share. In each directory, only the first row with the
	// same Group that has a file is used; if SkipEmpty is set, empty files do not count. Of the
	// rows with the same Set, only the first one that has a file in any directory is used.
	Group, Set string
	SkipEmpty  bool
	// If Real is set, the host refers to a file by its path after resolving symlinks.
	Real bool
	// If NoImports is set, imports in these files are ignored.
	NoImports bool
}

// InstructionMode selects which instruction files are used. The zero value selects all rows except
// those with Other set.
type InstructionMode struct {
	// If Fallback is set, the Other rows are used if the profile's fallback activates them. If Both
	// is set, they are always used.
	Fallback, Both bool
	// If ManagedOnly is set, only files in the managed layer are used.
	ManagedOnly bool
}
