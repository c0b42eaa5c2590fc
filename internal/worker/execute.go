package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/worktree"
)

// Request is a request to run a definition or a prompt on a host.
type Request struct {
	// Catalog selects the working directory and the host. The prompt is
	// rendered in the host's view.
	Catalog catalog.Options
	// Prompt is the text that a user would type.
	Prompt string
	// Agent is the agent that performs the task. If it is "", the definition's agent is used or,
	// failing that, the host's default agent.
	Agent string
	// Command replaces the command line that starts the host's program.
	Command []string
	// If Worktree is set, the task runs in a new worktree, on the branch Branch or, if that is
	// empty, on a branch named after the run.
	Worktree bool
	Branch   string
	// Merge lists additional commits to merge into the worktree's starting point. If Commit is set,
	// a successful run's changes are committed and only the branch is kept. The branch replaces any
	// earlier one with the same name.
	Merge  []string
	Commit bool

	Permission Permission
	// Ask asks the user a question. It is used only if Permission is the constant [Ask].
	Ask    func(ctx context.Context, question string) (bool, error)
	Limits Limits
	// Store keeps the journal. ID is the run's ID; if it is "", a new one is created.
	Store *runs.Store
	ID    string
	// Resume is a failed or killed run to continue. Its ID, request, agent, command, host and
	// directory replace those in this Request, and its session is continued.
	Resume *runs.Run
	// OnEvent is called for each journal event.
	OnEvent func(runs.Event)
}

// Report describes how a run ended.
type Report struct {
	ID     string     `json:"id"`
	State  runs.State `json:"state"`
	Reason string     `json:"reason"`
	// Text is the agent's final answer.
	Text string `json:"text"`
	Host string `json:"host"`
	// Session is the ID of the agent's session.
	Session string `json:"session"`
	// Worktree describes the run's worktree. It is nil if the run has none.
	Worktree *ReportWorktree `json:"worktree"`
	// Losses lists the parts of the request that the agent does not support.
	Losses []string `json:"losses"`
	Usage  *Usage   `json:"usage"`
	// Journal is the path of the run's journal.
	Journal string `json:"journal"`
}

// ReportWorktree describes a run's worktree.
type ReportWorktree struct {
	Dir    string `json:"dir"`
	Branch string `json:"branch"`
	Base   string `json:"base"`
	// Changed reports whether the agent changed any files that git does not ignore.
	Changed bool `json:"changed"`
	// Copies lists copied ignored files that the agent changed. They are not part of any commit.
	Copies []string `json:"copies"`
	// Commit is the commit that contains the changes, or "" if they were not committed.
	Commit string `json:"commit,omitempty"`
}

// Execute renders a request, runs it and waits until it ends. If the run did not start, the report
// is nil. An error that is returned along with a report concerns the run's worktree.
func Execute(ctx context.Context, r Request) (*Report, error) {
	e := execution{r: r, getenv: r.Catalog.Getenv}
	if e.getenv == nil {
		e.getenv = os.Getenv
	}
	if e.depth, _ = strconv.Atoi(e.getenv(depthVariable)); e.depth >= maxDepth {
		return nil, fmt.Errorf("runs are nested more than %d levels deep", maxDepth)
	}
	if e.r.ID == "" {
		e.r.ID = runs.NewID(time.Now())
	}
	defer e.close()
	if old := r.Resume; old != nil {
		e.r.ID, e.r.Prompt, e.r.Agent, e.r.Command = old.ID, old.Request, old.Agent, old.Command
		e.r.Catalog.Dir, e.r.Catalog.As = old.Dir, old.Host
	}
	if err := e.prepare(ctx); err != nil {
		return nil, err
	}
	return e.run(ctx)
}

type execution struct {
	r        Request
	getenv   func(string) string
	dir      string
	worktree *worktree.Worktree
	catalog  *catalog.Catalog
	// forbid lists directories whose programs must not be started.
	forbid []string
	task   Task
	guard  GuardOptions
	losses []string
	// depth is the number of runs that enclose this run.
	depth int
}

func (e *execution) close() {
	if e.catalog != nil {
		_ = e.catalog.Close()
	}
}

