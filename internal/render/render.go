// Package render turns the body of a definition into the text that a model is
// given. This is the neutral rendering, the one of the load contract; what a
// certain host sends is the business of that host's view.
//
// The body is cut into segments once, and each segment becomes text that is
// never looked at again: arguments, variables, the contents of files and the
// output of commands cannot bring in further placeholders, references or
// commands.
package render

import (
	"context"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/shell"
)

// The limits of one body. What is beyond them is left as it stands and
// reported.
const (
	// MaxFiles is the number of file references that are expanded.
	MaxFiles = 64
	// MaxLookups is the number of different paths that are asked for.
	MaxLookups = 1024
	// MaxCommands is the number of commands of a body that may run.
	MaxCommands = 64
	// MaxReported is the number of references, and of commands, that are
	// reported one by one. A reference beyond it is not expanded.
	MaxReported = 2048
	// MaxFileBytes is the length of all the text that references become.
	MaxFileBytes = 1 << 20
)

// Arguments are what a definition is invoked with.
type Arguments struct {
	// Raw is the text as it was typed, Words what it says word by word.
	Raw   string
	Words []string
	// plain is what $ARGUMENTS is in a command, where it is one word and needs
	// no quotes.
	plain string
}

// ParseArguments returns the arguments of a typed line, whose blanks at either
// end do not count (Claude Code 2.1.329, case a24).
func ParseArguments(line string) Arguments {
	line = strings.TrimSpace(line)
	return Arguments{Raw: line, Words: shell.Fields(line), plain: line}
}

// NewArguments returns the arguments that consist of words, and the line that
// one would type for them.
func NewArguments(words []string) Arguments {
	return Arguments{Raw: shell.Join(words), Words: words, plain: strings.Join(words, " ")}
}

// Line returns the arguments as one line of text: what was typed, or the words with
// blanks between them. It is for reading, not for a shell.
func (a Arguments) Line() string { return a.plain }

// Empty reports whether there are none.
func (a Arguments) Empty() bool { return a.Raw == "" && len(a.Words) == 0 }

// Input is one body and what is put into it.
type Input struct {
	// Text is the body.
	Text string
	// File is the name of its file for diagnostics, and Start the place in
	// that file where the body begins; the zero Start means the first byte.
	File  string
	Start diag.Pos

	Arguments Arguments
	// Names are the declared argument names, in order.
	Names []string
	// Variables are the values of ${NAME}. A name that is not among them stays
	// as it stands.
	Variables map[string]string
	// ShellInCode: commands in fenced blocks and code spans run too, as they do
	// in some hosts. In comments none ever does.
	ShellInCode bool
}

// Output is a rendered body.
type Output struct {
	Content string
	// Files and Shell say what became of each file reference and of each shell
	// segment, in the order of the body.
	Files       []FileExpansion
	Shell       []ShellExpansion
	Diagnostics []diag.Diagnostic
	// Full: with its arguments the text would be longer than MaxRendered. Content is
	// only its beginning.
	TooLong bool
}

// Render renders a body. It reads files only through files, and runs commands
// only through runner. Either may be nil: then no reference is resolved, and no
// command is run.
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
	// consumed: a placeholder has taken up arguments. One inside a shell segment
	// does where the command has run with them.
	consumed bool
	// ran is what became of the shell segments, in their order.
	ran []ShellResult
	// full: there were more segments than are reported.
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

// placeholder puts in an argument. A position without an argument stays as it
// stands, a name without one becomes empty (Claude Code 2.1.329, cases a01,
// a04 and a07).
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

// argument appends what a caller has given, which a body may repeat without end.
func (r *renderer) argument(value string) {
	if value != "" && len(r.out.text)+len(value) > MaxRendered {
		r.result.TooLong = true
		return
	}
	r.out.write(value)
}

// value returns what a placeholder stands for.
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

// beyond leaves a segment as it stands, and says once that there are more of
// them than are reported.
func (r *renderer) leaveUnreported(seg body.Segment) {
	if !r.overLimit {
		r.overLimit = true
		err := &RefError{Code: diag.FileLimit, Message: fmt.Sprintf("only %d references and %d commands of a body are reported", MaxReported, MaxReported)}
		r.report(seg.Span, r.cursor.to(seg.Span.Start), err, "this one and those that follow were left as they stand: "+err.Message)
	}
	r.out.write(seg.Source(r.in.Text))
}

// report adds a diagnostic for the part of the body at span, which begins at
// the place at.
func (r *renderer) report(span diag.Span, at diag.Pos, err *RefError, message string) {
	line := r.cursor.line()
	end := r.cursor.to(span.End)
	r.result.Diagnostics = append(r.result.Diagnostics, diag.Diagnostic{
		Code: err.Code, Severity: err.Code.Severity(), Message: message, File: r.in.File, Source: line,
		Line: at.Line, Column: at.Column, EndLine: end.Line, EndColumn: end.Column, Fix: err.Fix,
	})
}
