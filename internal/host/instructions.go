package host

import (
	"time"

	"github.com/vadehq/vade/definition"
)

// Instructions describes how a host sends instruction files to the model. A profile
// without it uses the neutral form, which is Vade's own.
type Instructions struct {
	// Rows are the locations of instruction files in the host's order. The directories
	// of a project follow from the outermost to the working directory, and the rows
	// within each directory. ByRow: all files of a row come before those of the next.
	// Inward: the directories follow from the working directory up.
	Rows          []InstructionRow
	ByRow, Inward bool
	// Rank positions a file, lower ranks first; read is false if the host does not read the
	// row's files there. It replaces the order above. nil means that order.
	Rank func(InstructionPlace) (rank int, read bool)
	// MaxFile is the size in bytes above which a file is not read. MaxTotal is the
	// number of bytes of the project's files that are sent; 0 means no limit.
	MaxFile, MaxTotal int64
	// Whole: frontmatter and comments are sent too. Exact: so is leading and trailing
	// whitespace.
	Whole, Exact bool
	// Empty: files without text are sent too. Blank: only those of whitespace are, not empty
	// ones. Distinct: of the files with the same text, only the first is sent, apart from those
	// of conditional rows.
	Empty, Blank, Distinct bool
	// Imports is how files import others. Depth is the maximum depth of imports from a
	// row's file.
	Imports ImportForm
	Depth   int
	// Inline are the texts around inline imports.
	Inline InlineTexts
	// Mode parses the setting that selects the files; nil if there is none.
	Mode func(setting string) InstructionMode
	// Excludes is the key of the host's settings that excludes files.
	Excludes string

	// Compose creates the messages for the session's files. Brought does so for files
	// that a touched file brings in; nil means Compose. If Compose is nil, the four
	// functions below are used.
	// Always: it is called without files too.
	Compose func(InstructionSession, []InstructionText) []InstructionMessage
	Always  bool
	Brought func(InstructionSession, []InstructionText) []InstructionMessage

	// Part renders one file among others: its absolute path, the label of its row, and
	// its trimmed text.
	Part func(path, label, text string) string
	// Message is the message with all parts. asAgent: the session runs as an agent that
	// the user chose.
	Message func(parts string, now time.Time, asAgent bool) string
	// Touched renders a file that a touched file brings in, with its text unchanged.
	// followed: another one follows in the same message.
	Touched func(path, text string, followed bool) string
	// Closer ends the host's block around a text. The host does not escape it in the
	// text.
	Closer string
	// TouchedRole is the role of the message from Touched.
	TouchedRole string
}

// ImportForm is how instruction files import others.
type ImportForm uint8

// The import forms.
const (
	// NoImports: files import nothing.
	NoImports ImportForm = iota
	// ImportsBeside: an imported text follows its importer as a separate text.
	ImportsBeside
	// ImportsInline: an imported text replaces the import.
	ImportsInline
)

// InlineTexts replace an import, given its path as written.
type InlineTexts struct {
	// Imported replaces an import with the text of the file at the absolute path abs. Failed
	// is for a file that cannot be read, Outside for one that must not be read, and Again for
	// a cycle. Where one is nil, the import stays as it is written.
	Imported func(path, abs, text string) string
	Failed   func(path, why string) string
	Outside  func(path string) string
	Again    func(path, abs string) string
	// Missing is the reason passed to Failed if an absolute path does not exist; nil leaves the
	// import as it is.
	Missing func(abs string) string
	// Tokens: imports are found as [instructions.TokenImports] describes; otherwise as
	// [instructions.InlineImports] does.
	Tokens bool
	// Once: a file that was imported before into the same row's file counts as a cycle.
	// MaxFiles is how many files one file of a row may import, including those that its
	// imports import; 0 means no limit.
	Once     bool
	MaxFiles int
}

// InstructionPlace is where an instruction file was found.
type InstructionPlace struct {
	// Row is the index of its row. Distance is how many directories its own is above the
	// working directory. Top: it is that of the repository, or the working directory without
	// one. Above: it is above that.
	Row, Distance int
	Top, Above    bool
}

// InstructionSession is the session data that Compose needs.
type InstructionSession struct {
	// WorkDir is the absolute path of the working directory, UserDir that of the host's own
	// directory of the user, "" without a home directory.
	WorkDir, UserDir string
	// Waiting are the conditional files that wait for a file to match, in order.
	Waiting []WaitingInstruction
}

// WaitingInstruction is a conditional file that is not sent.
type WaitingInstruction struct {
	// Path is relative to the directory that contains the row's, or absolute for a file that is
	// not the project's.
	Path        string
	Patterns    []string
	Description string
}

// InstructionText is one file, or one imported file.
type InstructionText struct {
	// Path is its absolute path.
	Path  string
	Layer definition.Layer
	Text  string
	// Rule: its row is conditional.
	Rule bool
}

// InstructionMessage is one message that a host sends.
type InstructionMessage struct{ Role, Text string }

// InstructionRow is one location of instruction files.
type InstructionRow struct {
	Layer definition.Layer
	// Dir and File are those of the root and its rule. An empty File means every file
	// below Dir.
	Dir, File string
	// Label is the host's description of the files.
	Label string
	// Source is the settings source of the files, one of the Source constants.
	Source string
	// Conditional: a file with paths waits until a file matches. OnRequest: a file
	// without paths is included only if it always applies.
	Conditional, OnRequest bool
	// Other: [InstructionMode] decides whether the files count.
	Other bool
	// NotNested: the host does not look for the files below the working directory.
	NotNested bool
	// Group: of the rows in one group, only the first with a file in a directory counts
	// there. SkipEmpty: an empty file does not count. Set: of the rows in one set, only
	// the first with a file anywhere counts.
	Group, Set string
	SkipEmpty  bool
	// Real: the host names a file by its path without symlinks.
	Real bool
	// NoImports: imports in these files are ignored.
	NoImports bool
}

// InstructionMode selects the instruction files that count. The zero value selects all
// rows without Other.
type InstructionMode struct {
	// Fallback selects the Other rows if the profile's fallback activates them, Both
	// selects them always.
	Fallback, Both bool
	// ManagedOnly selects the managed layer only.
	ManagedOnly bool
}
