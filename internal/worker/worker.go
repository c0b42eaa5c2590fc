// Package worker runs one task on a coding agent, over the Agent Client Protocol or with the
// agent's non-interactive command line. It watches the agent's progress, answers its requests
// according to the user's policy, and always ends with a final state and, on Linux, no remaining
// processes.
package worker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
)

// Task is the input for an agent.
type Task struct {
	// Dir is the absolute working directory.
	Dir string
	// Messages are sent as the content blocks of one prompt.
	Messages []string
	// System is the system prompt. If "", it defaults to the agent's own.
	System string
	// Model and Effort are requested if the agent supports them. If "", they default to the agent's
	// own settings.
	Model, Effort string
	// Session is the agent session to continue. If "", a new one is started.
	Session string
	// Continue is sent instead of Messages if the agent still has the session.
	Continue string
}

// Options configures how a task runs.
type Options struct {
	// Launch describes how to start the host's program. Command overrides its command line.
	Launch  host.Launch
	Command []string
	// Getenv looks up a variable in the user's environment. Environ is the entire environment.
	Getenv  func(string) string
	Environ []string
	// Forbid lists directories whose programs are never started, such as the project.
	Forbid []string
	// ID identifies the run's processes, so that remaining processes can be found.
	ID string
	// Depth is the number of nested runs that contain the agent's program, including this one.
	Depth int
	// Guard answers the agent's requests.
	Guard *Guard
	// Limits holds the time limits and other bounds. Zero values select the defaults.
	Limits Limits
	// Journal receives the run's events.
	Journal *runs.Journal
}

// Limits bounds a run.
type Limits struct {
	// Total limits the duration of the whole run. If 0, there is no limit.
	Total time.Duration
	// Start limits the time until a session is open. If 0, it defaults to two minutes.
	Start time.Duration
	// Quiet and Stuck are how long a run can go without progress before it is considered quiet or
	// stuck. If 0, they default to one minute and ten minutes.
	Quiet, Stuck time.Duration
	// Cancel is how long the agent may take to end a canceled turn. If 0, it defaults to ten
	// seconds.
	Cancel time.Duration
	// Repeats is the number of consecutive identical calls, or identical pairs of calls, that count
	// as a loop. If 0, it defaults to 6.
	Repeats int
	// Restarts limits how often an agent that fails or does not stop is restarted. If 0, it
	// defaults to 2; if negative, the agent is never restarted.
	Restarts int
	// Output limits the size of an answer in bytes; the rest is discarded. If 0, it defaults to 1
	// MiB.
	Output int
}

func (l Limits) withDefaults() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&l.Start, 2*time.Minute)
	def(&l.Quiet, time.Minute)
	def(&l.Stuck, 10*time.Minute)
	def(&l.Cancel, 10*time.Second)
	if l.Repeats == 0 {
		l.Repeats = 6
	}
	if l.Restarts == 0 {
		l.Restarts = 2
	}
	if l.Output == 0 {
		l.Output = 1 << 20
	}
	return l
}

// ticker returns a ticker for progress checks.
func (l *Limits) ticker() *time.Ticker {
	return time.NewTicker(max(min(time.Second, l.Quiet/4), time.Millisecond))
}

// Result describes how a run ended.
type Result struct {
	State  runs.State
	Reason string
	// Text is the agent's final answer.
	Text    string
	Session string
	// Losses lists the parts of the task that the agent does not support.
	Losses []string
	Usage  *Usage
}

// Run runs a task until it reaches a final state.
func Run(ctx context.Context, t Task, o Options) Result {
	o.Limits = o.Limits.withDefaults()
	if o.Limits.Total > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Limits.Total, errTimeout)
		defer cancel()
	}
	defer KillRemains(o.ID)
	r := runTask(ctx, t, o)
	if err := o.Journal.Err(); err != nil && r.State == runs.Done {
		r.State, r.Reason = runs.Failed, "cannot write the journal: "+err.Error()
	}
	o.Journal.Add(runs.Event{Event: "end", State: r.State, Reason: r.Reason, Text: r.Text})
	return r
}

var (
	errTimeout  = errors.New("the run reached its time limit")
	errProtocol = errors.New("the program does not support version 1 of the Agent Client Protocol")
)

func runTask(ctx context.Context, t Task, o Options) Result {
	program, scripted, err := o.program()
	if err != nil {
		return Result{State: runs.Failed, Reason: err.Error()}
	}
	if scripted {
		return runPrint(ctx, program, t, o)
	}
	var losses []string
	for attempt := 0; ; attempt++ {
		s := newSession(t, o)
		end := s.run(ctx, program)
		if attempt == 0 {
			losses = s.losses
		}
		r := Result{
			State: end.state, Reason: end.reason, Text: s.answer(), Session: s.id,
			Losses: losses, Usage: s.usage,
		}
		if end.retry == noRetry || attempt >= o.Limits.Restarts || ctx.Err() != nil {
			return r
		}
		if end.retry == retryLoad {
			if !s.loads || s.id == "" {
				return r
			}
			t.Session, t.Continue = s.id, lostText
			if end.idle {
				t.Continue = nudgeText
			}
		}
		o.Journal.Add(runs.Event{Event: "step", Kind: "restart", Reason: end.reason})
		if !wait(ctx, end.pause) {
			return r
		}
	}
}

// wait waits for d, and reports whether ctx is still active.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err() == nil
}

// MissingError is returned if none of the programs that can run the task is installed.
type MissingError struct {
	// Programs lists the programs' names. Install tells the user how to install one; it may be "".
	Programs []string
	Install  string
}

func (e *MissingError) Error() string {
	if len(e.Programs) > 1 {
		return "neither " + strings.Join(e.Programs, " nor ") + " is installed"
	}
	return strings.Join(e.Programs, "") + " is not installed"
}

// program returns the command line to start, and whether that command line is non-interactive. The
// error is a *[MissingError].
func (o *Options) program() (args []string, scripted bool, err error) {
	lines := [][]string{o.Launch.ACP, o.Launch.Print}
	missing := &MissingError{Install: o.Launch.Install}
	if len(o.Command) > 0 {
		lines = [][]string{o.Command}
		missing.Install = ""
	}
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		path, err := sandbox.LookPath(line[0], o.Getenv("PATH"), o.Forbid)
		if err == nil {
			return append([]string{path}, line[1:]...), i == 1, nil
		}
		missing.Programs = slices.Compact(append(missing.Programs, line[0]))
	}
	return nil, false, missing
}

// markVariable is the environment variable that lists the runs that a process belongs to, innermost
// first. It identifies processes left behind by a run.
const markVariable = "VADE_RUN"

// depthVariable is the environment variable that holds the number of runs in which a process is
// nested. A run that is nested in maxDepth others is refused, so agents that run definitions cannot
// recurse forever.
const (
	depthVariable = "VADE_RUN_DEPTH"
	maxDepth      = 3
)

// environ returns the environment for the agent's program.
func (o *Options) environ() []string {
	var env []string
	mark := o.ID
	for _, v := range o.Environ {
		switch name, value, _ := strings.Cut(v, "="); name {
		case markVariable:
			mark += "," + value
		case depthVariable:
		case "PATH":
			// Keep the agent from starting the project's programs instead of its own.
			env = append(env, "PATH="+sandbox.SafePath(value, o.Forbid))
		default:
			env = append(env, v)
		}
	}
	env = append(env, o.Launch.Env...)
	return append(env, markVariable+"="+mark, depthVariable+"="+strconv.Itoa(o.Depth))
}