// prepare opens the catalog, creates the worktree or reuses that of the resumed run, and renders
// the request.
func (e *execution) prepare(ctx context.Context) error {
	cat, err := catalog.Open(ctx, e.r.Catalog)
	if err != nil {
		return err
	}
	e.catalog = cat
	if e.dir, err = filepath.Abs(e.r.Catalog.Dir); err != nil {
		return err
	}
	e.forbid = []string{e.dir, cat.ProjectDir()}
	if e.r.Resume != nil && e.r.Resume.Project != "" {
		e.forbid = append(e.forbid, e.r.Resume.Project)
	}
	switch old := e.r.Resume; {
	case old != nil:
		KillRemains(old.ID)
		if old.Worktree == "" {
			break
		}
		git, err := e.git()
		if err != nil {
			return err
		}
		e.worktree = &worktree.Worktree{
			Git: git, Dir: old.Worktree, Branch: old.Branch, Base: old.Base, Project: old.Project,
			Store: e.r.Store.Root(), Copies: old.Copies,
		}
	case e.r.Worktree:
		if err := e.isolate(ctx); err != nil {
			return errors.Join(err, e.discard(ctx))
		}
	}
	err = e.render(ctx)
	if err != nil {
		err = errors.Join(err, e.discard(ctx))
	}
	if old := e.r.Resume; old != nil && old.Session != "" {
		e.task.Session, e.task.Continue = old.Session, resumeText
	}
	return err
}

// resumeText is sent to an agent when its run is resumed.
const resumeText = "The program that supervised this session was terminated. " +
	"Check what has already been done, then continue."

func (e *execution) git() (string, error) {
	return sandbox.Find("git", sandbox.Search{Path: e.getenv("PATH"), Forbid: e.forbid})
}

// isolate creates the worktree and opens the catalog in it.
func (e *execution) isolate(ctx context.Context) error {
	git, err := e.git()
	if err != nil {
		return err
	}
	branch := e.r.Branch
	if branch == "" {
		branch = "vade/" + e.r.ID
	}
	dir := filepath.Join(e.r.Store.Dir(e.r.ID), "tree")
	if e.r.Commit {
		// Use a fixed name, so that a later attempt finds the worktree that a killed run left
		// behind.
		dir = filepath.Join(e.r.Store.Root(), runs.TreePrefix+strings.ReplaceAll(branch, "/", "-"))
	}
	e.worktree, err = worktree.Add(ctx, worktree.Options{
		Git: git, Project: e.dir, Branch: branch, ID: e.r.ID, Merge: e.r.Merge, Replace: e.r.Commit,
		Dir: dir, Store: e.r.Store.Root(), Copies: e.copies(),
	})
	if err != nil {
		return fmt.Errorf("cannot create a worktree of %s: %w", e.dir, err)
	}
	_ = e.catalog.Close()
	e.dir = e.worktree.Sub(e.dir)
	o := e.r.Catalog
	o.Dir = e.dir
	e.catalog, err = catalog.Open(ctx, o)
	return err
}

// copies returns pathspecs for the ignored files to copy into the worktree.
func (e *execution) copies() []string {
	var globs []string
	p, _ := e.catalog.EffectivePolicy()
	for _, v := range p.WorktreeFiles {
		globs = append(globs, v.Text)
	}
	return worktree.Pathspecs(catalog.HostPaths(e.catalog.Profile), globs)
}

// discard removes the worktree of a run that did not start or whose changes are not kept, unless
// the run was resumed.
func (e *execution) discard(ctx context.Context) error {
	if e.worktree == nil || e.r.Resume != nil {
		return nil
	}
	err := e.worktree.Remove(context.WithoutCancel(ctx))
	if _, problem := os.Stat(e.r.Store.JournalPath(e.r.ID)); errors.Is(problem, os.ErrNotExist) {
		err = errors.Join(err, os.RemoveAll(e.r.Store.Dir(e.r.ID)))
	}
	return err
}

// render sets the task's messages to those that the host would send to its model, and applies the
// settings of the definition and the agent.
func (e *execution) render(ctx context.Context) error {
	e.task.Dir = e.dir
	if e.catalog.Profile.Name == host.NeutralName && !strings.HasPrefix(e.r.Prompt, "/") {
		// Use the prompt as is. In the neutral view, rendering would interpret it as a definition's
		// name.
		e.task.Messages = []string{e.r.Prompt}
		return e.asAgent(ctx, e.r.Agent)
	}
	rendering, err := e.catalog.Render(ctx, catalog.RenderRequest{Prompt: e.r.Prompt})
	if err != nil {
		return err
	}
	if rendering.Error != nil {
		return rendering.Error
	}
	for _, m := range rendering.Messages {
		if m.Role == "user" {
			e.task.Messages = append(e.task.Messages, m.Text)
		}
	}
	if t := rendering.Turn; t != nil {
		e.task.System, e.task.Model, e.task.Effort = t.System, t.Model, t.Effort
		e.guard.Allowed, e.guard.Disallowed = t.AllowedTools, t.DisallowedTools
		if len(t.Hooks) > 0 {
			e.losses = append(e.losses, "the definition's hooks do not run")
		}
	}
	for _, a := range rendering.Attached {
		e.losses = append(e.losses, "the file "+a.Path+" is mentioned but not attached")
	}
	if e.r.Agent != "" {
		return e.asAgent(ctx, e.r.Agent)
	}
	t := rendering.Turn
	if t == nil || t.Agent == "" || t.System != "" {
		return nil
	}
	err = e.asAgent(ctx, t.Agent)
	if problem, ok := errors.AsType[*definition.Error](err); ok && problem.Code == diag.AgentNotFound {
		// The agent may be built into the host. Vade cannot select such an agent.
		e.losses = append(e.losses, "the agent "+t.Agent+" has no definition, so its prompt and tools are not applied")
		return nil
	}
	return err
}

