// Package render expands a definition's body into the text for a model. It implements the neutral
// rendering that the load contract defines, and the hosts' rendering.
//
// The neutral rendering splits the body into segments once. Expanded segments are never expanded
// again: arguments, variables, file contents and command output cannot introduce placeholders,
// references or commands.
package render

import (
	"context"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/shell"
)

// Limits per body. Anything beyond them is left as is and reported.
const (
	// MaxFiles is the maximum number of expanded file references.
	MaxFiles = 64
	// MaxLookups is the maximum number of distinct paths to look up.
	MaxLookups = 1024
	// MaxCommands is the maximum number of commands that run.
	MaxCommands = 64
	// MaxReported is the maximum number of references, and of commands, that
	// are reported individually. References beyond it are not expanded.
	MaxReported = 2048
	// MaxFileBytes is the maximum total size of expanded references.
	MaxFileBytes = 1 << 20
)

// Arguments holds the arguments that a definition is invoked with.
type Arguments struct {
	// Raw is the text as typed. Words are the arguments after splitting.
	Raw   string
	Words []string
	// plain is the value of $ARGUMENTS inside a command, where it is one word without quotes.
	plain string
}

// ParseArguments splits a typed argument line, ignoring leading and trailing whitespace, as Claude
// Code 2.1.329 does (case a24).
func ParseArguments(line string) Arguments {
	line = strings.TrimSpace(line)
	return Arguments{Raw: line, Words: shell.Fields(line), plain: line}
}

// NewArguments returns arguments for the given words. Their Raw text is the
// line that a user would type.
func NewArguments(words []string) Arguments {
	return Arguments{Raw: shell.Join(words), Words: words, plain: strings.Join(words, " ")}
}

// Line returns the arguments as typed, or the words joined with spaces. It is
// meant for display, not for a shell.
func (a Arguments) Line() string { return a.plain }

// Empty reports whether there are no arguments.
func (a Arguments) Empty() bool { return a.Raw == "" && len(a.Words) == 0 }

// Input is a body and the values to expand in it.
type Input struct {
	// Text is the body.
	Text string
	// File is the file name used in diagnostics. Start is the body's position
	// in the file; the zero value means the first byte.
	File  string
	Start diag.Pos

	Arguments Arguments
	// Names are the declared argument names, in order.
	Names []string
	// Variables holds the values of ${NAME}. Unknown names are left as is.
	Variables map[string]string
	// If ShellInCode is set, commands in fenced code blocks and code spans also run, as in some
	// hosts. Commands in comments never run.
	ShellInCode bool
}

// Output is a rendered body.
type Output struct {
	Content string
	// Files and Shell describe each file reference and command, in body order.
	Files       []FileExpansion
	Shell       []ShellExpansion
	Diagnostics []diag.Diagnostic
	// TooLong is set if the text, including the arguments, exceeds MaxRendered. In that case,
	// Content holds only the beginning of the text.
	TooLong bool
}

// Render expands a body. It reads files only through files and runs commands only through runner.
// If files is nil, no references are resolved; if runner is nil, no commands run.
func Render(ctx context.Context, in Input, files FileReader, runner ShellRunner) Output {
	r := renderer{ctx: ctx, in: in, cursor: newCursor(in.Text, in.Start), files: files}
	r.out.text = make([]byte, 0, len(in.Text)+len(in.Text)/4)
	r.out.newline = newlineOf(in.Text)
	segments := body.Kept(in.Text, body.Options{Names: in.Names})
	r.runShell(segments, runner)
	for seg := range segments {
		if r.result.TooLong {
			break
		}
		r.segment(seg)
	}
	if !r.consumed && !in.Arguments.Empty() {
		r.out.write("\n\nARGUMENTS: ")
		r.argument(in.Arguments.Raw)
	}
	r.result.Content = string(r.out.text)
	return r.result
}

type renderer struct {
	ctx    context.Context
	in     Input
	cursor cursor
	files  FileReader
	out    output
	result Output
	// consumed is set once a placeholder has used the arguments. A placeholder
	// in a command is counted only if the command ran.
	consumed bool
	// ran holds the commands' results, in order.
	ran []ShellResult
	// overLimit is set if there were too many segments to report.
	overLimit bool
	refs      referenceState
}

func (r *renderer) segment(seg body.Segment) {
	switch seg.Kind {
	case body.Placeholder:
		r.placeholder(seg)
	case body.Variable:
		r.variable(seg)
	case body.FileRef:
		r.reference(seg)
	case body.Shell:
		r.shell(seg)
	default:
		r.out.write(seg.Source(r.in.Text))
	}
}

// placeholder expands an argument placeholder. As in Claude Code 2.1.329, if there is no matching
// argument, a positional placeholder is left as is, and a named one expands to an empty string
// (cases a01, a04 and a07).
func (r *renderer) placeholder(seg body.Segment) {
	text := seg.Source(r.in.Text)
	if seg.Escaped {
		r.out.write(text[1:])
		return
	}
	r.consumed = true
	value, ok := r.in.Arguments.value(seg)
	if !ok && seg.Name == "" {
		value = text
	}
	r.argument(value)
}

// argument appends an argument's value. If the text would exceed MaxRendered, it sets TooLong
// instead. The limit is needed because a body may repeat the value many times.
func (r *renderer) argument(value string) {
	if value != "" && len(r.out.text)+len(value) > MaxRendered {
		r.result.TooLong = true
		return
	}
	r.out.write(value)
}

// value returns the value that a placeholder stands for.
func (a Arguments) value(seg body.Segment) (value string, ok bool) {
	switch {
	case seg.Name == "" && seg.Index == body.All:
		return a.Raw, true
	case seg.Index < len(a.Words):
		return a.Words[seg.Index], true
	}
	return "", false
}

func (r *renderer) variable(seg body.Segment) {
	value, ok := r.in.Variables[seg.Name]
	if !ok {
		value = seg.Source(r.in.Text)
	}
	r.out.write(value)
}

// leaveUnreported leaves a segment unchanged. The first call reports that the limit was exceeded.
func (r *renderer) leaveUnreported(seg body.Segment) {
	if !r.overLimit {
		r.overLimit = true
		err := &RefError{Code: diag.FileLimit, Message: fmt.Sprintf("only the first %d references and %d commands in a body are processed", MaxReported, MaxReported)}
		r.report(seg.Span, r.cursor.to(seg.Span.Start), err, "this and all later references and commands were left unchanged: "+err.Message)
	}
	r.out.write(seg.Source(r.in.Text))
}

// report adds a diagnostic for a span of the body that starts at position at.
func (r *renderer) report(span diag.Span, at diag.Pos, err *RefError, message string) {
	line := r.cursor.line()
	end := r.cursor.to(span.End)
	r.result.Diagnostics = append(r.result.Diagnostics, diag.Diagnostic{
		Code: err.Code, Severity: err.Code.Severity(), Message: message, File: r.in.File, Source: line,
		Line: at.Line, Column: at.Column, EndLine: end.Line, EndColumn: end.Column, Fix: err.Fix,
	})
}
