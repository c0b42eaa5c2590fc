package render

import (
	"context"
	"fmt"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/shell"
)

// HostInput is a body and the values that a host inserts into it.
type HostInput struct {
	Host *host.Prompt
	// Text is the body. Place is the text before the body, which names the definition's directory.
	Text, Place string
	// File is the file name used in diagnostics.
	File string
	// Line holds the arguments as typed. Names are the declared argument names.
	Line  string
	Names []string
	// Variables holds the values of ${NAME}. Unknown names are left as is.
	Variables map[string]string
	// NoShell is set if the host's settings disable commands.
	NoShell bool
	// Check returns the host's reason for not running a command, or "". If
	// Check is nil, all commands are allowed.
	Check func(command string) string
	// Saved describes where the host stores large outputs.
	Saved host.Saved
	// CommandsBefore is the number of commands that ran in other bodies in the same request.
	CommandsBefore int
}

// HostOutput is the result of rendering a body: the text that the host sends, or the error that it
// reports.
type HostOutput struct {
	Text  string
	Error *HostError
	// Ran is the number of commands passed to the runner.
	Ran         int
	Diagnostics []diag.Diagnostic
}

// HostError aborts an invocation. Message is the host's message. If Vade itself
// refuses, By is Vade's explanation and Reason is its stable code.
type HostError struct {
	Code            diag.Code
	Message         string
	By, Reason, Fix string
	// Command is the command's 0-based index, and Total is the number of commands in the text.
	Command, Total int
	// Pattern is the command including its delimiters.
	Pattern string
}

// ReasonForeign is the reason code for arguments that would change a command.
const ReasonForeign = "ARGUMENT_CHANGES_COMMAND"

// RenderHost renders a body the way a host does: it expands arguments and variables everywhere, and
// then runs the commands in the resulting text one by one until one fails. Command output is never
// expanded.
//
// A command runs only if the body's author wrote its opening delimiter and a shell would treat each
// argument in the command as a single word. In that case, the rendered text is exactly the text
// that the host would send. Otherwise, the invocation is refused.
func RenderHost(ctx context.Context, in HostInput, runner ShellRunner) HostOutput {
	r := hostRenderer{ctx: ctx, in: in, runner: runner}
	text := substitute(in).variables(in.Variables)
	if text.tooLong {
		message := fmt.Sprintf("with the arguments inserted, the text would exceed %d MiB", MaxRendered>>20)
		return HostOutput{Error: &HostError{Code: diag.SizeLimit, Message: message, By: message, Fix: "use shorter arguments"}}
	}
	r.out.Text = text.text
	if strings.Contains(text.text, "!`") || strings.Contains(text.text, "```!") {
		r.commands(text)
	}
	return r.out
}

type hostRenderer struct {
	ctx    context.Context
	in     HostInput
	runner ShellRunner
	out    HostOutput
}

// commands replaces the commands in text with their output. As in Claude Code 2.1.329, the output
// replaces the first occurrence of the command's text, even if that is at another position (case
// s20).
func (r *hostRenderer) commands(text marked) {
	list := body.Commands(text.text, MaxReported+1)
	for i, c := range list {
		if i == MaxReported {
			r.report(diag.FileLimit, "only the first %d commands in a body are processed", MaxReported)
			return
		}
		pattern := text.text[c.Span.Start:c.Span.End]
		output, err := r.command(text, c, pattern)
		if err != nil {
			err.Command, err.Total, err.Pattern = i, len(list), pattern
			r.out.Text, r.out.Error = "", err
			return
		}
		if len(r.out.Text)+len(output) > MaxRendered {
			r.report(diag.SizeLimit, "with the command output inserted, the text would exceed %d MiB; the remaining commands were left unchanged", MaxRendered>>20)
			return
		}
		r.out.Text = strings.Replace(r.out.Text, pattern, output, 1)
	}
}

