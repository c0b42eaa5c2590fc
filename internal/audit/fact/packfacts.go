package fact

import (
	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// PackFacts are about the package: what it asks for, and what its files are.
type PackFacts struct {
	// Entries are the fields of the frontmatter.
	Entries []definition.Entry
	// Block is where the frontmatter stands, without the lines around it; Body is
	// where the body begins. Broken: no field could be read for sure.
	Block  Place
	Body   int
	Broken bool
	// Flaws are what is odd in the way in which the frontmatter is written.
	Flaws  []Flaw
	Grants []Grant
	Hooks  []Hook
	// Kinds has one of each file, in their order.
	Kinds []FileKind
	// Followed are the paths of files, read or not, that the definition sends its reader
	// to, also by way of others of them.
	Followed map[string]bool
}

// Flaw is something odd in the writing of a frontmatter.
type Flaw struct {
	Place
	Code diag.Code
	// Text says it in words.
	Text string
}

// Grant is a tool that the definition asks to use without being asked.
type Grant struct {
	Place
	// Field is the field that it stands in, Tool the name of the tool, Rule what
	// stands in its brackets.
	Field, Tool, Rule string
}

// Hook is a command that a host runs on an event.
type Hook struct {
	Place
	Event, Command string
}

// FileKind is what a file is by its first bytes and by its name.
type FileKind struct {
	// File is an index into the files of the package, Path is relative to it.
	File int
	Path string
	// Magic is what the bytes say, Name what the ending says; "" is not known. Class
	// and Named are the classes of the two.
	Magic, Name  string
	Class, Named FormClass
	// Script is the language that the first line names: "?" for one that is not known.
	Script string
	// Behind is where something else begins that is appended, Tail what that is:
	// "zip", "elf", "text", "data" …
	Behind int
	Tail   string
	// Sealed: parts of it are encrypted. Macros: it is a document with programs.
	Sealed, Macros bool
	// Opened is how many files of it were looked at.
	Opened int
	// Empty: there is nothing in it.
	Empty bool
	// Why is set where the file was not looked at, Note says more.
	Why  Reason
	Note string
}
