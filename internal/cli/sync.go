package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/syncstate"
	"github.com/vadehq/vade/internal/terminal"
)

// syncFlags are the flags of vade sync.
type syncFlags struct {
	hosts                         []string
	check, dryRun, force, verbose bool
	allowWidening                 bool
}

func (a *app) sync() *cobra.Command {
	var f syncFlags
	c := &cobra.Command{
		Use: "sync [--force PATH...]", Short: "Keep the hosts' files in step with one source of truth",
		Long: `Write the files that each host needs from the source of truth: the directories that
vade.yaml names at the top of the project, or else .agents and .github. What a host
reads where it is needs nothing. A skill of which nothing has to be changed is a
relative link to its directory, where all hosts that read it follow links. Everything
else is a file; edit its source instead.

.vade/sync.json records the digest of each file that Vade writes, and only these files
are changed or removed. A file that was edited since, or that Vade has not written, is
left alone and reported; --force overwrites it, or only those at the given paths. A file
of your own with the same bytes is updated like a copy, and not removed. Each file is
written in one step, and a run that is cut short is completed by the next.

Where a host would let more happen than the author of a definition does, as with an
agent whose host can not keep tools from it, nothing is written of it for that host,
and the exit code is 1. --allow-widening writes it; a run with --check needs it too.

The hosts are those of --hosts, or else of vade.yaml, or else those that have files of
their own in the project outside of its source of truth.

Exit codes: 0 in step (with --dry-run: the plan is printed); 1 with --check: something
would change, or something is in the way or not written; 2 wrong usage.`,
		Example: `  vade sync
  vade sync --hosts claude-code,gemini
  vade sync --check               for CI: fails where something would change
  vade sync --dry-run             show what would be done, with diffs
  vade sync --force .claude/agents/reviewer.md   overwrite what was edited there by hand`,
		RunE: func(c *cobra.Command, paths []string) error { return a.runSync(c.Context(), f, paths) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.hosts, "hosts", nil, "make files for `HOSTS` alone, with commas between them: "+strings.Join(export.Hosts(), ", "))
	flags.BoolVar(&f.check, "check", false, "write nothing, and fail where something would change")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing, and show what would be done")
	flags.BoolVar(&f.force, "force", false, "overwrite files that were edited, or that Vade has not made")
	flags.BoolVar(&f.allowWidening, "allow-widening", false, "also write copies that let a host do more than the author allows")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "name each loss: what a host can not express")
	_ = c.RegisterFlagCompletionFunc("hosts", cobra.FixedCompletions(export.Hosts(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) runSync(ctx context.Context, f syncFlags, paths []string) error {
	if len(paths) > 0 && !f.force {
		return usage{failure{"sync takes no names", "hosts: --hosts a,b; to overwrite files that were edited: --force PATH"}}
	}
	if f.check && f.dryRun {
		return usage{failure{"--check and --dry-run are two ways to write nothing", "use one of them"}}
	}
	if err := keptHosts(f.hosts); err != nil {
		return err
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	run := materialize.Sync
	if f.check || f.dryRun {
		run = materialize.PlanSync
	}
	r, err := run(ctx, o, materialize.Options{Hosts: f.hosts, Force: f.force, Paths: paths, AllowWidening: f.allowWidening})
	if errors.Is(err, materialize.ErrPath) {
		return usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "name a file that vade sync names"}}
	}
	if errors.Is(err, materialize.ErrBusy) {
		return failure{materialize.ErrBusy.Error(), "wait until it is done, and run vade sync again"}
	}
	if err != nil {
		return err
	}
	if err := a.printSync(r, f); err != nil {
		return err
	}
	if r.Failed() && (!f.dryRun || r.Refused) || f.check && len(r.Steps) > 0 {
		return silent{exitFailed}
	}
	return nil
}

// keptHosts finds fault with names of hosts that no files are kept in step for.
func keptHosts(names []string) error {
	for _, h := range names {
		if slices.Contains(export.Hosts(), h) {
			continue
		}
		why, hint := "no host is named so", "use "+strings.Join(export.Hosts(), ", ")
		base, version, _ := strings.Cut(h, "@")
		switch near := resolve.Nearest(h, export.Hosts()); {
		case slices.Contains(export.OptionHosts(), h):
			why, hint = "it has no files of its own that could be kept in step", "its files are made by: vade export "+h
		case version != "" && slices.Contains(export.Hosts(), base):
			why, hint = "files are made for the newest version only", "use "+base
		case len(near) > 0:
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return usage{failure{fmt.Sprintf("--hosts %s: %s", h, why), hint}}
	}
	return nil
}

func (a *app) printSync(r *materialize.Result, f syncFlags) error {
	if a.json {
		return a.printJSON(r)
	}
	out, e := a.stdout(), a.stderr()
	a.sayCheckedHosts(r.Hosts, "hosts")
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
			text += ", which was not as Vade had made it"
		}
		if _, err := fmt.Fprintln(out, out.Paint(syncStyle(s.Action), terminal.EscapeLine(text))); err != nil {
			return err
		}
		if f.dryRun {
			if err := printDiff(out, s.Diff()); err != nil {
				return err
			}
		}
	}
	for _, d := range r.Diagnostics {
		if err := terminal.PrintDiagnostic(e, d); err != nil {
			return err
		}
	}
	a.printLosses(r.Losses, f.verbose)
	fmt.Fprintf(e, "vade: %s\n", syncSummary(r, f))
	if f.check && len(r.Steps) > 0 {
		fmt.Fprintf(e, "  %s run vade sync, and commit what it changes\n", e.Paint(terminal.Green, "fix:"))
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

// sayCheckedHosts says on standard error which hosts are meant, and why.
func (a *app) sayCheckedHosts(hosts []catalog.CheckedHost, what string) {
	e := a.stderr()
	for i := 0; i < len(hosts); {
		var names []string
		why := hosts[i].Why
		for ; i < len(hosts) && hosts[i].Why == why; i++ {
			names = append(names, hosts[i].Host+" "+hosts[i].Version)
		}
		fmt.Fprintf(e, "%s\n", e.Paint(terminal.Dim, terminal.EscapeLine(what+": "+strings.Join(names, ", ")+": "+why)))
	}
}

// counts says how many there are of each word, the most first.
func counts(losses []export.HostLoss, word func(*export.HostLoss) string) string {
	count := map[string]int{}
	for i := range losses {
		count[word(&losses[i])]++
	}
	var words []string
	for w := range count {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	for i, w := range words {
		words[i] = fmt.Sprintf("%s %d", w, count[w])
	}
	return terminal.EscapeLine(strings.Join(words, ", "))
}

func syncSummary(r *materialize.Result, f syncFlags) string {
	if r.Refused {
		for _, d := range r.Diagnostics {
			if d.Severity == diag.Error && (d.File == config.File || d.File == syncstate.File) {
				return "nothing is written or removed: " + d.File + " has to be fixed first"
			}
		}
		if len(r.Hosts) == 0 {
			return "nothing is written or removed: there are no hosts to do it for"
		}
		return "nothing is written or removed"
	}
	stuck := 0
	wider := map[string]bool{}
	for _, d := range r.Diagnostics {
		switch d.Code {
		case diag.SyncWidens:
			wider[d.File] = true
		case diag.SyncEdited, diag.SyncForeign, diag.SyncBlocked, diag.SyncClash:
			if d.Severity == diag.Error {
				stuck++
			}
		}
	}
	count := map[string]int{}
	for i := range r.Steps {
		count[r.Steps[i].Action]++
	}
	var parts []string
	for _, p := range []struct{ action, done, would string }{
		{"create", "made", "to make"}, {"link", "linked", "to link"}, {"update", "updated", "to update"},
		{"remove", "removed", "to remove"}, {"unlink", "unlinked", "to unlink"},
	} {
		word := p.done
		if f.check || f.dryRun {
			word = p.would
		}
		if n := count[p.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if len(parts) == 0 {
		if stuck > 0 {
			parts = append(parts, "0 to do")
		} else {
			parts = append(parts, "nothing to do")
		}
	}
	if stuck > 0 {
		parts = append(parts, fmt.Sprintf("%d in the way", stuck))
	}
	if len(wider) > 0 {
		parts = append(parts, number(len(wider), "definition was", "definitions were")+" not written for some hosts")
	}
	text := strings.Join(parts, ", ") + "; " + number(r.Same, "copy", "copies") + " in step"
	if r.Own > 0 {
		text += fmt.Sprintf(" (%d of the project's own)", r.Own)
	}
	text += ", " + plural(r.InPlace, "definition") + " read in place"
	if r.Copied {
		text += "; there are copies in the place of links"
	}
	if r.Interrupted && r.Done {
		text += "; an earlier run that was cut short is completed"
	}
	return text
}

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
