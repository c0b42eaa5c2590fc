// Package body splits a definition's body into segments of text and placeholders. It only finds
// placeholders; the rendering stage replaces them, so inserted values are never scanned again. It
// also finds headings, links and comments in Markdown.
//
// The syntax is the one observed in Claude Code 2.1.329: placeholders, variables and shell segments
// are recognized everywhere, even in code and comments. Each segment records whether it is in code
// or a comment, so callers can skip such segments.
package body

import (
	"github.com/vadehq/vade/diag"
)

// Kind identifies what a segment contains.
type Kind uint8

// The segment kinds.
const (
	// Text is literal text.
	Text Kind = iota
	// Placeholder is an argument placeholder: $ARGUMENTS, $ARGUMENTS[2], $2 or $name.
	Placeholder
	// Variable is ${UPPER_CASE}. The caller decides which names exist.
	Variable
	// FileRef is @path or @"path", with an optional line range.
	FileRef
	// Shell is !`command` or a ```! block.
	Shell
)

var kindNames = [...]string{"text", "placeholder", "variable", "file reference", "shell"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// All is the Index of $ARGUMENTS, which expands to the arguments as typed.
const All = -1

// Segment is one piece of a body. The spans of a body's segments cover the text without
// gaps or overlaps.
type Segment struct {
	// Span is the segment's byte range in the scanned text.
	Span diag.Span
	// Name depends on the kind of segment. For a Variable, or a Placeholder for a declared name, it
	// is that name. For a FileRef, it is the path without quotes or line range. For a Shell
	// segment, it is the command without surrounding whitespace.
	Name string
	// Index is the zero-based position of a Placeholder's argument, or All. For a declared name, it
	// is the name's position.
	Index int
	// First and Last are the first and last line of a FileRef, starting at 1. Both are 0 if it
	// refers to the whole file.
	First, Last int
	Kind        Kind
	// Escaped is set for a Placeholder that follows a backslash. The first byte of the span is that
	// backslash. The segment is replaced with its own text without the backslash.
	Escaped bool
	// Block is set for a Shell segment in a ```! block.
	Block bool
	// InFence, InCode and InComment are set if the segment begins in a fenced code block, an inline
	// code span, or an HTML comment, respectively. They are never set for Text, because a Text
	// segment may extend into and out of these.
	InFence, InCode, InComment bool
}

// Quoted reports whether the segment is in code or a comment, where it is probably an example.
func (s Segment) Quoted() bool { return s.InFence || s.InCode || s.InComment }

// Source returns the part of the scanned text that the segment covers.
func (s Segment) Source(text string) string { return text[s.Span.Start:s.Span.End] }

// Options configures a scan.
type Options struct {
	// Names are the declared argument names, in order. As in Claude Code, a name that is empty or
	// all digits never matches. Only the first 1,000 names that are not plain words can match.
	Names []string
}
