package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/plan"
	"github.com/vadehq/vade/internal/prompt"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
	"github.com/vadehq/vade/internal/worker"
)

// planTask is the JSON form of a task's result.
type planTask struct {
	ID     string     `json:"id"`
	State  runs.State `json:"state"`
	Reason string     `json:"reason"`
	Run    string     `json:"run"`
	Branch string     `json:"branch"`
	Commit string     `json:"commit"`
}

// runPlan runs the tasks in a file. A plan is identified by its project and by the file's name and
// content, so running the unchanged file again continues the plan.
func (a *app) runPlan(ctx context.Context, f runFlags) error {
	defer surviveSIGPIPE()()
	data, err := vfs.ReadUserFile(absolute(f.plan), plan.MaxFile)
	if err != nil {
		problem := "--plan " + f.plan + ": " + catalog.Cause(err).Error()
		return usage{failure{problem, "specify a YAML file; see: vade help run"}}
	}
	if f.permission == "" {
		f.permission = string(worker.ByPolicy)
	}
	r, err := a.request(ctx, f, "")
	if err != nil {
		return err
	}
	p, diags := plan.Parse(f.plan, data, func(t *plan.Task) (problem, fix string) {
		if err := validTask(ctx, &r, t); err != nil {
			x := asFailure(err)
			return x.message, x.hint
		}
		return "", ""
	})
	if err := a.printProblems(diags); err != nil {
		return err
	}
	if p == nil {
		return usage{failure{f.plan + " is not a valid plan", "fix the errors above"}}
	}
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	project := cat.ProjectDir()
	state, err := cat.StateDir("plans")
	err = errors.Join(err, cat.Close())
	if err != nil {
		return err
	}
	o := plan.Options{Request: r, Name: planName(f.plan, project, data)}
	o.Dir = filepath.Join(state, o.Name)
	show := a.console()
	o.Request.Ask = show.ask
	o.OnEvent = func(task string, e runs.Event) {
		if e.Event != "tool" {
			show.event(task+": ", e)
		}
	}
	outcomes, err := plan.Run(ctx, p, o)
	if errors.Is(err, vfs.ErrBusy) {
		return failure{"this plan is already running", "to follow its tasks, run: vade runs"}
	}
	if ctx.Err() != nil {
		return failure{"interrupted", "to continue, run the same command"}
	}
	if err != nil {
		return err
	}
	return a.printPlanResult(p, outcomes, &o)
}

// validTask returns an error if a task specifies an unknown agent or a host that Vade cannot start.
func validTask(ctx context.Context, r *worker.Request, t *plan.Task) error {
	o := r.Catalog
	if t.Host != "" {
		if err := launchable("host", t.Host); err != nil && len(r.Command) == 0 {
			return err
		}
		o.As = t.Host
	}
	if t.Agent == "" {
		return nil
	}
	cat, err := catalog.Open(ctx, o)
	if err != nil {
		return err
	}
	defer cat.Close()
	_, err = prompt.Build(ctx, cat, prompt.Request{Agent: t.Agent})
	return err
}

// planName returns a name for a plan that can be part of a branch name.
func planName(file, project string, data []byte) string {
	sum := sha256.Sum256(append([]byte(project+"\x00"), data...))
	stem := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	return strings.Trim(stem, "-") + "-" + hex.EncodeToString(sum[:4])
}

func absolute(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(abs)
}

func (a *app) printPlanResult(p *plan.Plan, outcomes map[string]plan.Outcome, o *plan.Options) error {
	list := []planTask{}
	ok, last := true, ""
	for i := range p.Tasks {
		id := p.Tasks[i].ID
		out := outcomes[id]
		t := planTask{ID: id, State: out.State, Reason: out.Reason, Run: out.Run, Commit: out.Commit}
		if out.Commit != "" {
			t.Branch = o.Branch(id)
			last = t.Branch
		}
		ok = ok && out.State == runs.Done
		list = append(list, t)
	}
	return failIf(!ok, a.output(map[string]any{"plan": o.Name, "tasks": list}, func() error {
		t := terminal.Table{Columns: []terminal.Column{
			{Title: "TASK", Style: terminal.Bold}, {Title: "STATE"},
			{Title: "BRANCH OR REASON", Flexible: true},
		}}
		for _, x := range list {
			t.Row(x.ID, stateCell(x.State), cmp.Or(x.Branch, x.Reason))
		}
		t.Print(a.stdout())
		if last != "" {
			a.stderr().Label(terminal.Cyan, "vade: hint:",
				"to see a result, run: git diff HEAD...%s; to merge it, run: git merge %[1]s", last)
		}
		if !ok {
			a.stderr().Label(terminal.Cyan, "vade: hint:", "to retry the remaining tasks, run the same command")
		}
		return a.stdout().Err()
	}))
}
