package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/terminal"
)

// syncFlags holds the flags for vade sync.
type syncFlags struct {
	hosts                         []string
	check, dryRun, force, verbose bool
	allowWidening, remove         bool
}

func (a *app) sync() *cobra.Command {
	var f syncFlags
	c := &cobra.Command{
		Use: "sync [--force PATH...]", Short: "Write each host's files from one source of truth",
		Long: `Write the files that each host needs from the source of truth: the directories in
vade.yaml, or .agents, .github and assets. To change such a file, edit its source.

Files that you edited or created are reported and left alone unless you pass --force,
optionally with their paths. A definition is not written for a host that would give it
more permissions than its author did, unless you pass --allow-widening.

For how Vade chooses hosts and files, run: vade help sync.

Exit codes: 0 up to date (with --dry-run: plan printed), 1 with --check: something
would change; otherwise: conflicts or files not written, 2 invalid usage.`,
		Example: `  vade sync
  vade sync --host claude-code,gemini
  vade sync --check               for CI: fail if something would change
  vade sync --dry-run             show the plan, with diffs
  vade sync --force .claude/agents/reviewer.md     overwrite manual edits
  vade sync --remove              remove what vade sync wrote`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, paths []string) error { return a.runSync(c.Context(), f, paths) },
	}
	flags := c.Flags()
	hostsFlag(c, &f.hosts, "write files only for `HOST` (may be repeated; see: vade help hosts)", exportHosts)
	flags.BoolVar(&f.check, "check", false, "write nothing, and fail if something would change")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "show the plan and write nothing")
	a.yesFlag(c)
	flags.BoolVar(&f.force, "force", false, "overwrite files that you edited or created")
	flags.BoolVar(&f.allowWidening, "allow-widening", false, "also write copies that give the agent more permissions than the original")
	flags.BoolVar(&f.remove, "remove", false, "remove the files that vade sync wrote")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list each loss: what a host cannot express")
	return c
}

