package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/worker"
)

// runFlags are the flags of vade run.
type runFlags struct {
	host, acp, agent, permission, worktree, plan, id string
	timeout                                          time.Duration
	detach                                           bool
}

// newBranch is the value of --worktree without a branch.
const newBranch = "\x00"

func (a *app) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] [--] REQUEST…", Short: "Run a command, skill or prompt on a coding agent",
		DisableFlagsInUseLine: true,
		Long: `Render a command, a skill or a prompt as a host would, start the host's program over the
Agent Client Protocol, and wait for its answer. Without --host, the project's first host
with an installed program runs it. A definition with "context: fork" runs as its agent.

Your policy answers the agent's requests: it may read files of the project, and run what
"vade shell" would run. With --permission ask, the default on a terminal, you are asked
about the rest; with policy, the default elsewhere, the rest is refused; deny allows
only reading. Files may be changed in a worktree, or if you allow it. What the agent's
program does without asking is up to that program: it does not run in a sandbox.

--worktree runs it in a new git worktree on its own branch, which stays; see what changed
with "vade runs show", and take it with "vade runs merge".

--plan runs the tasks in a file, several at once. Each task runs in its own worktree and on
its own branch, after the tasks that it depends on. To continue an interrupted plan, run it
again.

The answer is printed to stdout, progress to stderr. With --json, the last line is
{"id", "state", "reason", "text", "host", "session", "worktree", "losses", "usage",
"journal"}; state is done, failed or cancelled.

Exit codes: 0 done, 1 any other state, 2 invalid usage, 3 refused by the policy.`,
		Example: `  vade run '/review src'
  vade run --host codex --worktree -- fix the failing test
  vade run --agent architect --host claude-code plan the cache
  vade run --acp 'goose acp' --permission policy /review
  vade run --detach --json /review
  vade run --plan tasks.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.plan != "" && (len(args) > 0 || f.detach || f.worktree != "" || f.agent != ""):
				return usage{failure{
					"--plan takes no request, --agent, --worktree or --detach",
					"write them into the plan; see: vade help run",
				}}
			case f.plan == "" && len(args) == 0:
				return usage{failure{"no request", "write one: vade run '/review src'"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := flagAfterPrompt(c, args); err != nil {
				return err
			}
			return a.runRun(c, f, strings.Join(args, " "))
		},
	}
	// Flags after the first argument belong to the request.
	c.Flags().SetInterspersed(false)
	flags := c.Flags()
	flags.StringVar(&f.host, "host", "", "run it on `HOST` (list hosts: vade help hosts)")
	flags.StringVar(&f.acp, "acp", "", "start the agent with `COMMAND`, which speaks the Agent Client Protocol")
	a.agentFlag(c, &f.agent, "agent", "run it as the agent `NAME`")
	flags.StringVar(&f.worktree, "worktree", "", "run it in a new git worktree, on the new branch `BRANCH`")
	flags.Lookup("worktree").NoOptDefVal = newBranch
	flags.StringVar(&f.plan, "plan", "", "run the tasks in `FILE`, each in a worktree")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the run after `TIME`, such as 30m")
	choiceFlag(c, &f.permission, "permission",
		"who decides what the policy does not allow: `WHO`", "ask", "policy", "deny")
	flags.BoolVar(&f.detach, "detach", false, "run it in the background and print its ID")
	flags.StringVar(&f.id, "id", "", "")
	_ = flags.MarkHidden("id")
	completeFlag(c, "host", registry.With(hosts.CanLaunch)...)
	return c
}

func (a *app) runRun(c *cobra.Command, f runFlags, prompt string) error {
	// Handle signals before the run becomes visible, so that a signal is never missed.
	ctx, _, free := a.untilSignal(c.Context())
	defer free()
	if c.Flags().Changed("worktree") && f.worktree == "" {
		return usage{failure{"--worktree= has no branch", "name one, or write --worktree without ="}}
	}
	if f.timeout < 0 {
		return usage{failure{"--timeout must be positive", "write a number and a unit, such as 30m"}}
	}
	if f.plan != "" {
		return a.runPlan(ctx, f)
	}
	r, err := a.request(ctx, f, prompt)
	if err != nil {
		return err
	}
	if f.detach {
		return a.detach(r)
	}
	return a.execute(ctx, r)
}

// execute runs a request and prints how it ended.
func (a *app) execute(ctx context.Context, r worker.Request) error {
	defer surviveSIGPIPE()()
	reporter := &runReporter{to: a.stderr(), json: a.json}
	r.OnEvent = reporter.event
	report, err := worker.Execute(ctx, r)
	e, ok := errors.AsType[*definition.Error](err)
	if ok && (e.Code == diag.BashNotAllowed || e.Code == diag.AuditBlocked) {
		a.exit(err)
		return silent{exitRefused}
	}
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(report)
	} else {
		err = a.printRun(report)
	}
	if err == nil && report.State != runs.Done {
		err = silent{exitFailure}
	}
	return err
}

// runForModel runs a request of a client of the MCP server, under the policy alone.
func (a *app) runForModel(ctx context.Context, host, agent, prompt string) (string, error) {
	f := runFlags{host: host, agent: agent, permission: string(worker.ByPolicy)}
	r, err := a.request(ctx, f, prompt)
	if err != nil {
		return "", err
	}
	report, err := worker.Execute(ctx, r)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{
		"id": report.ID, "state": report.State, "reason": report.Reason, "text": report.Text,
	})
	return string(data), err
}

// request returns the request that the flags describe.
func (a *app) request(ctx context.Context, f runFlags, prompt string) (worker.Request, error) {
	o, err := a.options(catalog.Options{Shell: withHelper(catalog.ShellOptions{})})
	if err != nil {
		return worker.Request{}, err
	}
	store, err := a.runStore(ctx)
	if err != nil {
		return worker.Request{}, err
	}
	r := worker.Request{
		Catalog: o, Prompt: prompt, Agent: f.agent, Command: strings.Fields(f.acp),
		Worktree: f.worktree != "", Permission: worker.Permission(f.permission),
		Limits: worker.Limits{Total: f.timeout}, Store: store, ID: f.id,
	}
	if f.worktree != newBranch {
		r.Branch = f.worktree
	}
	if r.Catalog.As, err = a.runHost(ctx, f); err != nil {
		return r, err
	}
	terminal := isCharDevice(a.world.Stdin) && a.stderr().IsTerminal()
	if r.Permission == "" {
		r.Permission = worker.ByPolicy
		if terminal && !f.detach {
			r.Permission = worker.Ask
		}
	}
	if r.Permission == worker.Ask {
		if f.detach || !terminal {
			return r, usage{failure{"--permission ask needs a terminal", "use --permission policy or deny"}}
		}
		r.Ask = a.questions()
	}
	return r, nil
}

// runStore opens the store of runs.
func (a *app) runStore(ctx context.Context) (*runs.Store, error) {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	dir, err := cat.StateDir("runs")
	if err != nil {
		return nil, err
	}
	return runs.Open(dir)
}

// runHost returns the host to run on.
func (a *app) runHost(ctx context.Context, f runFlags) (string, error) {
	able := registry.With(hosts.CanLaunch)
	if f.host != "" {
		name, _, _ := strings.Cut(f.host, "@")
		switch {
		case !isHost(f.host):
			return "", unknownHost("--host", f.host, able)
		case f.acp == "" && !slices.Contains(able, name):
			fix := "use one of: " + strings.Join(able, ", ") + "; or --acp COMMAND"
			return "", usage{failure{"Vade cannot start " + name, fix}}
		}
		return f.host, nil
	}
	if f.acp != "" {
		return "", nil
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return "", err
	}
	profiles, err := check.HostsOf(ctx, o, nil)
	if err != nil {
		return "", err
	}
	var missing []string
	for _, p := range profiles {
		if p.Launch == nil {
			continue
		}
		for _, command := range [][]string{p.Launch.ACP, p.Launch.Print} {
			if len(command) > 0 && sandbox.Installed(command[0], a.getenv("PATH")) {
				return p.Name, nil
			}
		}
		missing = append(missing, p.Name)
	}
	if len(missing) == 0 {
		fix := "name one: vade run --host " + able[0] + " …"
		return "", failure{"the project uses no host that Vade can start", fix}
	}
	return "", failure{
		"no program of these hosts is installed: " + strings.Join(missing, ", "),
		"install one (see: vade help run), or name another with --host or --acp",
	}
}

// answers holds the lines that the user types. A line counts only for the question that was on
// the screen when it was typed.
type answers struct {
	one   sync.Mutex
	start sync.Once
	typed chan answer
}

type answer struct {
	text string
	at   time.Time
}

// read reads lines until the input ends. It never waits for a question, so the time of each line
// is accurate.
func (q *answers) read(in io.Reader) {
	defer close(q.typed)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		select {
		case <-q.typed:
		default:
		}
		q.typed <- answer{lines.Text(), time.Now()}
	}
}

// questions returns a function that asks the user on the terminal, one question at a time.
func (a *app) questions() func(context.Context, string) (bool, error) {
	q := answers{typed: make(chan answer, 1)}
	return func(ctx context.Context, question string) (bool, error) {
		q.start.Do(func() { go q.read(a.world.Stdin) })
		q.one.Lock()
		defer q.one.Unlock()
		e := a.stderr()
		fmt.Fprint(e, e.Paint(terminal.Bold, terminal.EscapeLine(question))+" [y/N] ")
		asked := time.Now()
		for {
			select {
			case <-ctx.Done():
				fmt.Fprintln(e)
				return false, ctx.Err()
			case line, ok := <-q.typed:
				if !ok {
					return false, errors.New("the input ended")
				}
				if line.at.After(asked) {
					text := strings.ToLower(strings.TrimSpace(line.text))
					return text == "y" || text == "yes", nil
				}
			}
		}
	}
}

// detach starts the same run in a process that survives the terminal.
func (a *app) detach(r worker.Request) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	id := runs.NewID(time.Now())
	if err := os.Mkdir(r.Store.Dir(id), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(r.Store.Dir(id), "output"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	at := slices.IndexFunc(a.args, func(arg string) bool {
		return arg == "--detach" || strings.HasPrefix(arg, "--detach=")
	})
	args := slices.Clone(a.args)
	args[at] = "--id=" + id
	p, err := sandbox.Unsandboxed{Args: append([]string{self}, args...), Stdout: log, Stderr: log}.Start()
	if err != nil {
		return err
	}
	if err := started(r.Store.JournalPath(id), p, log.Name()); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"id": id, "journal": r.Store.JournalPath(id)})
	}
	a.stdout().Line(terminal.Plain, "%s", id)
	a.stderr().Label(terminal.Cyan, "vade: hint:", "follow it with: vade runs logs -f %s", id)
	return nil
}

// started waits until a background run has a journal.
func started(journal string, p *sandbox.Process, log string) error {
	for {
		select {
		case <-p.Exited():
			text, err := os.ReadFile(log)
			if _, missing := os.Stat(journal); missing == nil {
				return nil
			}
			why := "the run did not start: " + strings.TrimSpace(string(text))
			return errors.Join(failure{why, "run it without --detach"}, err)
		case <-time.After(20 * time.Millisecond):
			if _, err := os.Stat(journal); err == nil {
				return nil
			}
		}
	}
}

// runReporter reports the events of a run on stderr.
type runReporter struct {
	to   *terminal.Writer
	json bool
}

func (r *runReporter) event(e runs.Event) {
	if r.json {
		return
	}
	if line := eventLine(e); line != "" {
		r.to.Line(terminal.Dim, "%s", line)
	}
}

// eventLine describes an event in one line. It returns "" if the event is of no interest to the
// user.
func eventLine(e runs.Event) string {
	because := ""
	if e.Reason != "" {
		because = ": " + e.Reason
	}
	switch e.Event {
	case "state":
		return string(e.State) + because
	case "session":
		return "session " + e.Session + " of " + e.Title
	case "tool":
		return e.Decision + " " + e.Kind + " " + e.Title
	case "permission":
		return e.Decision + " " + e.Kind + " " + e.Title + because
	case "step":
		return e.Kind + because
	}
	return ""
}

func (a *app) printRun(r *worker.Report) error {
	if r.Text != "" {
		a.printText(strings.TrimRight(r.Text, "\n") + "\n")
	}
	e := a.stderr()
	for _, loss := range r.Losses {
		e.Label(terminal.Yellow, "vade: warning:", "%s", loss)
	}
	if r.State != runs.Done {
		e.Label(terminal.Red, "vade: "+string(r.State)+":", "%s", r.Reason)
	}
	if w := r.Worktree; w != nil {
		for _, name := range w.Copies {
			e.Label(terminal.Yellow, "vade: warning:",
				"the run changed %s, which git ignores: it is not merged", name)
		}
		if w.Changed {
			e.Label(terminal.Cyan, "vade: hint:",
				"see what changed with: vade runs show --diff %s; take it with: vade runs merge %s", r.ID, r.ID)
		} else {
			e.Label(terminal.Cyan, "vade: hint:",
				"nothing changed; remove the worktree with: vade runs drop %s", r.ID)
		}
	}
	return e.Err()
}
