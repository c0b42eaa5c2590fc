package signal

import (
	"sort"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// Package is one definition with all that travels with it. Package bundle reads it.
type Package struct {
	// Name is what its directory is called, or its file without the ending.
	Name string
	Kind definition.Kind
	// Layer is where it comes from; 0 is not known.
	Layer definition.Layer
	// Files are those that were read, the definition's own first, the others by
	// their paths.
	Files []*File
	// Bare: there is no definition, only files.
	Bare bool
	// Missed is what was not read, and why.
	Missed []Missed
}

// Missed is something of a package that was not looked at.
type Missed struct {
	Path string
	Size int64
	Why  Reason
	// Note says more than the reason, in a few words; it may be "".
	Note string
}

// TooDeep is the note of a directory below which nothing was read.
const TooDeep = "too deep"

// The notes of a link, before its text. One may lead outside only by way of others.
const (
	LeadsTo      = "leads to "
	LeadsOutside = "leads outside, to "
)

// Reason says why something was not looked at.
type Reason string

// The reasons.
const (
	// MissedTooLarge is over the limit for a file, MissedTooMany over a limit for a package.
	MissedTooLarge Reason = "too-large"
	MissedTooMany  Reason = "too-many"
	// MissedNative is a program in machine code, MissedBytecode one for an interpreter.
	MissedNative   Reason = "native"
	MissedBytecode Reason = "bytecode"
	// MissedArchive is a container that was not opened, MissedOffice one of documents.
	MissedArchive Reason = "archive"
	MissedOffice  Reason = "office"
	// MissedMedia is sound, images and fonts: what is in them is not text for a model.
	MissedMedia Reason = "media"
	// MissedBinary is what has no known form.
	MissedBinary Reason = "binary"
	// MissedLink is a link that leads elsewhere, MissedHardLink a file with a second name,
	// MissedSpecial a pipe, socket or device.
	MissedLink     Reason = "link"
	MissedHardLink Reason = "hard-link"
	MissedSpecial  Reason = "special"
	// MissedKept is a directory in which version control keeps what it knows.
	MissedKept Reason = "version-control"
	// MissedUnreadable could not be read.
	MissedUnreadable Reason = "unreadable"
	// MissedLanguage is text in a language, of people or of machines, whose meaning is
	// not judged.
	MissedLanguage Reason = "language"
	// MissedUnparsed is code that could not be parsed as what it says it is.
	MissedUnparsed Reason = "unparsed"
	// MissedPacked is data that is encoded or encrypted in a way that was not undone.
	MissedPacked Reason = "packed"
)

// Role says what a file of a package is for.
type Role uint8

// The roles. Main is the definition's own file; Document is other text that a model
// is told to read; Script is code; Config is JSON, YAML, TOML and their like; Legal is
// a licence or notice; Data is any other text; Opaque is no text.
const (
	Data Role = iota
	Opaque
	Main
	Document
	Script
	Config
	Legal
)

// File is one file of a package.
type File struct {
	// Path is relative to the package, with slashes.
	Path string
	// Raw is the content of the file.
	Raw []byte
	// Text is Raw as it is read: without invisible characters, look-alikes folded.
	// Where nothing had to be changed it has the same bytes.
	Text string
	// Size is the length of the file; Raw may be shorter.
	Size int64
	Exec bool
	Role Role
	// Lang is the language of a script or of configuration: one of the names that
	// [Language] gives.
	Lang string
	// From is set where the text was packed in another file.
	From *Packed

	// RightToLeft: it has letters that are written from the right.
	RightToLeft bool

	// Moves are the places where Text and Raw differ, by offsets in Text.
	Moves []Move
	// UTF8 is Raw in UTF-8, where it is in another encoding.
	UTF8 []byte
	raw  *diag.File
}

// Packed says where a text was found that was encoded in another.
type Packed struct {
	// File is the index of the file that it is in, Span its place there, in Text.
	File int
	Span diag.Span
	// How is the encoding: base64, hex, gzip …
	How string
	// Container: the text is a file of its own in an archive, and places in it are its
	// own.
	Container bool
	// Depth is 1 for what is packed in a real file, 2 for what is packed in that …
	Depth int
}

// Move is a place where Text and Raw differ: Raw[Before:Raw] is not in Text, which goes on
// there with Text[Text:].
type Move struct{ Text, Before, Raw int }

// Shown is what RawSpan and Source are about: Raw, or where that is in UTF-16 the same in
// UTF-8.
func (f *File) Shown() []byte {
	if f.UTF8 != nil {
		return f.UTF8
	}
	return f.Raw
}

// Source is the file with its lines, for showing.
func (f *File) Source() *diag.File {
	if f.raw == nil {
		f.raw = diag.NewFile(f.Path, f.Shown())
	}
	return f.raw
}

// RawSpan turns a range of Text into one of Raw, or of what is shown in its place.
// Characters that were left out belong to a range when they are inside it.
func (f *File) RawSpan(s diag.Span) diag.Span {
	if len(f.Moves) == 0 {
		return s
	}
	start := f.rawStart(s.Start)
	return diag.Span{Start: start, End: max(start, f.rawEnd(s.End))}
}

func (f *File) rawStart(at int) int {
	n := sort.Search(len(f.Moves), func(i int) bool { return f.Moves[i].Text > at })
	return f.rawFrom(n, at)
}

// TextOffset is the place in Text of one in Raw, or of what is shown in its place.
func (f *File) TextOffset(raw int) int {
	n := sort.Search(len(f.Moves), func(i int) bool { return f.Moves[i].Raw > raw })
	end := len(f.Text)
	if n < len(f.Moves) {
		end = f.Moves[n].Text
	}
	if n == 0 {
		return min(raw, end)
	}
	m := f.Moves[n-1]
	return min(m.Text+raw-m.Raw, end)
}

func (f *File) rawEnd(at int) int {
	n := sort.Search(len(f.Moves), func(i int) bool { return f.Moves[i].Text >= at })
	if n < len(f.Moves) && f.Moves[n].Text == at {
		return f.Moves[n].Before
	}
	return f.rawFrom(n, at)
}

// rawFrom counts from the last of the first n moves, at most to the next one.
func (f *File) rawFrom(n, at int) int {
	end := len(f.Shown())
	if n < len(f.Moves) {
		end = f.Moves[n].Before
	}
	if n == 0 {
		return min(at, end)
	}
	m := f.Moves[n-1]
	return min(m.Raw+at-m.Text, end)
}