func (a *app) runSync(ctx context.Context, f syncFlags, paths []string) error {
	if len(paths) > 0 && !f.force {
		return usage{failure{"sync takes paths only with --force", "choose hosts with --host a,b, or overwrite edited files with --force PATH"}}
	}
	if f.check && f.dryRun {
		return usage{failure{"--check and --dry-run cannot be used together", "use only one of them"}}
	}
	if f.remove && (f.check || f.force) {
		return usage{failure{"--remove cannot be used with --check or --force", "preview it with --remove --dry-run"}}
	}
	if err := checkSyncHosts(f.hosts); err != nil {
		return err
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	return a.reviewed(ctx, f.dryRun || f.check, func(dry bool) (int, error) {
		f.dryRun = dry && !f.check
		return a.syncOnce(ctx, o, f, paths)
	})
}

// syncOnce writes the files and returns the number of changes. With --check or --dry-run, it only
// plans them.
func (a *app) syncOnce(ctx context.Context, o catalog.Options, f syncFlags, paths []string) (int, error) {
	run := materialize.Sync
	if f.check || f.dryRun {
		run = materialize.PlanSync
	}
	progress := a.stderr().StartProgress("comparing files")
	r, err := run(ctx, o, materialize.Options{Hosts: f.hosts, Force: f.force, Paths: paths,
		AllowWidening: f.allowWidening, Remove: f.remove})
	progress.Done()
	if err != nil {
		return 0, withHint(err,
			hint{materialize.ErrPath, true, "use a path from the output of vade sync"},
			hint{materialize.ErrBusy, false, "wait until it ends, then run vade sync again"})
	}
	if err := a.printSync(r, f); err != nil {
		return 0, err
	}
	if r.Failed() && (!f.dryRun || r.Refused) || f.check && len(r.Steps) > 0 {
		return 0, silent{exitFailure}
	}
	return len(r.Steps), nil
}

// checkSyncHosts returns a usage error for hosts that vade sync cannot write files for.
func checkSyncHosts(names []string) error {
	for _, h := range names {
		base, version, _ := strings.Cut(h, "@")
		switch {
		case slices.Contains(export.Hosts(), h):
		case slices.Contains(export.SDKs(), h):
			return usage{failure{"--host " + h + ": vade sync does not write files for this host", "to write them, run: vade export " + h}}
		case version != "" && slices.Contains(export.Hosts(), base):
			return usage{failure{"--host " + h + ": vade sync writes files only for the newest version", "use " + base}}
		}
	}
	return nil
}

func (a *app) printSync(r *materialize.Result, f syncFlags) error {
	if a.json {
		return a.printJSON(r)
	}
	out, e := a.stdout(), a.stderr()
	a.printHostChoice("hosts: ", r.Hosts)
	for i := range r.Steps {
		s := &r.Steps[i]
		action := s.Action
		if s.Forced && action == "update" {
			action = "overwrite"
		}
		text := fmt.Sprintf("%-6s %s", action, s.Path)
		switch s.Action {
		case "link":
			text += " -> " + s.Link
		case "create", "update":
			text += " from " + s.Source
		}
		if len(s.Hosts) > 0 {
			text += " (" + strings.Join(s.Hosts, ", ") + ")"
		}
		if s.Forced {
			text += ", which had been modified"
		}
		if a.shown {
			continue
		}
		out.Line(syncStyle(s.Action), "%s", text)
		if f.dryRun {
			if err := printDiff(out, s.Diff()); err != nil {
				return err
			}
		}
	}
	if err := a.printProblems(r.Diagnostics); err != nil {
		return err
	}
	a.printLosses(r.Losses, f.verbose)
	fmt.Fprintf(e, "vade: %s\n", syncSummary(r, f))
	if f.check && len(r.Steps) > 0 {
		fmt.Fprintf(e, "  %s run vade sync and commit the changes\n", e.Paint(terminal.Green, "fix:"))
	}
	return nil
}

func syncStyle(action string) terminal.Style {
	switch action {
	case "create", "link":
		return terminal.Green
	case "remove", "unlink":
		return terminal.Red
	}
	return terminal.Yellow
}

// printHostChoice prints prefix and the chosen hosts to stderr, with the reason for each.
func (a *app) printHostChoice(prefix string, hosts []catalog.CheckedHost) {
	e := a.stderr()
	for i := 0; i < len(hosts); {
		var names []string
		why := hosts[i].Why
		for ; i < len(hosts) && hosts[i].Why == why; i++ {
			names = append(names, hosts[i].Host+" "+hosts[i].Version)
		}
		line := terminal.EscapeLine(prefix + strings.Join(names, ", ") + " (" + why + ")")
		fmt.Fprintf(e, "%s\n", e.Paint(terminal.Dim, terminal.Wrap(line, e.Width(), 0, 2)))
	}
}

// lossSummary returns the number of losses, followed by their types, most frequent first.
func lossSummary(losses []export.HostLoss) string {
	count := map[string]int{}
	for i := range losses {
		count[losses[i].What]++
	}
	types := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	if len(types) > 1 {
		for i, t := range types {
			types[i] = fmt.Sprintf("%d %s", count[t], t)
		}
	}
	return number(len(losses), "loss", "losses") + " (" + strings.Join(types, ", ") + ")"
}

func syncSummary(r *materialize.Result, f syncFlags) string {
	if r.Refused {
		for _, d := range r.Diagnostics {
			if d.Severity == diag.Error && (d.File == config.File || d.File == syncstate.File) {
				return "no files changed: fix " + d.File + " first"
			}
		}
		if len(r.Hosts) == 0 {
			return "no files changed: no hosts to write files for"
		}
		return "no files changed"
	}
	conflicts := 0
	wider := map[string]bool{}
	for _, d := range r.Diagnostics {
		switch d.Code {
		case diag.SyncWidens:
			wider[d.File] = true
		case diag.SyncEdited, diag.SyncForeign, diag.SyncBlocked, diag.SyncClash:
			if d.Severity == diag.Error {
				conflicts++
			}
		}
	}
	actions := map[string]int{}
	for i := range r.Steps {
		actions[r.Steps[i].Action]++
	}
	var parts []string
	for _, action := range []string{"create", "link", "update", "remove", "unlink"} {
		word := strings.TrimSuffix(action, "e") + "ed"
		if f.check || f.dryRun {
			word = "to " + action
		}
		parts = append(parts, counted(count{actions[action], word})...)
	}
	if len(parts)+conflicts == 0 {
		parts = append(parts, "nothing to do")
	}
	if conflicts > 0 {
		parts = append(parts, plural(conflicts, "conflict"))
	}
	if len(wider) > 0 {
		parts = append(parts, number(len(wider), "definition was", "definitions were")+" not written for some hosts")
	}
	text := strings.Join(parts, ", ") + "; " + number(r.Same, "copy", "copies") + " up to date"
	if r.Own > 0 {
		text += fmt.Sprintf(" (including %d that you created)", r.Own)
	}
	text += ", " + plural(r.InPlace, "definition") + " read in place"
	if r.Copied {
		text += "; copied some files instead of symlinking them"
	}
	if r.Interrupted && r.Done {
		text += "; completed an interrupted run"
	}
	return text
}
