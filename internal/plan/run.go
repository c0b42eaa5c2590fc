package plan

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/worker"
)

// Options configures how a plan runs.
type Options struct {
	// Request contains what all tasks share: the project, the store, who
	// decides, and the default host.
	Request worker.Request
	// Name is the plan's name. A task's result is a commit on the branch vade/NAME/TASK.
	Name string
	// OnEvent is called for each event in a task, by one worker at a time.
	OnEvent func(task string, e runs.Event)
}

// Branch returns the branch that contains a task's result.
func (o *Options) Branch(task string) string { return "vade/" + o.Name + "/" + task }

// Run works on a plan until every task has an outcome. If ctx is canceled
// first, running tasks are stopped without an outcome. A later Run repeats them
// in new worktrees, so their partial changes are discarded.
func Run(ctx context.Context, p *Plan, q Queue, o Options) (map[string]Outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := runner{plan: p, queue: q, o: o}
	var workers sync.WaitGroup
	for range p.Parallel {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	return q.Outcomes(), context.Cause(ctx)
}

type runner struct {
	plan  *Plan
	queue Queue
	o     Options
	mu    sync.Mutex
}

func (r *runner) work(ctx context.Context) error {
	for {
		lease, err := r.queue.Claim(ctx)
		if err != nil || lease == nil {
			return err
		}
		var outcome Outcome
		for range lease.Task.Retries + 1 {
			outcome = r.try(ctx, lease)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if outcome.State != runs.Failed {
				break
			}
		}
		if err := r.queue.Finish(lease, outcome); err != nil && !errors.Is(err, ErrFenced) {
			return err
		}
	}
}

// try runs a task once.
func (r *runner) try(ctx context.Context, l *Lease) Outcome {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	request := r.o.Request
	request.Prompt, request.Agent = l.Task.Request, l.Task.Agent
	request.Worktree, request.Commit, request.Branch = true, true, r.o.Branch(l.Task.ID)
	if l.Task.Host != "" {
		request.Catalog.As = l.Task.Host
	}
	if l.Task.Timeout > 0 {
		request.Limits.Total = l.Task.Timeout
	}
	outcomes := r.queue.Outcomes()
	for _, after := range l.Task.After {
		request.Merge = append(request.Merge, outcomes[after].Commit)
	}
	request.OnEvent = func(e runs.Event) {
		if err := r.queue.Extend(l); err != nil {
			stop(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.o.OnEvent != nil {
			r.o.OnEvent(l.Task.ID, e)
		}
	}
	report, err := worker.Execute(ctx, request)
	if err != nil {
		return Outcome{State: runs.Failed, Reason: err.Error()}
	}
	w := report.Worktree
	if len(w.Copies) > 0 && report.Reason == "" {
		report.Reason = "changes to ignored files were not kept: " + strings.Join(w.Copies, ", ")
	}
	return Outcome{State: report.State, Reason: report.Reason, Run: report.ID, Commit: w.Commit}
}
