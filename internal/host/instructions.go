package host

import (
	"time"

	"github.com/vadehq/vade/definition"
)

// Instructions describes how a host sends instruction files to the model. A profile without
// Instructions uses Vade's own neutral form.
type Instructions struct {
	// Rows lists the locations of instruction files in the host's order. The directories of a
	// project come from the outermost to the working directory, and the rows in order within each
	// directory. ByRow means that all files of a row come before those of the next row. Inward
	// means that the directories come from the working directory up.
	Rows          []InstructionRow
	ByRow, Inward bool
	// Rank returns a file's position; lower ranks come first. read is false if the host does not
	// read the row's files at that place. nil means the order described above.
	Rank func(InstructionPlace) (rank int, read bool)
	// MaxFile is the size in bytes above which a file is not read. MaxTotal is the maximum number
	// of bytes sent from the project's files; 0 means no limit.
	MaxFile, MaxTotal int64
	// Whole means that frontmatter and comments are sent too, and Exact that leading and trailing
	// whitespace is kept.
	Whole, Exact bool
	// Empty means that files without text are sent too. Blank means that only files of whitespace
	// are sent, but not empty files. Distinct means that if several files have the same text,
	// only the first is sent. Files of conditional rows are exempt.
	Empty, Blank, Distinct bool
	// Imports is the form of imports. Depth is the maximum depth of imports, counted from a row's
	// file.
	Imports ImportForm
	Depth   int
	// Inline holds the texts around inline imports.
	Inline InlineTexts
	// Mode parses the setting that selects the files. It is nil if there is none.
	Mode func(setting string) InstructionMode
	// Excludes is the key of the host's settings that excludes files.
	Excludes string

	// Compose creates the messages for the session's files, and Brought for files activated by a
	// touched file; nil means Compose. If Compose is nil, the four functions below are used.
	// Always means that Compose is called even if there are no files.
	Compose func(InstructionSession, []InstructionText) []InstructionMessage
	Always  bool
	Brought func(InstructionSession, []InstructionText) []InstructionMessage

	// Part renders one of several files from its absolute path, the label of its row, and its
	// trimmed text.
	Part func(path, label, text string) string
	// Message returns the message with all parts. asAgent means that the session runs as an agent
	// that the user chose.
	Message func(parts string, now time.Time, asAgent bool) string
	// Touched renders a file activated by a touched file, with its text unchanged. followed means
	// that another file follows in the same message.
	Touched func(path, text string, followed bool) string
	// Closer ends the host's block around text. The host does not escape Closer if the text
	// contains it.
	Closer string
	// TouchedRole is the role of the message from Touched.
	TouchedRole string
}

// ImportForm is the form in which instruction files import others.
type ImportForm uint8

// The import forms.
const (
	// NoImports means that files cannot import other files.
	NoImports ImportForm = iota
	// ImportsBeside means that an imported text follows its importer as a separate text.
	ImportsBeside
	// ImportsInline means that an imported text replaces the import.
	ImportsInline
)

// InlineTexts holds the texts that replace an import. Each function receives the path as written.
type InlineTexts struct {
	// Imported replaces an import with the text of the file at the absolute path abs. Failed is
	// used for a file that cannot be read, Outside for a file that must not be read, and Again
	// for a cycle. If one is nil, the import stays as written.
	Imported func(path, abs, text string) string
	Failed   func(path, why string) string
	Outside  func(path string) string
	Again    func(path, abs string) string
	// Missing is the reason passed to Failed if an absolute path does not exist. nil leaves the
	// import unchanged.
	Missing func(abs string) string
	// Tokens means that imports are found as described at [instructions.TokenImports]; otherwise
	// as at [instructions.InlineImports].
	Tokens bool
	// Once means that a file that was already imported into the same row's file counts as a
	// cycle. MaxFiles is the maximum number of files that one file of a row may import, directly
	// or indirectly; 0 means no limit.
	Once     bool
	MaxFiles int
}

// InstructionPlace is where an instruction file was found.
type InstructionPlace struct {
	// Row is the index of the file's row. Distance is the number of directories between the
	// file's directory and the working directory. Top means that the file's directory is the
	// repository root, or the working directory if there is no repository. Above means that it is
	// above that directory.
	Row, Distance int
	Top, Above    bool
}

// InstructionSession is the session data that Compose needs.
type InstructionSession struct {
	// WorkDir is the absolute path of the working directory. UserDir is the absolute path of the
	// host's own directory in the home directory, or "" if there is no home directory.
	WorkDir, UserDir string
	// Waiting holds the conditional files that wait for a matching file, in order.
	Waiting []WaitingInstruction
}

// WaitingInstruction is a conditional file that is not sent.
type WaitingInstruction struct {
	// Path is relative to the directory that contains the row's directory, or absolute for a file
	// outside the project.
	Path        string
	Patterns    []string
	Description string
}

// InstructionText is the text of one file, or of one imported file.
type InstructionText struct {
	// Path is the absolute path of the file.
	Path  string
	Layer definition.Layer
	Text  string
	// Rule means that the file's row is conditional.
	Rule bool
}

// InstructionMessage is one message that a host sends.
type InstructionMessage struct{ Role, Text string }

// InstructionRow is one location of instruction files.
type InstructionRow struct {
	Layer definition.Layer
	// Dir and File match the root and its rule. An empty File means every file below Dir.
	Dir, File string
	// Label is the host's description of the files.
	Label string
	// Source is the settings source of the files, one of the Source constants.
	Source string
	// Conditional means that a file with paths waits for a matching file. OnRequest means that a
	// file without paths is included only if it always applies.
	Conditional, OnRequest bool
	// Other means that [InstructionMode] decides whether the files count.
	Other bool
	// NotNested means that the host does not look for the files below the working directory.
	NotNested bool
	// Group names a group of rows: in each directory, only the first row of a group that has a
	// file counts. SkipEmpty means that an empty file does not count. Set names a set of rows:
	// only the first row of a set that has a file anywhere counts.
	Group, Set string
	SkipEmpty  bool
	// Real means that the host refers to a file by its path with symlinks resolved.
	Real bool
	// NoImports means that imports in these files are ignored.
	NoImports bool
}

// InstructionMode selects the instruction files that count. The zero value selects all
// rows without Other.
type InstructionMode struct {
	// Fallback selects the Other rows if the profile's fallback activates them. Both always
	// selects them.
	Fallback, Both bool
	// ManagedOnly restricts the files to the managed layer.
	ManagedOnly bool
}
