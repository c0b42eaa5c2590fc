package worker

import (
	"context"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
)

// runPrint runs a task with the host's command line for scripts. The prompt is passed as input,
// and the output is the answer.
func runPrint(ctx context.Context, program []string, t Task, o Options) Result {
	r := Result{State: runs.Failed}
	messages := t.Messages
	if t.System != "" {
		messages = append([]string{t.System}, messages...)
		r.Losses = append(r.Losses, systemFirst)
	}
	for _, x := range []struct{ what, value string }{{"model", t.Model}, {"effort", t.Effort}} {
		if x.value != "" {
			r.Losses = append(r.Losses, "the "+x.what+" "+x.value+" is not passed on to a command line for scripts")
		}
	}
	if o.Guard.o.Permission == Deny {
		r.Reason = "a command line for scripts cannot be limited to reading (--permission deny)"
		return r
	}
	if t.Session != "" {
		r.Reason = "a command line for scripts cannot continue a session"
		return r
	}
	r.Losses = append(r.Losses,
		"a command line for scripts cannot ask: the host's own settings decide what it may do")
	o.Journal.Add(runs.Event{Event: "state", State: runs.Running})
	out := limited{limit: o.Limits.Output}
	var errs tail
	err := sandbox.Unsandboxed{
		Args: program, Dir: t.Dir, Env: o.environ(), Stdin: strings.NewReader(strings.Join(messages, "\n\n")),
		Stdout: &out, Stderr: &errs, Grace: 2 * time.Second, Bound: true,
	}.Run(ctx)
	r.Text = strings.TrimSpace(strings.ToValidUTF8(out.String(), "?"))
	switch cause := context.Cause(ctx); {
	case cause == errTimeout:
		r.Reason = cause.Error()
	case cause != nil:
		r.State, r.Reason = runs.Cancelled, "canceled by the user"
	case err != nil:
		r.Reason = "the agent ended unexpectedly (" + err.Error() + ")"
		if last := errs.line(); last != "" {
			r.Reason += "; it printed: " + last
		}
	default:
		r.State = runs.Done
	}
	return r
}
