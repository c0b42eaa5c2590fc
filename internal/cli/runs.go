package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/runs"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/worker"
	"github.com/vadehq/vade/internal/worktree"
)

// onRun implements a subcommand of vade runs that operates on a single run.
type onRun func(context.Context, *runs.Store, *runs.Run) error

func (a *app) runs() *cobra.Command {
	c := &cobra.Command{
		Use: "runs", Short: "List runs, and follow, merge or remove them",
		Long: `List the runs that "vade run" started in all projects, newest first, with their states.
An ID may be shortened to its last characters; "last" is the newest run.

--json prints {"runs": [{"id", "request", "host", "dir", "started", "state", …}…]}, and,
with logs, each journal event on its own line.

Exit codes: 0 success, 1 failure or no such run, 2 invalid usage.`,
		Example: `  vade runs
  vade runs show last
  vade runs show --diff 3fa2c1
  vade runs logs -f 3fa2c1
  vade runs merge 3fa2c1
  vade runs clean`,
		RunE: func(c *cobra.Command, _ []string) error { return a.listRuns(c.Context()) },
	}
	diff, follow := false, false
	one := func(use, short string, do onRun) *cobra.Command {
		sub := &cobra.Command{
			Use: use + " ID", Short: short, Example: "  vade runs " + use + " last",
			Args:              checkArgs("specify a run: vade runs " + use + " ID; to list runs, run: vade runs"),
			ValidArgsFunction: cobra.NoFileCompletions,
			RunE: func(c *cobra.Command, args []string) error {
				store, err := a.runStore(c.Context())
				if err != nil {
					return err
				}
				r, err := store.Find(args[0])
				if errors.Is(err, runs.ErrUnknown) {
					return failure{"no run matches " + args[0], "to list runs, run: vade runs"}
				}
				if err == nil {
					err = store.Settle(r, worker.KillRemains)
				}
				if err != nil {
					return err
				}
				return do(c.Context(), store, r)
			},
		}
		c.AddCommand(sub)
		return sub
	}
	list := &cobra.Command{
		Use: "list", Short: "List runs, newest first", Example: "  vade runs list --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.listRuns(c.Context()) },
	}
	c.AddCommand(list)
	show := one("show", "Show a run and its answer, or what it changed",
		func(ctx context.Context, s *runs.Store, r *runs.Run) error { return a.showRun(ctx, s, r, diff) })
	show.Flags().BoolVar(&diff, "diff", false, "print the changes in its worktree")
	logs := one("logs", "Print a run's journal",
		func(ctx context.Context, s *runs.Store, r *runs.Run) error { return a.runLogs(ctx, s, r, follow) })
	logs.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new events until the run ends")
	one("attach", "Follow a run until it ends, and print its answer", a.attachRun)
	one("cancel", "Cancel a run", a.cancelRun)
	one("resume", "Continue a run that failed, was canceled or was killed, in the same session", a.resumeRun)
	one("merge", "Merge a run's changes into the current branch", a.mergeRun)
	one("drop", "Delete a run's worktree and branch, with its changes", a.dropRun)
	clean := &cobra.Command{
		Use: "clean", Short: "Remove finished runs in all projects, except runs with changes",
		Long: `Remove the journals, worktrees and branches of finished runs in all projects.
A run is kept if its worktree has changes, or if its branch has commits that no other
branch contains.`,
		Example: "  vade runs clean",
		RunE:    func(c *cobra.Command, _ []string) error { return a.cleanRuns(c.Context()) },
	}
	c.AddCommand(clean)
	return c
}

// storedRuns returns the run store and all runs in it. It also kills processes left behind by runs
// whose own process was killed.
func (a *app) storedRuns(ctx context.Context) (*runs.Store, []*runs.Run, error) {
	store, err := a.runStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, err := store.List()
	for _, r := range list {
		err = cmp.Or(err, store.Settle(r, worker.KillRemains))
	}
	return store, list, err
}

func (a *app) listRuns(ctx context.Context) error {
	_, list, err := a.storedRuns(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"runs": nonNil(list)})
	}
	if len(list) == 0 {
		a.stderr().Line(terminal.Plain, "No runs. To start one, run: vade run '/NAME'")
		return nil
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Title: "ID", Style: terminal.Bold}, {Title: "STATE"}, {Title: "HOST", Style: terminal.Dim},
		{Title: "STARTED"}, {Title: "PROJECT"}, {Title: "BRANCH"}, {Title: "REQUEST", Flexible: true},
	}}
	for _, r := range list {
		project := filepath.Base(cmp.Or(r.Project, r.Dir))
		t.Row(r.ID, stateCell(r.State), r.Host, r.Started.Local().Format("2006-01-02 15:04"), project, r.Branch, r.Request)
	}
	return t.Print(a.stdout())
}

func stateCell(s runs.State) terminal.Cell {
	style := terminal.Yellow
	switch s {
	case runs.Done:
		style = terminal.Green
	case runs.Failed, runs.Stuck, runs.Looping:
		style = terminal.Red
	}
	return terminal.Cell{Text: string(s), Style: style}
}

