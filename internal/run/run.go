// Package run decides on one shell command of a definition and runs it: the
// shell's interpreter asks for each command line, the policy judges it, and it
// runs in this process or as a process behind walls. Nothing here is handed to
// a shell.
package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/coreutils"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// Options are what the commands of one definition have around them.
type Options struct {
	Policy    *policy.Policy
	Situation policy.Situation
	// View is what commands in this process read; its directory is the one to
	// begin in. Its Hidden should be [Hidden] of the policy.
	View *vfs.View
	// Project is the canonical directory of the project.
	Project string
	// Home is what "~/" in a grant means.
	Home string
	// Helper is the executable that calls [Main] first. Without one no
	// process is started.
	Helper string
	// Require refuses commands whose walls cannot all be built.
	Require bool
	// Getenv reads the user's environment: PATH, and what grants name.
	Getenv func(string) string
	Now    func() time.Time
	// Covered reports whether the consent covers a file as it is now, by its
	// canonical path. It is asked for each file that a granted command names,
	// right before it runs; nil covers all.
	Covered func(real string) bool
	// DryRun decides and runs nothing.
	DryRun bool
	// Merged gives a process one pipe for both outputs, so that they keep their
	// order; then nothing is known to be written as an error.
	Merged bool
}

// Main is the first thing that a program does whose executable is
// [Options.Helper]. In a process that was started to run a command it does not
// return.
func Main() {
	sandbox.Main()
	coreutils.Main()
}

// Runner runs commands. It is safe for use by many goroutines.
type Runner struct{ o Options }

// New returns a runner.
func New(o Options) *Runner { return &Runner{o} }

// Result is what became of one command.
type Result struct {
	Decision policy.Decision
	// Executed: the command ran to its end, or until its time or the limit of
	// its output was reached. It is not set for one that was refused, also where
	// the reason showed only when a part of it had run that just reads; that
	// part's output is dropped. Where a granted command ran before, it is set.
	Executed bool
	// Output is what was written to both outputs in order, as text without
	// control characters and without line breaks at its end. Stderr is the part
	// that was written as an error.
	Output, Stderr string
	// Stdout is what was not written as an error, with the line breaks at its end.
	Stdout string
	// NotRead is the number of protected files that a search passed over.
	NotRead int
	// Truncated: there was more than the policy's limit.
	Truncated bool
	// Redacted: passwords in addresses were taken out.
	Redacted bool
	Exit     int
	Duration time.Duration
	Sandbox  definition.Sandbox
	// Failure is nil where the command ran and its status is no failure.
	Failure *Failure
}

// Failure says why a command did not run, or failed.
type Failure struct {
	// Code is BASH_NOT_ALLOWED, BASH_TIMEOUT or BASH_FAILED.
	Code diag.Code
	// Reason is set for what is not allowed.
	Reason  policy.Reason
	Message string
	// Fix tells the user what to do next.
	Fix string
	// Span is the place in the text of the command.
	Span diag.Span
}

// Run decides and runs one command. The bindings are the places of arguments
// in it.
func (r *Runner) Run(ctx context.Context, text string, bindings []shell.Binding) Result {
	script, decision := r.o.Policy.Decide(text, bindings, r.o.Situation)
	result := Result{Decision: decision, Sandbox: definition.Sandbox{Mode: "in-process"}}
	if refusal := decision.Refusal; refusal != nil {
		result.refuse(refusal, decision.Span)
		return result
	}
	e := &execution{Runner: r, literal: literals(script), arguments: arguments(bindings), acts: needsGrant(&decision)}
	if refusal := e.repository(&decision); refusal != nil {
		result.refuse(refusal, diag.Span{End: len(text)})
		return result
	}
	if r.o.DryRun {
		return result
	}
	limit := r.limit(&decision)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e.cancel, e.out = cancel, newCapture(r.o.Policy.Output, cancel)
	start := time.Now()
	errs := e.out.errors()
	if r.o.Merged {
		errs = e.out
	}
	status, err := script.Run(ctx, e.handlers(), e.out, errs)
	result.Duration = time.Since(start)
	result.Executed = e.started()
	result.Output, result.Stderr, result.Truncated = e.out.text()
	result.Stdout = e.out.plainOut()
	result.Redacted = e.redacted.Load()
	result.NotRead = int(e.notRead.Load())
	result.Exit = status
	result.Sandbox = e.sandbox()
	result.settle(ctx, script, err, limit)
	if e.acted.Load() {
		// A granted command may have changed something.
		result.Executed = true
	}
	return result
}

