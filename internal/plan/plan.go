// Package plan runs many tasks on coding agents. Each task runs in a separate worktree after the
// tasks that it depends on. An interrupted plan continues where it stopped.
package plan

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// Plan is a parsed task file.
type Plan struct {
	// Parallel is the number of tasks that run concurrently, at least 1.
	Parallel int
	Tasks    []Task
}

// Task is one task in a plan: a request and its dependencies.
type Task struct {
	// ID is the task's name in the plan and the last part of its branch name.
	ID      string
	Request string
	// Host and Agent have the same meaning as for vade run; "" means the default.
	Host, Agent string
	// After lists the tasks whose results this task builds on.
	After []string
	// Retries is the number of times that the task is retried after a failure.
	Retries int
	Timeout time.Duration
}

// Limits for a plan.
const (
	MaxFile     = 256 << 10
	maxTasks    = 1000
	maxParallel = 64
	maxRetries  = 10
)

// Parse parses a plan. It calls valid for each task; valid returns a problem with the task and how
// to fix it, or "" if there is none. If any diagnostic is an error, the returned plan is nil.
func Parse(name string, data []byte, valid func(*Task) (problem, fix string)) (*Plan, []diag.Diagnostic) {
	r := reader{src: diag.NewFile(name, data), plan: Plan{Parallel: 2}}
	doc, diags := frontmatter.ParseYAML(r.src)
	for i := range diags {
		if !doc.Valid {
			diags[i].Severity = diag.Error
		}
	}
	// A "#" surrounded by spaces starts an ordinary comment. Other comments are reported, because
	// the "#" in a text such as "fix issue #12" was probably not meant to start one.
	r.diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.YAMLComment && strings.Contains(d.Source, " # ") })
	for i := range doc.Entries {
		switch e := &doc.Entries[i]; e.Key {
		case "parallel":
			r.plan.Parallel = r.number(e, 1, maxParallel)
		case "tasks":
			r.tasks(e)
		default:
			r.fail(e.KeySpan, "use only the keys parallel and tasks", "unknown key %s", e.Key)
		}
	}
	if len(r.plan.Tasks) == 0 && !r.failed {
		fix := "add tasks: followed by a list of tasks, each with an id and a request"
		r.fail(diag.Span{}, fix, "the plan has no tasks")
	}
	r.check()
	for i := range r.plan.Tasks {
		if problem, fix := valid(&r.plan.Tasks[i]); problem != "" {
			r.fail(r.spans[i], fix, "task %s: %s", r.plan.Tasks[i].ID, problem)
		}
	}
	if r.failed || !doc.Valid {
		return nil, r.diags
	}
	return &r.plan, r.diags
}

type reader struct {
	src    *diag.File
	plan   Plan
	spans  []diag.Span
	diags  []diag.Diagnostic
	failed bool
}

func (r *reader) fail(at diag.Span, fix, format string, args ...any) {
	r.failed = true
	r.diags = append(r.diags, diag.At(r.src, at, diag.ConfigInvalid, format, args...).WithFix("%s", fix))
}

func (r *reader) number(e *definition.Entry, least, most int) int {
	n, err := strconv.Atoi(e.Value.Text)
	if err != nil || n < least || n > most {
		r.fail(e.Value.Span, "use a number in this range", "%s must be a number from %d to %d", e.Key, least, most)
	}
	return n
}

func (r *reader) text(e *definition.Entry) string {
	text, problem := frontmatter.Text(e.Value)
	if problem == "" && strings.TrimSpace(text) == "" {
		problem = "is empty"
	}
	if problem != "" {
		r.fail(e.Value.Span, "use a nonempty string", "%s %s", e.Key, problem)
	}
	return text
}

func (r *reader) tasks(e *definition.Entry) {
	if len(e.Value.Items) > maxTasks {
		r.fail(e.Value.Span, "split the plan", "the plan has more than %d tasks", maxTasks)
		return
	}
	for i := range e.Value.Items {
		r.task(&e.Value.Items[i])
	}
}

func (r *reader) task(v *definition.Value) {
	var t Task
	for i := range v.Pairs {
		switch e := &v.Pairs[i]; e.Key {
		case "id":
			t.ID = r.text(e)
		case "request":
			t.Request = r.text(e)
		case "host":
			t.Host = r.text(e)
		case "agent":
			t.Agent = r.text(e)
		case "retries":
			t.Retries = r.number(e, 0, maxRetries)
		case "timeout":
			d, err := time.ParseDuration(e.Value.Text)
			if err != nil || d <= 0 {
				r.fail(e.Value.Span, "use a number and a unit, such as 30m", "timeout must be a positive duration")
			}
			t.Timeout = d
		case "after":
			items := e.Value.Items
			if e.Value.Kind != definition.List {
				items = []definition.Value{e.Value}
			}
			for _, it := range items {
				t.After = append(t.After, it.Text)
			}
		default:
			fix := "use only the keys id, request, host, agent, after, retries and timeout"
			r.fail(e.KeySpan, fix, "unknown key %s", e.Key)
		}
	}
	if t.ID == "" || t.Request == "" {
		r.fail(v.Span, "give each task an id and a request", "a task is missing its id or request")
	}
	if strings.Trim(t.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		r.fail(v.Span, "use only letters, digits, - and _", "%q is not a valid task id", t.ID)
	}
	r.plan.Tasks = append(r.plan.Tasks, t)
	r.spans = append(r.spans, v.Span)
}

// check reports duplicate IDs, unknown dependencies and cycles.
func (r *reader) check() {
	for i, t := range r.plan.Tasks {
		if t.ID != "" && r.plan.Find(t.ID) != &r.plan.Tasks[i] {
			r.fail(r.spans[i], "rename one of them", "two tasks have the id %s (case is ignored)", t.ID)
		}
		for k, after := range t.After {
			if found := r.plan.Find(after); found != nil {
				t.After[k] = found.ID
				continue
			}
			fix := "use the id of a task in this plan"
			r.fail(r.spans[i], fix, "task %s depends on %s, which does not exist", t.ID, after)
		}
	}
	// Repeatedly remove tasks without open dependencies. The tasks that remain are part of a cycle
	// or depend on one.
	open := slices.Clone(r.plan.Tasks)
	for {
		rest := slices.DeleteFunc(slices.Clone(open), func(t Task) bool {
			return !slices.ContainsFunc(t.After, func(id string) bool {
				return slices.ContainsFunc(open, func(o Task) bool { return o.ID == id })
			})
		})
		if len(rest) == len(open) {
			break
		}
		open = rest
	}
	if len(open) > 0 && !r.failed {
		fix := "remove one of the dependencies"
		r.fail(diag.Span{}, fix, "the dependencies of task %s contain a cycle", open[0].ID)
	}
}

// Find returns the task with the given ID, ignoring case, or nil.
func (p *Plan) Find(id string) *Task {
	for i := range p.Tasks {
		if strings.EqualFold(p.Tasks[i].ID, id) {
			return &p.Tasks[i]
		}
	}
	return nil
}