func (a *app) showRun(ctx context.Context, s *runs.Store, r *runs.Run, diff bool) error {
	if diff {
		w, err := a.existingWorktree(ctx, s, r)
		if err != nil {
			return err
		}
		text, err := w.Diff(ctx)
		if err != nil {
			return err
		}
		return printDiff(a.stdout(), text)
	}
	if a.json {
		return a.printJSON(r)
	}
	out := a.stdout()
	line := func(name, value string) {
		if value != "" {
			out.Label(terminal.Dim, fmt.Sprintf("%-9s", name), "%s", value)
		}
	}
	state := string(r.State)
	if r.Reason != "" {
		state += " (" + r.Reason + ")"
	}
	took := ""
	if !r.Ended.IsZero() {
		took = " for " + r.Ended.Sub(r.Started).Round(time.Second).String()
	}
	line("run", r.ID)
	line("state", state)
	line("request", r.Request)
	line("host", r.Host)
	line("agent", r.Agent)
	line("started", clock(r.Started)+took)
	line("directory", r.Dir)
	line("branch", r.Branch)
	line("session", r.Session)
	if r.Text != "" {
		a.printText("\n" + strings.TrimRight(r.Text, "\n") + "\n")
	}
	return out.Err()
}

// followEvery is the interval at which an active run's journal is reread.
const followEvery = 200 * time.Millisecond

func (a *app) runLogs(ctx context.Context, s *runs.Store, r *runs.Run, follow bool) error {
	out := a.stdout()
	return a.events(ctx, s, r, follow, func(e runs.Event) {
		if a.json {
			line, _ := jsonc.Marshal(e, "")
			fmt.Fprintf(out, "%s\n", terminal.EscapeJSON(line))
		} else if text := cmp.Or(eventLine(e), strings.TrimSpace(e.Text)); text != "" {
			out.Line(terminal.Plain, "%s  %s", clock(e.Time), text)
		}
	})
}

