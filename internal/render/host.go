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

// HostInput is one body and what a host puts into it.
type HostInput struct {
	Host *host.Prompt
	// Text is the body, Place the text before it that says where it stands.
	Text, Place string
	// File is the name of its file for diagnostics.
	File string
	// Line are the arguments as they were typed, Names those that are declared.
	Line  string
	Names []string
	// Variables are the values of ${NAME}; others stay as they stand.
	Variables map[string]string
	// NoShell: the host's settings switch commands off.
	NoShell bool
	// Check returns what the host itself says of a command that it does not run,
	// or ""; nil runs all.
	Check func(command string) string
	// Saved is where the host puts large outputs.
	Saved host.Saved
	// Before is the number of commands that have run in other bodies of the same
	// request.
	CommandsBefore int
}

// HostOutput is a body as the host sends it, or the error that it ends with.
type HostOutput struct {
	Text  string
	Error *HostError
	// Ran is the number of commands that were handed to the runner.
	Ran         int
	Diagnostics []diag.Diagnostic
}

// HostError is what ends an invocation. Message is the host's text. By is set to
// what Vade says where it is Vade that refuses, and then Reason is the stable
// code of that.
type HostError struct {
	Code            diag.Code
	Message         string
	By, Reason, Fix string
	// Command is the number of the command, from 0, and Of how many commands the
	// text has.
	Command, Total int
	// Pattern is the text of the command with its marks.
	Pattern string
}

// ReasonForeign is the reason of a command that arguments would change.
const ReasonForeign = "ARGUMENT_CHANGES_COMMAND"

// RenderHost renders a body as a host does: arguments are put in everywhere, then
// variables, and then the commands of the resulting text run, one after the
// other; the first that fails ends it. What a command prints is never looked at
// again.
//
// A command runs only where its author has begun it, and where the arguments in
// it say the same to a shell as the words that they are. The text is that of the
// host for as long as this holds; else the invocation is refused.
func RenderHost(ctx context.Context, in HostInput, runner ShellRunner) HostOutput {
	r := hostRenderer{ctx: ctx, in: in, runner: runner}
	text := substitute(in).variables(in.Variables)
	if text.tooLong {
		message := fmt.Sprintf("with its arguments the text would be longer than %d MB", MaxRendered>>20)
		return HostOutput{Error: &HostError{Code: diag.SizeLimit, Message: message, By: message, Fix: "give it shorter arguments"}}
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

// commands puts the outputs of the commands of a text in their places. As in the
// host, an output takes the first place in the text that reads like its command
// (Claude Code 2.1.329, case s20).
func (r *hostRenderer) commands(text marked) {
	list := body.Commands(text.text, MaxReported+1)
	for i, c := range list {
		if i == MaxReported {
			r.report(diag.FileLimit, "only the first %d commands of a body are looked at", MaxReported)
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
			r.report(diag.SizeLimit, "the text with the output of its commands would be longer than %d MB; the rest of them stays as it stands", MaxRendered>>20)
			return
		}
		r.out.Text = strings.Replace(r.out.Text, pattern, output, 1)
	}
}

// command returns what takes the place of one command.
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
		return "", r.refused(pattern, "the command comes out of an argument", ReasonForeign)
	}
	if text.endsEarly(c.Span.End, end) {
		return "", r.refused(pattern, "an argument ends the command before its author does", ReasonForeign)
	}
	if r.in.Check != nil {
		if why := r.in.Check(c.Text); why != "" {
			return "", &HostError{Code: diag.BashNotAllowed, Message: texts.Refused(pattern, why)}
		}
	}
	bindings := boundWords(text, c.Inner)
	switch {
	case r.runner == nil:
		return "", r.refused(pattern, "commands are not run here", "")
	case r.in.CommandsBefore+r.out.Ran >= MaxCommands:
		return "", r.refused(pattern, fmt.Sprintf("only the first %d commands of a request are run", MaxCommands), ReasonLimit)
	case !shell.SameShape(c.Text, bindings):
		return "", r.refused(pattern, "an argument holds what a shell would take for more than a word, which would change the command", ReasonForeign)
	}
	r.out.Ran++
	return r.resultText(pattern, r.runner.RunShell(r.ctx, []ShellCommand{{Text: c.Text, Bindings: bindings}})[0])
}

// settle returns what the host makes of a result.
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
		r.report(diag.FileProtected, "%d protected files or directories were not searched by %s", result.NotRead, pattern)
	}
	if result.Truncated {
		r.report(diag.BashTruncated, "only the first %d bytes that %s printed are in the text", len(output), pattern)
	}
	if texts.Large > 0 && utf16Length(output) > texts.Large {
		saved := r.in.Saved
		saved.Output = output
		r.report(diag.BashTruncated, "the host puts the output of %s into a file; Vade writes none", pattern)
		output = texts.Saved(saved)
	}
	return output, nil
}

// refused is the host's text for what Vade does not run.
func (r *hostRenderer) refused(pattern, why, reason string) *HostError {
	return &HostError{
		Code: diag.BashNotAllowed, Message: r.in.Host.Shell.Refused(pattern, why), By: why, Reason: reason,
	}
}

func (r *hostRenderer) report(code diag.Code, format string, args ...any) {
	r.out.Diagnostics = append(r.out.Diagnostics, diag.For(r.in.File, code, format, args...))
}

// boundWords are the places in a command that its author did not write: each
// word of an argument is one.
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

// utf16Length is the length of a text as JavaScript counts it.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}
