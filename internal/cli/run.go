package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/worker"
)

// runFlags holds the flags for vade run.
type runFlags struct {
	host, agent, permission, branch, plan, id string
	acp                                       []string
	timeout                                   time.Duration
	detach, worktree                          bool
}

// newBranch is the placeholder for the optional value of --worktree in the help text.
const newBranch = "BRANCH"

func (a *app) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] [--] REQUEST…", Short: "Run a command, skill or prompt on a coding agent",
		DisableFlagsInUseLine: true,
		Long: `Render a command, a skill or a prompt as a host would, start the host's program over
the Agent Client Protocol, and wait for its answer. Without --host, the project's
first host with an installed program runs it. A definition with "context: fork" runs
as its agent.

The agent may read project files, and run what "vade shell" would run. On a terminal, you
are asked about everything else; elsewhere, it is refused. The program itself does not
run in a sandbox.

For permissions, worktrees and plans, run: vade help run.

The answer is printed to stdout, progress to stderr.

--json prints {"id", "state", "reason", "text", "host", "session", "worktree", "losses",
"usage", "journal"} when the run ends; state is done, failed or cancelled, and host is
"neutral" for --acp without --host. A run that does not start prints {"error"}, --detach
prints {"id", "journal"}, and --plan prints {"plan", "tasks": [{"id", "state", "reason",
"run", "branch", "commit"}…]}.

Exit codes: 0 done, 1 any other state, 2 invalid usage, 3 refused by the policy or
the audit.`,
		Example: `  vade run '/review src'
  vade run --host codex --worktree -- fix the failing test
  vade run --agent architect --host claude-code plan the cache
  vade run --acp 'goose acp' --permission policy /review
  vade run --detach --json /review
  vade run --plan tasks.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.plan != "" && (len(args) > 0 || f.detach || f.worktree || f.agent != ""):
				return usage{failure{
					"--plan cannot be used with a request, --agent, --worktree or --detach",
					"set these in the plan file; see: vade help run",
				}}
			case f.plan == "" && len(args) == 0:
				return usage{failure{"no request", "specify one: vade run '/review src'"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(flagAfterPrompt(c, args), branchBeforeCommand(c, f, args)); err != nil {
				return err
			}
			return a.runRun(c.Context(), f, strings.Join(args, " "))
		},
	}
	// Flags after the first argument belong to the request.
	c.Flags().SetInterspersed(false)
	flags := c.Flags()
	hostFlag(c, &f.host, "run it on `HOST` (see: vade help hosts)", registry.RealNames)
	flags.Func("acp", "start the agent with `COMMAND`, a program that speaks the Agent Client Protocol",
		func(text string) (err error) {
			if f.acp, err = shell.CommandWords(text, a.getenv); err == nil && len(f.acp) == 0 {
				err = errors.New("the command is empty")
			}
			return err
		})
	a.agentFlag(c, &f.agent, "agent", "run it as the agent `NAME`")
	flags.BoolFunc("worktree", "run it in a new git worktree, on a new branch", func(text string) error {
		if text == "" {
			return errors.New("specify a branch, or use --worktree without =")
		}
		if f.worktree = true; text != newBranch {
			f.branch = text
		}
		return nil
	})
	flags.Lookup("worktree").NoOptDefVal = newBranch
	flags.StringVar(&f.plan, "plan", "", "run the tasks in `FILE`, each in a worktree")
	flags.Func("timeout", "end the run after `TIME`, such as 30m", func(text string) (err error) {
		if f.timeout, err = time.ParseDuration(text); err != nil || f.timeout <= 0 {
			return errors.New("use a positive number and a unit, such as 30m")
		}
		return nil
	})
	choiceFlag(c, &f.permission, "permission",
		"let `WHO` decide on permission requests that the policy does not allow", "ask", "policy", "deny")
	flags.BoolVar(&f.detach, "detach", false, "run it in the background and print its ID")
	flags.StringVar(&f.id, "id", "", "")
	_ = flags.MarkHidden("id")
	return c
}

// branchBeforeCommand rejects "--worktree BRANCH /command", where BRANCH would
// become part of the request.
func branchBeforeCommand(c *cobra.Command, f runFlags, args []string) error {
	if !f.worktree || f.branch != "" || c.ArgsLenAtDash() >= 0 || len(args) < 2 ||
		strings.HasPrefix(args[0], "/") || strings.Contains(args[0], " ") || !strings.HasPrefix(args[1], "/") {
		return nil
	}
	return usage{failure{
		strconv.Quote(args[0]) + " could be a branch or part of the request", "if it is a branch, use --worktree=" + args[0] +
			"; if it belongs to the request, put -- before it",
	}}
}

func (a *app) runRun(ctx context.Context, f runFlags, prompt string) error {
	// Start handling signals before the run becomes visible, so that no signal is missed.
	a.signals.hold()
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

// execute runs a request and prints its outcome.
func (a *app) execute(ctx context.Context, r worker.Request) error {
	defer surviveSIGPIPE()()
	show := a.console()
	r.Ask, r.OnEvent = show.ask, func(e runs.Event) { show.event("", e) }
	report, err := worker.Execute(ctx, r)
	e, ok := errors.AsType[*definition.Error](err)
	if ok && (e.Code == diag.BashNotAllowed || e.Code == diag.AuditBlocked) {
		a.exit(err)
		return silent{exitRefused}
	}
	if missing := (*worker.MissingError)(nil); errors.As(err, &missing) {
		return asFailure(err)
	}
	if err != nil {
		return err
	}
	return failIf(report.State != runs.Done, a.output(report, func() error { return a.printRun(report) }))
}

// asFailure converts err to a failure with a hint for the user.
func asFailure(err error) failure {
	var f failure
	var missing *worker.MissingError
	var e *definition.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &e):
		return failure{e.Message, e.Fix}
	case errors.As(err, &missing) && missing.Install != "":
		return failure{err.Error(), "to install it, run: " + missing.Install + "; or use another host"}
	case errors.As(err, &missing):
		return failure{err.Error(), "check the command passed to --acp"}
	}
	return failure{err.Error(), ""}
}

// runForModel runs a request from an MCP client. Only the policy can allow the run, because the
// user is not asked. result is a JSON object, and done reports whether the run was successful.
func (a *app) runForModel(ctx context.Context, host, agent, prompt string) (
	result string, done bool, err error,
) {
	f := runFlags{host: host, agent: agent, permission: string(worker.ByPolicy)}
	var r worker.Request
	var report *worker.Report
	if host != "" {
		err = launchable("host", host)
	}
	if err == nil {
		r, err = a.request(ctx, f, prompt)
	}
	if err == nil {
		report, err = worker.Execute(ctx, r)
	}
	if err != nil {
		x := asFailure(err)
		return "", false, errors.New(strings.TrimSuffix(x.message+"; "+x.hint, "; "))
	}
	data, err := json.Marshal(map[string]any{
		"id": report.ID, "state": report.State, "reason": report.Reason, "text": report.Text,
	})
	return string(data), report.State == runs.Done, err
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
		Catalog: o, Prompt: prompt, Agent: f.agent, Command: f.acp,
		Worktree: f.worktree, Branch: f.branch, Permission: worker.Permission(f.permission),
		Limits: worker.Limits{Total: f.timeout}, Store: store, ID: f.id,
	}
	if r.Catalog.As, err = a.runHost(ctx, f); err != nil {
		return r, err
	}
	terminal := a.canAsk()
	if r.Permission == "" {
		r.Permission = worker.ByPolicy
		if terminal && !f.detach {
			r.Permission = worker.Ask
		}
	}
	if r.Permission == worker.Ask && (f.detach || !terminal) {
		return r, usage{failure{"--permission ask requires a terminal and cannot be used with --detach", "use --permission policy or deny"}}
	}
	return r, nil
}

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

// launchHosts returns the names of hosts that Vade can start.
func launchHosts() []string { return registry.With(hosts.CanLaunch) }

// launchable returns an error if Vade cannot start the host called name. source is the flag or key
// that specifies the host, for use in the error message.
func launchable(source, name string) error {
	able := launchHosts()
	bare, _, _ := strings.Cut(name, "@")
	switch {
	case !isHost(name):
		return unknownHost(source, name, able)
	case !slices.Contains(able, bare):
		return usage{failure{"Vade cannot start " + name, "use one of: " + strings.Join(able, ", ")}}
	}
	return nil
}

// runHost returns the host to run on. If no flag specifies one, it returns the project's first host
// with an installed program or, if there is none, the first host that Vade can start.
func (a *app) runHost(ctx context.Context, f runFlags) (string, error) {
	switch {
	case f.host != "" && f.acp == nil:
		return f.host, launchable("--host", f.host)
	case f.acp != nil:
		return f.host, nil
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return "", err
	}
	profiles, err := check.HostsOf(ctx, o, nil)
	if err != nil {
		return "", err
	}
	first := ""
	for _, p := range profiles {
		if p.Launch == nil {
			continue
		}
		first = cmp.Or(first, p.Name)
		for _, command := range [][]string{p.Launch.ACP, p.Launch.Print} {
			if len(command) > 0 && sandbox.Installed(command[0], a.getenv("PATH")) {
				return p.Name, nil
			}
		}
	}
	if first == "" {
		return "", failure{"the project does not use a host that Vade can start", "specify one with --host: " + strings.Join(launchHosts(), ", ")}
	}
	return first, nil
}

// detach starts the run in a background process, which continues after the terminal is closed.
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
	if err := started(r.Store, id, p, log.Name()); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"id": id, "journal": r.Store.JournalPath(id)})
	}
	a.stdout().Line(terminal.Plain, "%s", id)
	a.stderr().Label(terminal.Cyan, "vade: hint:", "to follow it, run: vade runs logs -f %s", id)
	return nil
}

// started waits until other commands can see the background run called id. If its process p ends
// before that, started returns the error that p wrote to log.
func started(store *runs.Store, id string, p *sandbox.Process, log string) error {
	for {
		select {
		case <-p.Exited():
			if _, err := store.Read(id); err == nil {
				return nil
			}
			text, err := os.ReadFile(log)
			_, rest, _ := strings.Cut(string(text), "vade: error: ")
			message, rest, _ := strings.Cut(rest, "\n")
			hint, _, _ := strings.Cut(strings.TrimPrefix(rest, "vade: hint: "), "\n")
			return cmp.Or(err, error(failure{"the run did not start: " + message, hint}))
		case <-time.After(20 * time.Millisecond):
			if _, err := store.Read(id); err == nil {
				return nil
			}
		}
	}
}
