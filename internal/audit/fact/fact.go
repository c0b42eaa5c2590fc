// Package fact takes from a definition and what travels with it what an audit
// judges by: addresses, commands, paths, code points, imperatives and what they are
// about. Facts say what is there and in which standing (said, forbidden, quoted,
// hidden), never whether it is dangerous: that is for the rules.
//
// Everything is pure and bounded: no file is opened, nothing runs, and no text makes
// it work longer than in proportion to its length.
package fact

import (
	"github.com/vadehq/vade/diag"
)

// Place is where a fact stands.
type Place struct {
	// File is an index into the files of the package.
	File int
	// Span is a range of the file's Text.
	Span diag.Span
}

// Medium is the kind of text that something stands in.
type Medium uint8

// The media.
const (
	Prose Medium = iota
	// Frontmatter is a value of the frontmatter.
	Frontmatter
	// CodeSpan is code in a line of prose.
	CodeSpan
	// Fence is a block of code.
	Fence
	// Comment is a comment in Markdown or HTML, CodeComment one in a script.
	Comment
	CodeComment
	// Shell is a command that a host runs while it loads the definition.
	Shell
	// Code is the code of a script, Text one of its literals.
	Code
	Literal
	// Value is a value in a file of configuration or data.
	Value
)

// Standing is how a text means what it says.
type Standing struct {
	Medium Medium
	// Lang is the language of code: one of the names that [Language] gives.
	Lang string
	// Heading is the nearest heading above, without its marks, in small letters.
	Heading string
	// Forbidden: the author says not to do it.
	Forbidden bool
	// Quoted: it is shown as what others say or do: an attack that is described, a
	// pattern to look for, a bad example, a quotation.
	Quoted bool
	// Hidden: who reads the rendered text does not see it.
	Hidden bool
	// Beside: it stands in a document or in data beside the definition, not in
	// its own text and not in code that would run.
	Beside bool
	// Led: the definition tells its reader to run, read or follow that document.
	Led bool
	// Packed: it was encoded, and stood in the clear nowhere.
	Packed bool
}

// Meant reports whether a text is there to be followed or run.
func (s Standing) Meant() bool { return !s.Forbidden && !s.Quoted }

// Apart reports whether a text is in a document that the definition does not send its
// reader to.
func (s Standing) Apart() bool { return s.Beside && !s.Led }

// Region is a stretch of text of one medium.
type Region struct {
	Place
	Standing
	// Text is the stretch: for code in a quotation without the marks of the
	// quotation, so that offsets in it go through [Region.At].
	Text string
	// Intro is the prose right before a block of code: the sentence that says what
	// the block is for. "" where there is none.
	Intro string
	// Key is the field that a value belongs to.
	Key string
	// Veil is how it is hidden, where it is.
	Veil HiddenKind
	// lines are the places where Text leaves out what stands in the file.
	lines []shift
	// zones are the parts that are meant otherwise than the whole.
	zones []zone
}

// At returns the place in the file of a range of the region's text.
func (r *Region) At(start, end int) Place {
	return Place{File: r.File, Span: diag.Span{Start: r.offset(start), End: max(r.offset(start), r.offset(end))}}
}

func (r *Region) offset(at int) int {
	base := r.Span.Start
	n := 0
	for lo, hi := 0, len(r.lines); lo < hi; {
		if mid := (lo + hi) / 2; r.lines[mid].text <= at {
			lo, n = mid+1, mid+1
		} else {
			hi = mid
		}
	}
	if n == 0 {
		return min(base+at, r.Span.End)
	}
	return min(r.lines[n-1].raw+at-r.lines[n-1].text, r.Span.End)
}

// Facts is all that was found in a package, each list in the order of files and
// places.
type Facts struct {
	Package *Package
	Regions []Region
	Missed  []Missed

	ShellFacts
	ScriptFacts
	NetFacts
	TextFacts
	SayFacts
	PackFacts
}
