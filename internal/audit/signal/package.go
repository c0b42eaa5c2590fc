package signal

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/jsonc"
)

// Package is a definition and its files, as read by package bundle.
type Package struct {
	// Name is the name of the package's directory, or of its file without the extension.
	Name string
	Kind definition.Kind
	// Layer is the layer that the package comes from, or 0 if it is unknown.
	Layer definition.Layer
	// Files lists the files that were read: the definition's own file first, then the others sorted
	// by path.
	Files []*File
	// Bare reports whether the package consists of files without a definition.
	Bare bool
	// Missed lists the parts that were not read and why.
	Missed []Missed
}

// Missed is part of a package that was not read, or not fully analyzed.
type Missed struct {
	Path   string `json:"path"`
	Size   int64  `json:"size,omitempty"`
	Reason Reason `json:"reason"`
	// Note adds details to the reason. It may be "".
	Note string `json:"note,omitempty"`
}

// TooDeep is the note for a directory that is nested too deeply to be read.
const TooDeep = "too deep"

// Prefixes of the note for a symlink, each of which is followed by the symlink's target. The target
// alone does not show whether it is outside the package, because its path can contain another
// symlink.
const (
	LeadsTo      = "points to "
	LeadsOutside = "points outside, to "
)

// Reason says why something was not read.
type Reason string

// The reasons.
const (
	// MissedTooLarge is a file that exceeds a size limit. MissedTooMany is content that exceeds
	// another limit, such as the maximum number of files.
	MissedTooLarge Reason = "too-large"
	MissedTooMany  Reason = "too-many"
	// MissedNative is machine code. MissedBytecode is code for an interpreter.
	MissedNative   Reason = "native"
	MissedBytecode Reason = "bytecode"
	// MissedArchive is an unopened archive. MissedOffice is an office document.
	MissedArchive Reason = "archive"
	MissedOffice  Reason = "office"
	// MissedMedia is audio, video, images and fonts, which contain no text for a model.
	MissedMedia Reason = "media"
	// MissedBinary is a binary file in an unknown format.
	MissedBinary Reason = "binary"
	// MissedLink is a symlink whose target was not read. MissedHardLink is a file with more than
	// one hard link. MissedSpecial is a pipe, socket or device.
	MissedLink     Reason = "link"
	MissedHardLink Reason = "hard-link"
	MissedSpecial  Reason = "special"
	// MissedVersionControl is a version control directory.
	MissedVersionControl Reason = "version-control"
	// MissedUnreadable is a file that could not be read.
	MissedUnreadable Reason = "unreadable"
	// MissedLanguage is text in a natural or programming language that the audit does not
	// understand.
	MissedLanguage Reason = "language"
	// MissedUnparsed is content that could not be parsed, or whose audit failed.
	MissedUnparsed Reason = "unparsed"
	// MissedPacked is encoded, encrypted or embedded data that was not read.
	MissedPacked Reason = "packed"
)

// Role is a file's function in a package.
type Role uint8

// The roles. Main is the definition's own file. Document is any other text that is written for
// readers, such as Markdown. Script is code. Config is a JSON, YAML, TOML or similar file. Legal is
// a license or notice. Data is any other text. Opaque is a file that is not text.
const (
	Data Role = iota
	Opaque
	Main
	Document
	Script
	Config
	Legal
)

// File is a file in a package.
type File struct {
	// Path is slash-separated and relative to the package.
	Path string
	// Raw is the file's content.
	Raw []byte
	// Text is Raw converted to UTF-8, without invisible characters, and with look-alikes replaced
	// by the letters that they resemble. If nothing needs to change, Text has the same bytes as
	// Raw.
	Text string
	// Size is the size of the whole file in bytes. Raw may contain only the beginning.
	Size int64
	Exec bool
	Role Role
	// Lang is the language of a script or configuration file, as returned by [Language].
	Lang string
	// From describes the container of a file that was packed in another file. Otherwise, it is nil.
	From *Packed

	// RightToLeft reports whether the text contains letters from a right-to-left script.
	RightToLeft bool

	// Offsets lists the places where Text and Raw differ.
	Offsets OffsetMap
	// UTF8 is Raw converted to UTF-8 if Raw is in UTF-16. Otherwise, it is nil.
	UTF8   []byte
	raw    *diag.File
	fields *Fields
}

// Fields holds the fields in a definition's frontmatter or in a configuration file.
type Fields struct {
	frontmatter.Document
	Diagnostics []diag.Diagnostic
}

// MaxFields is the maximum length in bytes of a configuration file whose fields are parsed.
const MaxFields = 256 << 10

// Fields returns the fields in the frontmatter of a definition, or those in a TOML or other
// configuration file. It parses the file only when it is first called. Text, Lang and Role must
// already be set.
func (f *File) Fields() *Fields {
	if f.fields != nil {
		return f.fields
	}
	f.fields = &Fields{}
	src := diag.NewFile(f.Path, []byte(f.Text))
	switch {
	case f.Role != Main && len(f.Text) > MaxFields:
	case f.Lang == "toml":
		f.fields.Document, f.fields.Diagnostics = frontmatter.ParseTOML(src)
	case f.Role == Main:
		f.fields.Document, f.fields.Diagnostics = frontmatter.Parse(src, false, host.NeutralDialect())
	default:
		if f.Lang == "json" {
			// Parse JSON as YAML, without the tabs and comments that YAML does not allow.
			src.Data = jsonc.Plain([]byte(strings.ReplaceAll(f.Text, "\t", " ")))
		}
		f.fields.Document, f.fields.Diagnostics = frontmatter.ParseYAML(src)
	}
	return f.fields
}

// Packed describes the container that a file was in: an archive, or a file with data appended to
// it.
type Packed struct {
	// Format is the container's format, such as zip or gzip.
	Format string
	// Depth is 1 if the container is a file on disk, 2 if the container was itself in such a
	// container, and so on.
	Depth int
}

// SourceText returns the text that RawSpan and Source refer to: Raw or, if Raw is UTF-16, its UTF-8
// form.
func (f *File) SourceText() []byte {
	if f.UTF8 != nil {
		return f.UTF8
	}
	return f.Raw
}

// Source returns the file split into lines, for display.
func (f *File) Source() *diag.File {
	if f.raw == nil {
		f.raw = diag.NewFile(f.Path, f.SourceText())
	}
	return f.raw
}

// RawSpan converts a range in Text to a range in the text that SourceText returns. The result
// includes the characters that Text omits within the range.
func (f *File) RawSpan(s diag.Span) diag.Span {
	if len(f.Offsets) == 0 {
		return s
	}
	return f.Offsets.span(s, diag.Span{End: len(f.SourceText())})
}

// TextOffset converts an offset in the text that SourceText returns to an offset in Text.
func (f *File) TextOffset(raw int) int { return f.Offsets.offset(raw, 0, len(f.Text)) }
