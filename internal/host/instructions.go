package host

import (
	"time"

	"github.com/vadehq/vade/internal/definition"
)

// Instructions says how a host puts its instruction files before the model. A
// profile without one has the neutral form, which is Vade's own.
type Instructions struct {
	// Rows are the places of instruction files in the host's order. Within one
	// directory they follow each other in this order; the directories of a
	// project follow from the outermost down to the working directory.
	Rows []InstructionRow
	// MaxFile is the length in bytes above which a file is not read.
	MaxFile int64
	// Depth is how many imports may lead from a file of a row to another.
	Depth int
	// Mode reads the setting that says which files count; nil has none.
	Mode func(setting string) InstructionMode

	// Excludes is the key of the host's settings that leaves files out.
	Excludes string

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
	// Conditional: files with paths wait for a file that matches.
	Conditional bool
	// Other: the files count as [InstructionMode] says.
	Other bool
	// NotNested: the row is not looked at in directories below the working
	// directory.
	NotNested bool
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