// command returns the replacement for one command.
func (r *hostRenderer) command(text marked, c body.Command, pattern string) (string, *HostError) {
	texts := &r.in.Host.Shell
	if r.in.NoShell && texts.Off != "" {
		return texts.Off, nil
	}
	mark, end := len("!`"), "`"
	if c.Block {
		mark, end = len("```!"), "```"
	}
	if len(text.within(c.Span.Start, c.Span.Start+mark)) > 0 {
		return "", r.refused(pattern, "the command comes from an argument", ReasonForeign)
	}
	if text.endsEarly(c.Span.End, end) {
		return "", r.refused(pattern, "an argument would end the command early", ReasonForeign)
	}
	if r.in.Check != nil {
		if why := r.in.Check(c.Text); why != "" {
			return "", &HostError{Code: diag.BashNotAllowed, Message: texts.Refused(pattern, why)}
		}
	}
	bindings := boundWords(text, c.Inner)
	switch {
	case r.runner == nil:
		return "", r.refused(pattern, "running commands is disabled", "")
	case r.in.CommandsBefore+r.out.Ran >= MaxCommands:
		return "", r.refused(pattern, fmt.Sprintf("only the first %d commands in a request are run", MaxCommands), ReasonLimit)
	case !shell.SameShape(c.Text, bindings):
		return "", r.refused(pattern, "an argument would change the command, because it is not a single shell word", ReasonForeign)
	}
	r.out.Ran++
	return r.resultText(pattern, r.runner.RunShell(r.ctx, []ShellCommand{{Text: c.Text, Bindings: bindings}})[0])
}

// resultText returns the text that the host inserts for a command's result.
func (r *hostRenderer) resultText(pattern string, result ShellResult) (string, *HostError) {
	texts := &r.in.Host.Shell
	output := result.Output
	switch err := result.Error; {
	case err != nil && err.Code == diag.BashFailed && !result.Keep:
		return "", &HostError{Code: err.Code, Message: texts.Failed(pattern, output)}
	case err != nil && err.Code == diag.BashNotAllowed:
		e := r.refused(pattern, err.Message, err.Reason)
		e.Fix = err.Fix
		return "", e
	case err != nil:
		return "", &HostError{Code: err.Code, Message: texts.Failed(pattern, err.Message), By: err.Message, Reason: err.Reason, Fix: err.Fix}
	case result.Keep:
		return pattern, nil
	case output == "":
		return texts.NoOutput, nil
	}
	if result.NotRead > 0 {
		r.report(diag.FileProtected, "%s by %s", notSearched(result.NotRead), pattern)
	}
	if result.Truncated {
		r.report(diag.BashTruncated, "only the first %d bytes of the output of %s are included", len(output), pattern)
	}
	if texts.Large > 0 && utf16Length(output) > texts.Large {
		saved := r.in.Saved
		saved.Output = output
		r.report(diag.BashTruncated, "the host saves the output of %s to a file; Vade does not", pattern)
		output = texts.Saved(saved)
	}
	return output, nil
}

// refused returns the host's error for a command that Vade does not run.
func (r *hostRenderer) refused(pattern, why, reason string) *HostError {
	return &HostError{
		Code: diag.BashNotAllowed, Message: r.in.Host.Shell.Refused(pattern, why), By: why, Reason: reason,
	}
}

func (r *hostRenderer) report(code diag.Code, format string, args ...any) {
	r.out.Diagnostics = append(r.out.Diagnostics, diag.For(r.in.File, code, format, args...))
}

// boundWords returns the words in a command that its author did not write, such as those that come
// from an argument.
func boundWords(text marked, at diag.Span) []shell.Binding {
	var list []shell.Binding
	for _, f := range text.within(at.Start, at.End) {
		piece := text.text[f.start:f.end]
		for i := 0; i < len(piece); {
			if piece[i] == ' ' || piece[i] == '\t' {
				i++
				continue
			}
			n := strings.IndexAny(piece[i:], " \t")
			if n < 0 {
				n = len(piece) - i
			}
			start := f.start + i - at.Start
			list = append(list, shell.Binding{Span: diag.Span{Start: start, End: start + n}, Value: piece[i : i+n], Argument: f.argument})
			i += n
		}
	}
	return list
}

// utf16Length returns a string's length in UTF-16 code units, as in JavaScript.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}
