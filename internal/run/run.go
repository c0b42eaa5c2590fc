// Package run decides whether a shell command in a definition may run, and runs it. The shell
// interpreter passes each command line to the policy. The command then runs in this process or as a
// sandboxed process. Nothing is passed to a system shell.
package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// Options configures how one definition's commands run.
type Options struct {
	Policy  *policy.Policy
	Context policy.DecisionContext
	// View is the file system for commands that run in this process. Its directory is the initial
	// working directory. It must have been created with [vfs.ViewOptions.Hidden] set to the result
	// of [Hidden] for the same policy.
	View *vfs.View
	// Project is the project directory, with symlinks resolved.
	Project string
	// Home is the directory that "~/" in a grant refers to.
	Home string
	// Helper is the executable that calls [sandbox.Main] first. If empty, no processes are started.
	Helper string
	// If Require is set, commands that cannot be fully sandboxed are refused.
	Require bool
	// Getenv returns a variable from the user's environment. It is used for PATH, TZ and the
	// variables that grants name.
	Getenv func(string) string
	Now    func() time.Time
	// Covered reports whether the approval covers a file's current contents. The path has no
	// symlinks. If the script may need a grant, Covered is called for each file that a command
	// names, right before the command runs. If it is nil, the approval covers every file.
	Covered func(real string) bool
	// If DryRun is set, commands are judged but not run.
	DryRun bool
	// If Merged is set, a process's stdout and stderr share one pipe, which preserves their order.
	// [Result.Stderr] is then empty.
	Merged bool
}

// Runner runs commands. It is safe for concurrent use.
type Runner struct{ o Options }

// New returns a runner.
func New(o Options) *Runner { return &Runner{o} }

// Result is the outcome of one command.
type Result struct {
	Decision policy.Decision
	// Executed reports whether the command ran until it ended, timed out or reached the output
	// limit. If the command was refused, Executed is false even if a read-only part of it had
	// already run; that part's output is discarded. But if a granted command ran before the
	// refusal, Executed is true.
	Executed bool
	// Output is the combined output in order, without control characters or
	// trailing line breaks. Stderr is the part written to standard error.
	Output, Stderr string
	// Stdout is the standard output, including trailing line breaks.
	Stdout string
	// NotRead is the number of protected files that a search skipped.
	NotRead int
	// Truncated is set if the output exceeded the policy's limit.
	Truncated bool
	// Redacted is set if passwords were removed from URLs.
	Redacted bool
	Exit     int
	Duration time.Duration
	Sandbox  definition.Sandbox
	// Failure is nil if the command ran and did not fail.
	Failure *Failure
}

// Failure explains why a command did not run or why it failed.
type Failure struct {
	// Code is BASH_NOT_ALLOWED, BASH_TIMEOUT or BASH_FAILED.
	Code diag.Code
	// Reason is set if the command is not allowed.
	Reason  policy.Reason
	Message string
	// Fix tells the user what to do next.
	Fix string
	// Span is the position in the command text.
	Span diag.Span
}

// Run runs a command if the policy allows it. bindings holds the values to insert in text.
func (r *Runner) Run(ctx context.Context, text string, bindings []shell.Binding) Result {
	script, decision := r.o.Policy.Decide(text, bindings, r.o.Context)
	result := Result{Decision: decision, Sandbox: definition.Sandbox{Mode: "in-process"}}
	if refusal := decision.Refusal; refusal != nil {
		result.refuse(refusal, decision.Span)
		return result
	}
	e := &execution{Runner: r, literal: literals(script), arguments: arguments(bindings), mayNeedGrant: needsGrant(&decision)}
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
	result.setOutcome(ctx, script, err, limit)
	if e.ranGranted.Load() {
		// A granted command ran before the refusal and may have changed something.
		result.Executed = true
	}
	return result
}

// setOutcome sets the exit code and the failure of a script that ended with err.
func (r *Result) setOutcome(ctx context.Context, script *shell.Script, err error, limit time.Duration) {
	var refusal *policy.Refusal
	switch {
	case errors.As(err, &refusal):
		r.refuse(refusal, diag.Span{End: len(script.Text)})
	case r.Truncated:
		r.Exit = -1
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Exit = -1
		r.Failure = &Failure{Code: diag.BashTimeout, Message: fmt.Sprintf("the command timed out after %s", limit)}
	case ctx.Err() != nil, err != nil:
		r.Exit = -1
		if err == nil {
			err = ctx.Err()
		}
		r.Failure = &Failure{Code: diag.BashFailed, Message: "the command did not complete: " + err.Error()}
	case r.Exit != 0 && !(r.Exit == 1 && exitOneIsResult(script.LastCommand())):
		message := fmt.Sprintf("the command exited with code %d", r.Exit)
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

// exitOneIsResult reports whether a command's exit code 1 is a normal result rather than a failure
// (Claude Code 2.1.329 has this rule for its skills).
func exitOneIsResult(words []string) bool {
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

// limit returns the command's timeout, which is the longest of the policy's timeout and the
// timeouts of the grants that the command needs.
func (r *Runner) limit(d *policy.Decision) time.Duration {
	limit := r.o.Policy.Timeout
	for _, c := range d.Commands {
		for _, g := range c.Grants() {
			limit = max(limit, g.Timeout)
		}
	}
	return limit
}

// literals returns the words that the author wrote literally. Only these can be options of a
// granted command. Words that come from arguments, variables, files or command output cannot.
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

// arguments returns the values of the bindings that come from the request's arguments.
func arguments(bindings []shell.Binding) map[string]bool {
	words := map[string]bool{}
	for _, b := range bindings {
		if b.Argument {
			words[b.Value] = true
		}
	}
	return words
}

// Exclusive reports whether a command may change something. If so, no other command may run at the
// same time. Read-only commands are independent of each other.
func (r *Runner) Exclusive(text string, bindings []shell.Binding) bool {
	script, d := r.o.Policy.Decide(text, bindings, r.o.Context)
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

// Hidden returns the [vfs.ViewOptions.Hidden] function for a policy.
func Hidden(p *policy.Policy) func(*vfs.Tree, string) error {
	return func(_ *vfs.Tree, rel string) error {
		if _, ok := p.Protected.Match(rel); ok {
			return errProtected
		}
		return nil
	}
}
