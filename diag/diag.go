// Package diag defines diagnostics, which describe problems in files, including content that hosts
// ignore. A diagnostic has a stable code, a position, a message and a fix.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity indicates how serious a diagnostic is.
type Severity uint8

// The severities, from least to most severe. Info means that nothing is lost. Warning means that
// the definition is active, but not in every host or not as its author wrote it. Error means that
// part of the definition cannot be used.
const (
	Info Severity = iota
	Warning
	Error
)

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "info"
}

// MarshalText encodes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Edit is a replacement for a range in the file that fixes the problem.
type Edit struct {
	Span Span `json:"-"`
	// Start and End are byte offsets in the file. End is exclusive.
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Diagnostic describes a problem at a position in a file. Content that a host ignores also counts
// as a problem.
type Diagnostic struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// File is the path as shown to users. Line and Column start at 1, and Column counts runes. Both
	// are 0 if the diagnostic applies to the whole file.
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	// Fix tells the user what to do.
	Fix  string `json:"fix,omitempty"`
	Edit *Edit  `json:"edit,omitempty"`
	// Source is the file's line as written. It is untrusted and must be escaped
	// before it is written to a terminal.
	Source string `json:"-"`

	// Problem is the part of Message that describes the problem without saying what a host does
	// about it, so that one report can cover several hosts. It is "" if Message does not mention a
	// host. Effect is what the host does.
	Problem string `json:"-"`
	Effect  Effect `json:"-"`
	// Field is the key of the missing field. It is set only if the problem is a missing field.
	Field string `json:"-"`
}

// Effect is what a host does in response to a problem.
type Effect uint8

// The effects. NotLoaded means that the host does not load the definition. NoFrontmatter means that
// the host treats the frontmatter as part of the body. The other effects concern a single field:
// the host ignores it, truncates it, treats it as a string, loads it with a warning, or takes its
// value literally.
const (
	NoEffect Effect = iota
	NotLoaded
	NoFrontmatter
	Ignored
	Truncated
	TreatedAsString
	Warned
	Literal
)

// At returns a diagnostic for a range in a file, with the default severity of its code.
func At(f *File, span Span, code Code, format string, args ...any) Diagnostic {
	start, end := f.Pos(span.Start), f.Pos(max(span.Start, span.End))
	return Diagnostic{
		Code: code, Severity: code.Severity(), Message: fmt.Sprintf(format, args...),
		File: f.Name, Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column,
		Source: f.Line(span.Start),
	}
}

// For returns a diagnostic for a whole file or directory.
func For(path string, code Code, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Severity: code.Severity(), Message: fmt.Sprintf(format, args...), File: path}
}

// WithFix returns d with a fix that tells the user what to do.
func (d Diagnostic) WithFix(format string, args ...any) Diagnostic {
	d.Fix = fmt.Sprintf(format, args...)
	return d
}

// WithEdit returns d with an edit that fixes the problem.
func (d Diagnostic) WithEdit(span Span, text string) Diagnostic {
	d.Edit = &Edit{Span: span, Start: span.Start, End: span.End, New: text}
	return d
}

// String returns "file:line:col: severity: message [CODE]", a format that editors can parse. Text
// from the file is not escaped.
func (d Diagnostic) String() string {
	place := d.File
	if d.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Column)
	}
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s: %s [%s]", place, d.Severity, d.Message, d.Code)
}

// Sort orders diagnostics by file, position, code and message.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
}