// events calls do for each event of a run so far. If follow is set, it also waits for new events
// until the run ends.
func (a *app) events(
	ctx context.Context, s *runs.Store, r *runs.Run, follow bool, do func(runs.Event),
) error {
	for seen := 0; ; {
		alive := s.Alive(r.ID)
		n := 0
		err := s.Events(r.ID, func(e runs.Event) {
			if n++; n > seen {
				do(e)
			}
		})
		if seen = n; err != nil || !follow || !alive {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

func (a *app) attachRun(ctx context.Context, s *runs.Store, r *runs.Run) error {
	show := a.console()
	err := a.events(ctx, s, r, true, func(e runs.Event) { show.event("", e) })
	if err != nil {
		return err
	}
	if r, err = s.Read(r.ID); err != nil {
		return err
	}
	err = a.output(r, func() error { return a.printRun(&worker.Report{State: r.State, Reason: r.Reason, Text: r.Text}) })
	return failIf(r.State != runs.Done, err)
}

func (a *app) cancelRun(ctx context.Context, s *runs.Store, r *runs.Run) error {
	if !s.Alive(r.ID) {
		return failure{"the run has ended: " + string(r.State), "see: vade runs show " + r.ID}
	}
	if err := s.Cancel(r.ID); err != nil {
		return err
	}
	for range 150 {
		if !s.Alive(r.ID) {
			return a.printRunMessage(r, "canceled %s", r.ID)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
	}
	return failure{"the run is still active", "to kill its process, run: kill -9 " + fmt.Sprint(r.PID)}
}

func (a *app) resumeRun(ctx context.Context, s *runs.Store, r *runs.Run) error {
	if s.Alive(r.ID) {
		return failure{"the run is still in progress", "to follow it, run: vade runs attach " + r.ID}
	}
	if r.State == runs.Done {
		return failure{"the run has already finished", "see: vade runs show " + r.ID}
	}
	if r.Permission == string(worker.Ask) && !a.canAsk() {
		return failure{"the run asks for permissions, which requires a terminal", "run the command on a terminal: vade runs resume " + r.ID}
	}
	request, err := a.request(ctx, runFlags{
		host: r.Host, acp: r.Command, permission: r.Permission, timeout: r.Timeout,
	}, r.Request)
	if err != nil {
		return err
	}
	request.Resume = r
	return a.execute(ctx, request)
}

func (a *app) worktree(s *runs.Store, r *runs.Run) (*worktree.Worktree, error) {
	if r.Worktree == "" {
		return nil, failure{"the run has no worktree", "to create one, start the run with: vade run --worktree"}
	}
	git, err := sandbox.Find("git", sandbox.Search{Path: a.getenv("PATH"), Forbid: []string{r.Project}})
	if err != nil {
		return nil, err
	}
	return &worktree.Worktree{
		Git: git, Dir: r.Worktree, Branch: r.Branch, Base: r.Base, Project: r.Project, Store: s.Root(),
		Copies: r.Copies,
	}, nil
}

// existingWorktree returns a run's worktree. It returns an error if the worktree has been deleted,
// as it is for the finished tasks of a plan, which keep only their branch.
func (a *app) existingWorktree(ctx context.Context, s *runs.Store, r *runs.Run) (*worktree.Worktree, error) {
	w, err := a.worktree(s, r)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(r.Worktree); err == nil {
		return w, nil
	}
	if w.HasBranch(ctx) {
		return nil, failure{
			"the run's worktree is gone; its changes are on branch " + r.Branch,
			"to see them, run: git diff HEAD..." + r.Branch + "; to merge them, run: git merge " + r.Branch +
				"; to delete them, run: git branch -D " + r.Branch,
		}
	}
	return nil, failure{"the run's worktree is gone", "to remove the run and other finished runs without changes, run: vade runs clean"}
}

// printRunMessage prints a message about r or, with --json, r's ID.
func (a *app) printRunMessage(r *runs.Run, format string, args ...any) error {
	if a.json {
		return a.printJSON(map[string]string{"id": r.ID})
	}
	a.stdout().Line(terminal.Plain, format, args...)
	return a.stdout().Err()
}

// endedWorktree returns the worktree of a run that is no longer active.
func (a *app) endedWorktree(ctx context.Context, s *runs.Store, r *runs.Run) (*worktree.Worktree, error) {
	if s.Alive(r.ID) {
		return nil, failure{"the run is still in progress", "to wait for it, run: vade runs attach " + r.ID}
	}
	return a.existingWorktree(ctx, s, r)
}

func (a *app) mergeRun(ctx context.Context, s *runs.Store, r *runs.Run) error {
	w, err := a.endedWorktree(ctx, s, r)
	if err != nil {
		return err
	}
	message := "vade run " + r.ID + ": " + r.Request
	if _, err := w.Commit(ctx, message); err != nil {
		return failure{err.Error(), "the changes are not committed and remain in " + w.Dir +
			"; copy what you need, then run: vade runs drop " + r.ID}
	}
	if err := w.Merge(ctx, message); err != nil {
		return failure{err.Error(), "fix the problem and run the command again, or merge branch " + r.Branch +
			" yourself and run: vade runs drop " + r.ID}
	}
	copies, err := w.Edited(ctx)
	if err != nil {
		return err
	}
	if len(copies) > 0 {
		return failure{
			"merged, but the run also changed files that git ignores: " + strings.Join(copies, ", "),
			"copy what you need from " + w.Dir + "; then run: vade runs drop " + r.ID,
		}
	}
	if err := w.Remove(ctx); err != nil {
		return err
	}
	return a.printRunMessage(r, "merged the changes from run %s and removed its worktree and branch", r.ID)
}

func (a *app) dropRun(ctx context.Context, s *runs.Store, r *runs.Run) error {
	w, err := a.endedWorktree(ctx, s, r)
	if err != nil {
		return err
	}
	// Ignore the error, so that a worktree that git cannot read can still be deleted.
	copies, _ := w.Edited(ctx)
	if err := w.Remove(ctx); err != nil {
		return err
	}
	for _, name := range copies {
		a.stderr().Label(terminal.Yellow, "vade: deleted:", "%s, which the run changed and git ignores", name)
	}
	return a.printRunMessage(r, "deleted the worktree and branch of run %s", r.ID)
}

// cleanRuns removes runs that have ended, except those whose changes would be lost.
func (a *app) cleanRuns(ctx context.Context) error {
	store, list, err := a.storedRuns(ctx)
	if err != nil {
		return err
	}
	removed := 0
	for _, r := range slices.Backward(list) {
		if store.Alive(r.ID) {
			continue
		}
		worker.KillRemains(r.ID)
		if why := a.dropClean(ctx, store, r); why != "" {
			a.stderr().Label(terminal.Yellow, "vade: kept:", "%s: %s", r.ID, why)
			continue
		}
		if err := store.Remove(r.ID); err != nil {
			return err
		}
		removed++
	}
	if a.json {
		return a.printJSON(map[string]int{"removed": removed})
	}
	a.stdout().Line(terminal.Plain, "removed %s in all projects", plural(removed, "run"))
	return nil
}

// dropClean removes a run's worktree if no changes would be lost. Otherwise, it returns the reason
// for keeping the worktree.
func (a *app) dropClean(ctx context.Context, s *runs.Store, r *runs.Run) string {
	if r.Worktree == "" {
		return ""
	}
	w, err := a.worktree(s, r)
	if err != nil {
		return err.Error()
	}
	if _, err := os.Lstat(r.Worktree); errors.Is(err, fs.ErrNotExist) {
		if removed := w.RemoveMerged(ctx); !removed {
			return "the branch is not merged; to merge it, run: git merge " + r.Branch +
				"; or to delete it, run: git branch -D " + r.Branch
		}
		return ""
	}
	clean, err := w.Clean(ctx)
	switch {
	case err != nil:
		return err.Error()
	case !clean:
		return "the worktree has changes; see: vade runs show --diff " + r.ID
	}
	copies, err := w.Edited(ctx)
	switch {
	case err != nil:
		return err.Error()
	case len(copies) > 0:
		return "the run changed files that git ignores in " + w.Dir + ": " + strings.Join(copies, ", ")
	}
	if err := w.Remove(ctx); err != nil {
		return err.Error()
	}
	return ""
}
