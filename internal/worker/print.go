package worker

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
)

// runPrint runs a task using the host's non-interactive command line. The prompt is passed on
// stdin, and the answer is read from stdout.
func runPrint(ctx context.Context, program []string, t Task, o Options) Result {
	r := Result{State: runs.Failed}
	messages := t.Messages
	if t.System != "" {
		messages = append([]string{t.System}, messages...)
		r.Losses = append(r.Losses, systemFirst)
	}
	for _, x := range []struct{ what, value string }{{"model", t.Model}, {"effort", t.Effort}} {
		if x.value != "" {
			r.Losses = append(r.Losses, "the "+x.what+" "+x.value+" is not passed to the non-interactive command")
		}
	}
	if o.Guard.o.Permission == Deny {
		r.Reason = "the host's non-interactive command cannot be limited to read-only access (--permission deny)"
		return r
	}
	if t.Session != "" {
		r.Reason = "the host's non-interactive command cannot continue a session"
		return r
	}
	r.Losses = append(r.Losses,
		"the host's non-interactive command cannot ask for permission; the host's settings determine what it may do")
	o.Journal.Add(runs.Event{Event: "state", State: runs.Running})
	out := limited{limit: o.Limits.Output}
	var errs tail
	w := watch{o: o, health: newHealth(o.Limits)}
	w.health.reset(time.Now())
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var watching sync.WaitGroup
	watching.Go(func() { w.run(running, stop) })
	err := sandbox.Unsandboxed{
		Args: program, Dir: t.Dir, Env: o.environ(), Stdin: strings.NewReader(strings.Join(messages, "\n\n")),
		Stdout: io.MultiWriter(&w, &out), Stderr: io.MultiWriter(&w, &errs),
		Grace: 2 * time.Second, Bound: true,
	}.Run(running)
	stuck := &stuckError{}
	if errors.As(context.Cause(running), &stuck) {
		err = stuck
	}
	stop(nil)
	watching.Wait()
	r.Text = strings.TrimSpace(strings.ToValidUTF8(out.String(), "?"))
	switch cause := context.Cause(ctx); {
	case cause == errTimeout:
		r.Reason = cause.Error()
	case cause != nil:
		r.State, r.Reason = runs.Cancelled, byUser
	case err == error(stuck):
		r.Reason = stuck.reason
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

// watch monitors the progress of a non-interactive command line. Both output and CPU time count as
// progress.
type watch struct {
	o      Options
	mu     sync.Mutex
	health health
}

// Write implements [io.Writer].
func (w *watch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health.progress(time.Now())
	return len(p), nil
}

// stuckError is the error for a non-interactive command line that was stopped because it made no
// progress.
type stuckError struct{ reason string }

func (e *stuckError) Error() string { return e.reason }

// run records state changes until ctx is done, and stops the command line if it is stuck. Most
// command lines print nothing until they finish, so run does not stop them if it cannot measure
// their CPU time.
func (w *watch) run(ctx context.Context, stop context.CancelCauseFunc) {
	tick := w.o.Limits.ticker()
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			w.mu.Lock()
			state, reason, changed := w.health.check(now, w.o.ID, false)
			w.mu.Unlock()
			if changed {
				w.o.Journal.Add(runs.Event{Event: "state", State: state, Reason: reason})
			}
			if state == runs.Stuck && seesCPU {
				stop(&stuckError{reason})
				return
			}
		}
	}
}
