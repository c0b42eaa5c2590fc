package host

import (
	"time"

	"github.com/vadehq/vade/definition"
)

// Instructions says how a host puts its instruction files before the model. A
// profile without one has the neutral form, which is Vade's own.
type Instructions struct {
	// Rows are the places of instruction files in the host's order. Within one
	// directory they follow each other in this order; the directories of a
	// project follow from the outermost down to the working directory. ByRow: all
	// files of a row come before those of the next. Inward: the directories follow
	// from the working directory up.
	Rows          []InstructionRow
	ByRow, Inward bool
	// MaxFile is the length in bytes above which a file is not read. MaxTotal is
	// how many bytes of the project's files are sent; 0 is no limit.
	MaxFile, MaxTotal int64
	// Whole: frontmatter and comments are sent with the rest. Exact: white space at
	// both ends is.
	Whole, Exact bool
	// Imports is how files import others, Depth how many imports may lead from a
	// file of a row to another.
	Imports ImportForm
	Depth   int
	// Inline are the texts around what is imported inline.
	Inline InlineTexts
	// Mode reads the setting that says which files count; nil has none.
	Mode func(setting string) InstructionMode
	// Excludes is the key of the host's settings that leaves files out.
	Excludes string

	// Compose makes messages of the files of the session, and of those that a
	// file has brought in where Brought is nil. Where Compose is nil there are the
	// four below.
	Compose func(InstructionSession, []InstructionText) []InstructionMessage
	Brought func(InstructionSession, []InstructionText) []InstructionMessage

	// Part is one file as it stands among the others: its absolute path, the
	// label of its row, and its text without white space at both ends.
	Part func(path, label, text string) string
	// Message is the message that holds the parts. asAgent: the session runs as
	// an agent of the user's choice.
	Message func(parts string, now time.Time, asAgent bool) string
	// Touched is a file that a touched file brought in, with its text as it is.
	// followed: another one follows in the same message.
	Touched func(path, text string, followed bool) string
	// Closer ends the host's block around a text. The host does not look for it
	// in the text.
	Closer string
	// TouchedRole is the role of the message that holds it; see [Instructions.Touched].
	TouchedRole string
}

// ImportForm is how instruction files import others.
type ImportForm uint8

// The forms.
const (
	// NoImports: they do not.
	NoImports ImportForm = iota
	// ImportsBeside: what is imported follows the file as a text of its own.
	ImportsBeside
	// ImportsInline: what is imported takes the place of the import.
	ImportsInline
)

// InlineTexts are what takes the place of an import, by its path as it is written.
type InlineTexts struct {
	// Imported stands for a file with its text, Failed for one that can not be
	// read, Outside for one that may not be, Again for one that leads here.
	Imported, Failed func(path, text string) string
	Outside, Again   func(path string) string
	// Missing is the reason of Failed where there is no file of an absolute path.
	Missing func(abs string) string
}

// InstructionSession is what a composition knows besides the files.
type InstructionSession struct {
	// WorkDir is the absolute path of the working directory.
	WorkDir string
}

// InstructionText is one file, or what one file imports.
type InstructionText struct {
	// Path is its absolute path.
	Path  string
	Layer definition.Layer
	Text  string
}

// InstructionMessage is one message of a host.
type InstructionMessage struct{ Role, Text string }

// InstructionRow is one place of instruction files.
type InstructionRow struct {
	Layer definition.Layer
	// Dir and File are those of the root and its rule; a File of "" is every
	// file below Dir.
	Dir, File string
	// Label is what the host says of the files.
	Label string
	// Source is the source that the files belong to, one of the constants Source….
	Source string
	// Conditional: files with paths wait for a file that matches. OnRequest: of
	// those without, only the ones that say they always apply are in the session.
	Conditional, OnRequest bool
	// Other: the files count as [InstructionMode] says.
	Other bool
	// NotNested: the row is not looked at in directories below the working
	// directory.
	NotNested bool
	// Group: of the rows of one group, only the first that a directory has a file
	// of counts there; SkipEmpty: an empty file is none. Set: of the rows of one
	// set, only the first that has a file anywhere counts.
	Group, Set string
	SkipEmpty  bool
	// NoImports: these files import nothing.
	NoImports bool
}

// InstructionMode says which instruction files count. The zero value takes all
// rows but the other ones.
type InstructionMode struct {
	// Fallback takes the other rows where the profile's fallback has them in
	// force, Both in any case.
	Fallback, Both bool
	// ManagedOnly takes the managed layer alone.
	ManagedOnly bool
}
