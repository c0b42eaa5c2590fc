package plan

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/worker"
)

// Options configures how a plan runs.
type Options struct {
	// Request contains what all tasks share: the project, the store, the default host and the
	// permissions.
	Request worker.Request
	// Name is the plan's name. A task's result is a commit on the branch vade/NAME/TASK.
	Name string
	// Dir is the directory for the plan's journal.
	Dir string
	// OnEvent, if not nil, is called for each event in a task. Calls for different tasks do not
	// overlap.
	OnEvent func(task string, e runs.Event)
}

// Branch returns the branch that contains a task's result.
func (o *Options) Branch(task string) string { return "vade/" + o.Name + "/" + task }

// Outcome is a task's final result.
type Outcome struct {
	State  runs.State `json:"state"`
	Reason string     `json:"reason,omitempty"`
	// Run is the ID of the task's last run, and Commit is the commit that contains the result.
	Run    string `json:"run,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// maxReason limits the length of an outcome's reason, in bytes.
const maxReason = 1000

// Run runs a plan's tasks until every task has an outcome, and returns the outcomes by task. Tasks
// that an earlier Run completed are not repeated. If ctx is canceled first, running tasks are
// stopped without an outcome. A later Run repeats them in new worktrees, so their partial changes
// are discarded. Run fails with [vfs.ErrBusy] if another process runs the plan.
func Run(ctx context.Context, p *Plan, o Options) (map[string]Outcome, error) {
	j, err := openJournal(o.Dir, p)
	if err != nil {
		return nil, err
	}
	defer j.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	waiting := slices.DeleteFunc(slices.Clone(p.Tasks), func(t Task) bool {
		_, ended := j.outcomes[t.ID]
		return ended
	})
	type result struct {
		task    string
		outcome Outcome
	}
	results := make(chan result)
	running := 0
	r := runner{o: o}
	for {
		for running < p.Parallel && ctx.Err() == nil {
			i := slices.IndexFunc(waiting, j.ready)
			if i < 0 {
				break
			}
			t := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			if failed := j.failed(&t); failed != "" {
				reason := "dependency " + string(j.outcomes[failed].State) + ": " + failed
				if err := j.record(t.ID, Outcome{State: runs.Failed, Reason: reason}); err != nil {
					stop(err)
				}
				continue
			}
			request := r.request(&t, j.outcomes)
			running++
			go func() { results <- result{t.ID, work(ctx, request, t.Retries)} }()
		}
		if running == 0 {
			return j.outcomes, context.Cause(ctx)
		}
		ended := <-results
		running--
		if ctx.Err() == nil {
			if err := j.record(ended.task, ended.outcome); err != nil {
				stop(err)
			}
		}
	}
}

// runner turns tasks into requests.
type runner struct {
	o Options
	// events is locked during calls to OnEvent.
	events sync.Mutex
}

// request returns the request that runs a task. All of the task's dependencies must be done.
func (r *runner) request(t *Task, outcomes map[string]Outcome) worker.Request {
	request := r.o.Request
	request.Prompt, request.Agent = t.Request, t.Agent
	request.Worktree, request.Commit, request.Branch = true, true, r.o.Branch(t.ID)
	if t.Host != "" {
		request.Catalog.As = t.Host
	}
	if t.Timeout > 0 {
		request.Limits.Total = t.Timeout
	}
	for _, after := range t.After {
		request.Merge = append(request.Merge, outcomes[after].Commit)
	}
	request.OnEvent = func(e runs.Event) {
		r.events.Lock()
		defer r.events.Unlock()
		if r.o.OnEvent != nil {
			r.o.OnEvent(t.ID, e)
		}
	}
	return request
}

// work runs a request. If it fails, work retries it up to the given number of times.
func work(ctx context.Context, request worker.Request, retries int) (outcome Outcome) {
	for range retries + 1 {
		outcome = try(ctx, request)
		if ctx.Err() != nil || outcome.State != runs.Failed {
			break
		}
	}
	return outcome
}

// try runs a request once and returns its outcome.
func try(ctx context.Context, request worker.Request) Outcome {
	report, err := worker.Execute(ctx, request)
	if err != nil {
		return Outcome{State: runs.Failed, Reason: chars.Truncate(err.Error(), maxReason)}
	}
	w := report.Worktree
	if len(w.Copies) > 0 && report.Reason == "" {
		report.Reason = "changes to ignored files were not kept: " + strings.Join(w.Copies, ", ")
	}
	return Outcome{State: report.State, Reason: chars.Truncate(report.Reason, maxReason), Run: report.ID, Commit: w.Commit}
}
