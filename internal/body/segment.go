// Package body cuts the body of a definition into segments: text, and the
// places where something may be put in. It only finds them; what each becomes
// is decided by the stage that renders them, so that a value which is put in
// is never scanned again.
//
// The grammar is that of Claude Code 2.1.329, as recorded: placeholders,
// variables and shell segments are found everywhere, also in code and
// comments. Each such segment says where it stands, and a caller that is more
// careful than that host leaves those in code or comments alone.
package body

import (
	"github.com/vadehq/vade/diag"
)

// Kind says what a segment is.
type Kind uint8

// The kinds of segments.
const (
	// Text stands for itself.
	Text Kind = iota
	// Placeholder is a place for arguments: $ARGUMENTS, $ARGUMENTS[2], $2 or
	// $name.
	Placeholder
	// Variable is ${UPPER_CASE}. Whether the name means something is for the
	// caller to know.
	Variable
	// FileRef is @path, @"path" or either with a range of lines.
	FileRef
	// Shell is !`command` or a ```! block.
	Shell
)

var kindNames = [...]string{"text", "placeholder", "variable", "file reference", "shell"}

// String returns the kind's word.
func (k Kind) String() string { return kindNames[k] }

// All is the Index of $ARGUMENTS: the arguments as they were typed.
const All = -1

// Segment is one piece of a body. The segments of a body stand one after the
// other without gaps: their spans cut the text into pieces that together are
// the text.
type Segment struct {
	// Span is where the segment stands in the scanned text, in bytes.
	Span diag.Span
	// Name is the name of a Variable or of a Placeholder for a declared name,
	// the path of a FileRef without quotes and range, and the command of a
	// Shell segment without the blanks around it.
	Name string
	// Index is the position of the argument that a Placeholder is for, counted
	// from 0, or All. Where the Placeholder has a Name, it is the position of
	// that name.
	Index int
	// First and Last are the lines of a FileRef that are meant, counted from
	// 1; both are 0 where the whole file is.
	First, Last int
	Kind        Kind
	// Escaped: a Placeholder with a backslash before it. It stands for its own
	// text without that backslash, which is the first byte of the span.
	Escaped bool
	// Block: a Shell segment of the ```! form.
	Block bool
	// InFence, InCode and InComment: the segment begins in a fenced code
	// block, in an inline code span, in an HTML comment. They are never set
	// for Text, which may run across the edges of all three.
	InFence, InCode, InComment bool
}

// Quoted reports whether the segment stands in code or in a comment, where an
// author shows something rather than asks for it.
func (s Segment) Quoted() bool { return s.InFence || s.InCode || s.InComment }

// Source returns the segment's piece of the scanned text.
func (s Segment) Source(text string) string { return text[s.Span.Start:s.Span.End] }

// Options are what the grammar depends on beside the text.
type Options struct {
	// Names are the declared argument names, in their order. A name that is
	// empty or all digits is never found, as in Claude Code, nor are those beyond
	// the first 1,000 that are no plain words.
	Names []string
}