// asAgent makes the named agent perform the task. "" means the host's default agent.
func (e *execution) asAgent(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	p, err := prompt.Build(ctx, e.catalog, prompt.Request{Agent: name})
	if err != nil {
		return err
	}
	var parts []string
	for _, part := range p.Parts {
		// Omit the other parts, because the host adds its own listing and instructions.
		if part.What == prompt.PromptBody || part.What == prompt.PromptSkill {
			parts = append(parts, part.Text)
		}
	}
	e.task.System = strings.Join(parts, "\n\n")
	d, err := e.catalog.Get(ctx, definition.Agent, p.Agent)
	if err != nil {
		return err
	}
	f := d.Record().Fields
	for to, value := range map[*string]string{&e.task.Model: f.Model(), &e.task.Effort: f.Effort()} {
		if value != "" {
			*to = value
		}
	}
	if tools := f.Tools(); len(tools) > 0 {
		e.guard.Allowed = tools
	}
	e.guard.Disallowed = append(e.guard.Disallowed, f.DisallowedTools()...)
	return nil
}

// run runs the task and reports the result.
func (e *execution) run(ctx context.Context) (*Report, error) {
	name := e.catalog.Profile.Name
	record := runs.Run{
		ID: e.r.ID, Request: e.r.Prompt, Host: name, Agent: e.r.Agent, Dir: e.dir, PID: os.Getpid(),
		Started: time.Now().Round(time.Millisecond), Command: e.r.Command,
		Permission: string(e.r.Permission), Timeout: e.r.Limits.Total,
	}
	if w := e.worktree; w != nil {
		record.Worktree, record.Branch, record.Base, record.Project = w.Dir, w.Branch, w.Base, w.Project
		record.Copies = w.Copies
	}
	o := Options{
		Command: e.r.Command, Getenv: e.getenv, Environ: os.Environ(), ID: e.r.ID,
		Limits: e.r.Limits, Forbid: append(e.forbid, e.dir), Depth: e.depth + 1,
	}
	if launch := e.catalog.Profile.Launch; launch != nil {
		o.Launch = *launch
	}
	if _, _, err := o.program(); err != nil {
		return nil, errors.Join(err, e.discard(ctx))
	}
	journal, err := e.r.Store.Create(record)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write the journal: %w", err), e.discard(ctx))
	}
	defer journal.Close()
	journal.OnEvent = e.r.OnEvent
	g := e.guard
	g.Catalog, g.Dir, g.Permission, g.Ask = e.catalog, e.dir, e.r.Permission, e.r.Ask
	g.Edits, g.Journal = e.worktree != nil, journal
	guard, err := NewGuard(g)
	if err != nil {
		return nil, errors.Join(err, e.discard(ctx))
	}
	defer guard.Close()
	o.Guard, o.Journal = guard, journal
	running, free := e.r.Store.Cancelable(ctx, e.r.ID)
	defer free()
	result := Run(running, e.task, o)
	return e.report(ctx, name, &result)
}

func (e *execution) report(ctx context.Context, name string, r *Result) (*Report, error) {
	report := &Report{
		ID: e.r.ID, State: r.State, Reason: r.Reason, Text: r.Text, Host: name, Session: r.Session,
		Losses: append(append([]string{}, e.losses...), r.Losses...), Usage: r.Usage,
		Journal: e.r.Store.JournalPath(e.r.ID),
	}
	w := e.worktree
	if w == nil {
		return report, nil
	}
	diff, err := w.Diff(context.WithoutCancel(ctx))
	copies, problem := w.Edited(context.WithoutCancel(ctx))
	err = errors.Join(err, problem)
	report.Worktree = &ReportWorktree{
		Dir: w.Dir, Branch: w.Branch, Base: w.Base, Changed: diff != "", Copies: append([]string{}, copies...),
	}
	if err != nil || !e.r.Commit {
		return report, err
	}
	if r.State != runs.Done {
		return report, e.discard(ctx)
	}
	if report.Worktree.Commit, err = w.Commit(ctx, "vade run "+e.r.ID+": "+e.r.Prompt); err == nil {
		err = w.RemoveDir(context.WithoutCancel(ctx))
	}
	return report, err
}
