package render

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/shell"
)

// ShellRunner decides which commands in a body may run, and runs them, possibly in parallel. It
// returns one result per command, in order.
type ShellRunner interface {
	RunShell(ctx context.Context, commands []ShellCommand) []ShellResult
}

// ShellCommand is a command in a body.
type ShellCommand struct {
	// Text is the command as written. Bindings are the placeholders in it for arguments and
	// variables.
	Text     string
	Bindings []shell.Binding
}

// ShellResult is the outcome of a [ShellCommand].
type ShellResult struct {
	Executed bool
	// Output replaces the command in the text if Executed is set and Keep is not set.
	Output string
	// Stdout is the standard output alone, including line endings. Exit is the exit code.
	Stdout string
	Exit   int
	// Keep is set if the segment is left as is.
	Keep      bool
	Truncated bool
	// NotRead is the number of protected files that a search skipped.
	NotRead int
	Error   *RefError
	// Span is the error's position in the command. Details is for the caller's use.
	Span    diag.Span
	Details any
}

// ShellExpansion describes a command segment.
type ShellExpansion struct {
	ShellResult
	// Command is the command without its delimiters.
	Command string
	// InFence, InCode and InComment report whether the segment is in a fenced code block, a code
	// span or an HTML comment, and is therefore probably an example.
	InFence, InCode, InComment bool
	// Line and Column give the position in the file. Both start at 1, and Column counts runes.
	Line, Column int
}

// runShell runs the commands in a body and stores their results in r.ran.
func (r *renderer) runShell(segments iter.Seq[body.Segment], runner ShellRunner) {
	var commands []ShellCommand
	var at []int
	for seg := range segments {
		if seg.Kind != body.Shell || len(r.ran) == MaxReported {
			continue
		}
		i := len(r.ran)
		r.ran = append(r.ran, ShellResult{Keep: true, Error: r.notRun(seg, runner)})
		if r.ran[i].Error == nil && len(commands) == MaxCommands {
			r.ran[i].Error = &RefError{Code: diag.BashNotAllowed, Reason: ReasonLimit, Message: fmt.Sprintf("only the first %d commands in a body are run", MaxCommands)}
		}
		if r.ran[i].Error == nil {
			commands = append(commands, ShellCommand{Text: seg.Name, Bindings: r.bindings(seg.Name)})
			at = append(at, i)
		}
	}
	if len(commands) == 0 {
		return
	}
	for i, result := range runner.RunShell(r.ctx, commands) {
		r.ran[at[i]] = result
	}
}

// HasShell reports whether a body contains commands.
func HasShell(in Input) bool {
	if !strings.Contains(in.Text, "!") {
		return false
	}
	for seg := range body.Scan(in.Text, body.Options{Names: in.Names}) {
		if seg.Kind == body.Shell {
			return true
		}
	}
	return false
}

// ShellCommands returns the commands in a body that are not in comments, in order.
func ShellCommands(in Input) []ShellCommand {
	r := renderer{in: in}
	var list []ShellCommand
	for seg := range body.Scan(in.Text, body.Options{Names: in.Names}) {
		if seg.Kind == body.Shell && !seg.InComment {
			list = append(list, ShellCommand{Text: seg.Name, Bindings: r.bindings(seg.Name)})
		}
	}
	return list
}

// Bindings returns the argument and variable placeholders in in.Text, which
// consists of a single command.
func Bindings(in Input) []shell.Binding {
	r := renderer{in: in}
	return r.bindings(in.Text)
}

// notRun returns the reason that a command cannot run even if the policy allows it, or nil.
func (r *renderer) notRun(seg body.Segment, runner ShellRunner) *RefError {
	switch {
	case runner == nil:
		return &RefError{Code: diag.BashNotAllowed, Message: "running commands is disabled"}
	case seg.InComment:
		return &RefError{Code: diag.BashNotAllowed, Reason: ReasonQuoted, Message: "commands in comments are never run"}
	case (seg.InFence || seg.InCode) && !r.in.ShellInCode:
		return &RefError{Code: diag.BashNotAllowed, Reason: ReasonQuoted, Message: "commands in code are treated as examples"}
	}
	return nil
}

// ReasonQuoted is the reason code for a command in code or a comment, and ReasonLimit is the reason
// code for a command beyond MaxCommands.
const (
	ReasonQuoted = "QUOTED"
	ReasonLimit  = "LIMIT"
)

// bindings returns the argument and variable placeholders in a command.
func (r *renderer) bindings(command string) []shell.Binding {
	var list []shell.Binding
	for seg := range body.Scan(command, body.Options{Names: r.in.Names}) {
		switch seg.Kind {
		case body.Placeholder:
			if seg.Escaped {
				continue
			}
			value, ok := r.in.Arguments.value(seg)
			if seg.Name == "" && seg.Index == body.All {
				value = r.in.Arguments.plain
			}
			list = append(list, shell.Binding{Span: seg.Span, Value: value, Argument: true, Missing: !ok || value == "" && r.in.Arguments.Empty()})
		case body.Variable:
			if value, ok := r.in.Variables[seg.Name]; ok {
				list = append(list, shell.Binding{Span: seg.Span, Value: value})
			}
		}
	}
	return list
}

// shell inserts a command's output, or leaves the segment as is.
func (r *renderer) shell(seg body.Segment) {
	if len(r.result.Shell) == len(r.ran) {
		r.leaveUnreported(seg)
		return
	}
	result := r.ran[len(r.result.Shell)]
	at := r.cursor.to(seg.Span.Start)
	r.result.Shell = append(r.result.Shell, ShellExpansion{
		ShellResult: result, Command: seg.Name,
		InFence: seg.InFence, InCode: seg.InCode, InComment: seg.InComment,
		Line: at.Line, Column: at.Column,
	})
	switch err := result.Error; {
	case err != nil && result.Keep:
		r.report(seg.Span, at, err, "the command was left unchanged: "+err.Message)
	case err != nil:
		r.report(seg.Span, at, err, err.Message)
	case result.Truncated:
		cut := &RefError{Code: diag.BashTruncated}
		r.report(seg.Span, at, cut, fmt.Sprintf("only the first %d bytes of the command's output are included", len(result.Output)))
	}
	if !result.Keep && seg.Quoted() {
		r.report(seg.Span, at, &RefError{Code: diag.BashInCode}, "the command is in code but ran anyway")
	}
	if result.NotRead > 0 {
		r.report(seg.Span, at, &RefError{Code: diag.FileProtected}, notSearched(result.NotRead))
	}
	if result.Keep {
		r.out.write(seg.Source(r.in.Text))
		return
	}
	r.consumed = r.consumed || r.takesArguments(seg.Name)
	r.out.write(result.Output)
}

// notSearched returns the message for protected files that a search skipped.
func notSearched(n int) string {
	if n == 1 {
		return "1 protected file or directory was not searched"
	}
	return fmt.Sprintf("%d protected files or directories were not searched", n)
}

// takesArguments reports whether a command has argument placeholders.
func (r *renderer) takesArguments(command string) bool {
	for _, b := range r.bindings(command) {
		if b.Argument {
			return true
		}
	}
	return false
}
