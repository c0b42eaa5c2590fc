// Package diag describes what is wrong with, or ignored in, a file: one type,
// with a stable code, a place, and what to do about it.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says how much a diagnostic matters.
type Severity uint8

// The severities, from harmless to harmful. Info: nothing is lost. Warning:
// the definition is in force, but not as its author wrote it, or not in every
// host. Error: something of it could not be used.
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

// MarshalText makes a severity a word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Edit is a replacement of a range of the file that would mend the diagnostic.
type Edit struct {
	Span Span `json:"-"`
	// Start and End are byte offsets in the file, half-open.
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Diagnostic is one thing that is wrong or ignored, with its place.
type Diagnostic struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// File is the path as it is shown to the user. Line and Column begin at 1
	// and count runes; they are 0 where the whole file is meant.
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	// Fix tells the user what to do next.
	Fix  string `json:"fix,omitempty"`
	Edit *Edit  `json:"edit,omitempty"`
	// Source is the text of the line, as it stands in the file: other
	// people's bytes, to be escaped before they reach a terminal.
	Source string `json:"-"`
}

// At returns a diagnostic for a range of a file, with the severity that the
// registry gives to its code.
func At(f *File, span Span, code Code, format string, args ...any) Diagnostic {
	start, end := f.Pos(span.Start), f.Pos(max(span.Start, span.End))
	return Diagnostic{
		Code: code, Severity: code.Severity(), Message: fmt.Sprintf(format, args...),
		File: f.Name, Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column,
		Source: f.Line(span.Start),
	}
}

// For returns a diagnostic for a file or directory as a whole.
func For(path string, code Code, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Severity: code.Severity(), Message: fmt.Sprintf(format, args...), File: path}
}

// WithFix returns d with the text that tells the user what to do next.
func (d Diagnostic) WithFix(format string, args ...any) Diagnostic {
	d.Fix = fmt.Sprintf(format, args...)
	return d
}

// WithEdit returns d with a replacement that mends it.
func (d Diagnostic) WithEdit(span Span, text string) Diagnostic {
	d.Edit = &Edit{Span: span, Start: span.Start, End: span.End, New: text}
	return d
}

// String returns "file:line:col: severity: text [CODE]", the form of compilers
// that editors understand. It does not escape what comes from the file.
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

// Sort orders diagnostics by file, place and code.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
}