// settle finds out how a run ended.
func (r *Result) settle(ctx context.Context, script *shell.Script, err error, limit time.Duration) {
	var refusal *policy.Refusal
	switch {
	case errors.As(err, &refusal):
		r.refuse(refusal, diag.Span{End: len(script.Text)})
	case r.Truncated:
		r.Exit = -1
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Exit = -1
		r.Failure = &Failure{Code: diag.BashTimeout, Message: fmt.Sprintf("the command took longer than %s and was ended", limit)}
	case ctx.Err() != nil, err != nil:
		r.Exit = -1
		if err == nil {
			err = ctx.Err()
		}
		r.Failure = &Failure{Code: diag.BashFailed, Message: "the command could not be run: " + err.Error()}
	case r.Exit != 0 && !(r.Exit == 1 && answersWithStatus(script.Last())):
		message := fmt.Sprintf("the command ended with status %d", r.Exit)
		if line := lastLine(r.Stderr); line != "" {
			message += ": " + line
		}
		r.Failure = &Failure{Code: diag.BashFailed, Message: message}
	}
}

func (r *Result) refuse(refusal *policy.Refusal, span diag.Span) {
	r.Executed, r.Output, r.Stderr, r.Stdout, r.Truncated, r.Exit = false, "", "", "", false, 0
	r.Failure = &Failure{Code: diag.BashNotAllowed, Reason: refusal.Reason, Message: refusal.Message, Fix: refusal.Reason.Fix(), Span: span}
}

// answersWithStatus reports whether status 1 of a command is an answer and no
// failure (the rule of Claude Code 2.1.329 for its skills).
func answersWithStatus(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "grep", "egrep", "fgrep", "find", "diff", "test", "[":
		return true
	case "git":
		return len(words) > 1 && (words[1] == "diff" || words[1] == "grep")
	}
	return false
}

// limit is the time that a command has: what its grants allow, where it has
// some.
func (r *Runner) limit(d *policy.Decision) time.Duration {
	limit := r.o.Policy.Timeout
	for _, c := range d.Commands {
		for _, g := range c.Grants() {
			limit = max(limit, g.Timeout)
		}
	}
	return limit
}

// literals are the words that the author wrote out in a script. Only these can
// be options of a granted command: what an argument, a variable, a file or the
// output of a command says cannot.
func literals(script *shell.Script) map[string]bool {
	words := map[string]bool{}
	for _, c := range script.Commands {
		for _, w := range c.Words {
			if w.Known && !w.Bound {
				words[w.Text] = true
			}
		}
	}
	return words
}

// arguments are the texts of whole arguments.
func arguments(bindings []shell.Binding) map[string]bool {
	words := map[string]bool{}
	for _, b := range bindings {
		if b.Argument {
			words[b.Value] = true
		}
	}
	return words
}

// Alone reports whether a command may change something, so that others must
// not run beside it. Commands that only read are independent of one another.
func (r *Runner) Alone(text string, bindings []shell.Binding) bool {
	script, d := r.o.Policy.Decide(text, bindings, r.o.Situation)
	return script != nil && d.Allow() && needsGrant(&d)
}

func needsGrant(d *policy.Decision) bool {
	for i := range d.Commands {
		if len(d.Commands[i].Grants()) > 0 {
			return true
		}
	}
	return false
}

// Hidden is what [vfs.ViewOptions.Hidden] should be for a policy.
func Hidden(p *policy.Policy) func(*vfs.Tree, string) error {
	return func(_ *vfs.Tree, rel string) error {
		if _, ok := p.Protected.Match(rel); ok {
			return errProtected
		}
		return nil
	}
}
