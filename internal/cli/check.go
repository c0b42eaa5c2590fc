package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

// checkFlags holds the flags for vade check.
type checkFlags struct {
	findingFlags
	hosts               []string
	fix, dryRun, strict bool
}

func (a *app) check() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check [PATH…]", Short: "Find problems in definitions, and the hosts they affect",
		Long: `Check that each host loads the project's definitions, that their text means the same
to every host, and that their links resolve. PATH is a file, a directory, another
project, or a collection such as skills/. The check does not run anything and does not
read your user-level definitions.

The hosts are taken from --host, .vade/check.yaml, vade.yaml, or the host files found in
the project, in that order. The chosen hosts and the reason are printed to stderr.

--fix changes spelling, never meaning: quotes, key names, booleans, byte order marks,
and whitespace around delimiters. It never renames a key that allows, enables or runs
something. Each edit is verified before it is written, and shown as a diff.

Exit codes: 0 no errors or warnings (with --strict: no findings), 1 findings,
2 invalid usage or the check could not run.`,
		Example: `  vade check
  vade check .claude/skills/deploy --host claude-code --host codex
  vade check skills/ --host all
  vade check --fix --dry-run      show the edits and write nothing
  vade check --format sarif > vade.sarif
  vade check --write-baseline .vade/baseline.json
  vade check --baseline .vade/baseline.json
  vade check --explain FM_BOM     explain a finding and how to fix it`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.findingUsage(c, &f.findingFlags, args); err != nil {
				return err
			}
			return a.analysisError(f.format, "findings", a.runCheck(c.Context(), f, args))
		},
	}
	flags := c.Flags()
	f.add(c, check.Rules(), "text", "json", "sarif", "github")
	hostsFlag(c, &f.hosts, "check for `HOST`, or for \"all\" hosts (may be repeated; see: vade help hosts)",
		func() []string { return append([]string{"all"}, registry.RealNames()...) })
	flags.BoolVar(&f.fix, "fix", false, "apply fixes that cannot change a definition's meaning")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "with --fix: show the edits and write nothing")
	a.yesFlag(c)
	flags.BoolVar(&f.strict, "strict", false, "treat info findings as failures")
	return c
}

func (a *app) runCheck(ctx context.Context, f checkFlags, args []string) error {
	if f.explains {
		return a.explainRule("check", f.explain)
	}
	if f.dryRun && !f.fix {
		return usage{failure{"--dry-run requires --fix", "run: vade check --fix --dry-run"}}
	}
	if err := directories("-C", a.dir); err != nil {
		return err
	}
	if err := a.askBeforeWalk(ctx, "check", args...); err != nil {
		return err
	}
	baseline, err := a.readBaseline("check", f.baseline)
	if err != nil {
		return err
	}
	request := check.Options{Paths: a.paths(args), Hosts: f.hosts, Baseline: baseline}
	r, err := a.checkOnce(ctx, request)
	if err != nil {
		return err
	}
	a.printCheckedHosts(r)
	tried := map[string]bool{}
	if f.fix {
		for i := range r.Findings {
			tried[r.Findings[i].Fingerprint] = true
		}
		if r, err = a.applyFixes(ctx, r, request, f); err != nil {
			return err
		}
	}
	if f.writeTo != "" {
		if err := a.writeBaseline(f.writeTo, r.Directory, r.Baseline()); err != nil {
			return err
		}
		a.stderr().Line(terminal.Plain, "vade: %s written to %s", plural(len(r.Findings)+r.Known, "finding"), a.resolvePath(f.writeTo))
		return nil
	}
	if err := a.printReport(r, f, tried); err != nil {
		return err
	}
	errs, warnings, infos := r.Count()
	return failIf(errs+warnings > 0 || f.strict && infos > 0, nil)
}

// paths returns args as slash-separated paths. Paths that start with ".." are made absolute.
func (a *app) paths(args []string) []string {
	var list []string
	for _, p := range args {
		p = filepath.ToSlash(p)
		if p == ".." || strings.HasPrefix(p, "../") {
			if abs, err := filepath.Abs(filepath.Join(a.dir, p)); err == nil {
				p = filepath.ToSlash(abs)
			}
		}
		list = append(list, p)
	}
	return list
}

func (a *app) checkOnce(ctx context.Context, request check.Options) (*check.Report, error) {
	progress := a.stderr().StartProgress("checking definitions")
	defer progress.Done()
	request.Progress = progress.Step
	r, err := check.Run(ctx, catalog.Options{Dir: a.dir, Getenv: a.getenv}, request)
	return r, pathError("check", err)
}

// printCheckedHosts prints the checked hosts to stderr. It also warns if .vade/check.yaml excludes
// everything or cannot be read.
func (a *app) printCheckedHosts(r *check.Report) {
	a.printHostChoice("checking against ", r.Hosts)
	e := a.stderr()
	if r.Checked == 0 && r.Excluded > 0 {
		e.Line(terminal.Plain, "vade: warning: nothing was checked: .vade/check.yaml excludes all definitions (%d)", r.Excluded)
	}
	if r.ConfigUnused() {
		e.Line(terminal.Plain, "vade: warning: the project's .vade/check.yaml is ignored because it is invalid or cannot be read")
	}
}

// applyFixes prints the edits and, unless --dry-run is set, applies them. It returns r if nothing
// was written, and otherwise the report of a new check.
func (a *app) applyFixes(ctx context.Context, r *check.Report, request check.Options, f checkFlags) (*check.Report, error) {
	fixes, err := r.Fixes(ctx)
	if err != nil {
		return nil, err
	}
	e := a.stderr()
	out := e
	if f.format == "text" {
		out = a.stdout()
	}
	written, changes := 0, 0
	for i := range fixes {
		x := &fixes[i]
		if x.Problem != "" {
			e.Line(terminal.Plain, "vade: did not change %s: %s", x.Path, x.Problem)
			continue
		}
		changes++
		// Do not print the diff to a GitHub log, where untrusted text could be interpreted as
		// workflow commands.
		if f.format != "github" {
			printDiff(out, x.Diff())
		}
		if len(x.Loads) > 0 {
			e.Line(terminal.Plain, "vade: %s: after this change, it also loads in %s", x.Path, strings.Join(x.Loads, ", "))
		}
		for _, effect := range x.Effects {
			e.Line(terminal.Plain, "vade: %s: after this change, %s", x.Path, effect)
		}
	}
	if changes > 0 && f.format == "text" {
		fmt.Fprintln(out)
	}
	if f.dryRun {
		e.Line(terminal.Plain, "vade: %s would change; nothing was written", plural(changes, "file"))
		return r, nil
	}
	if err := a.confirmWrite(ctx, changes, "file"); err != nil {
		return nil, err
	}
	for i := range fixes {
		if fixes[i].Problem != "" {
			continue
		}
		if err := fixes[i].Write(); err != nil {
			e.Line(terminal.Plain, "%s", err)
			continue
		}
		written++
	}
	e.Line(terminal.Plain, "vade: %s changed", plural(written, "file"))
	if written == 0 {
		return r, nil
	}
	return a.checkOnce(ctx, request)
}

// printReport prints findings in the selected format. tried contains the fingerprints of the
// findings that --fix tried to fix.
func (a *app) printReport(r *check.Report, flags checkFlags, tried map[string]bool) error {
	switch flags.format {
	case "json":
		return a.printJSON(r)
	case "sarif":
		return r.WriteSARIF(a.world.Stdout)
	case "github":
		if !flags.strict {
			_, r = collapseUnread(r)
		}
		return r.WriteGitHub(a.world.Stdout)
	}
	out := a.stdout()
	all := r
	var unread []string
	if !flags.strict {
		unread, r = collapseUnread(r)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if i > 0 && f.Path != r.Findings[i-1].Path {
			fmt.Fprintln(out)
		}
		terminal.PrintDiagnostics(out, f.Diagnostic())
		if len(f.Hosts) > 0 && !slices.Equal(f.Hosts, f.NotLoaded) {
			line := terminal.Wrap(terminal.EscapeLine("hosts: "+strings.Join(f.Hosts, ", ")), out.Width(), 2, 4)
			fmt.Fprintf(out, "  %s\n", out.Paint(terminal.Dim, line))
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(out)
	}
	if n := len(unread); n > 0 {
		names := strings.Join(unread[:min(n, maxUnread)], ", ")
		if n > maxUnread {
			names += ", …"
		}
		line := number(n, "location is", "locations are") + " not read by some of the checked hosts: " + names + "; to list them and their fixes, use --strict"
		fmt.Fprintf(out, "%s\n\n", terminal.Wrap(terminal.EscapeLine(line), out.Width(), 0, 0))
	}
	fmt.Fprintln(out, out.Paint(terminal.Dim, terminal.Wrap(checkSummary(all, tried), out.Width(), 0, 0)))
	return nil
}

// maxUnread is the maximum number of info findings about unread locations that are reported
// individually. A location is unread if at least one of the checked hosts does not read it.
const maxUnread = 3

// collapseUnread removes the info findings about unread locations if there are more than maxUnread
// of them. It then returns the locations and a report without these findings. Otherwise, it returns
// nil and r.
func collapseUnread(r *check.Report) ([]string, *check.Report) {
	var places []string
	collapsed := *r
	collapsed.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f rules.Finding) bool {
		if f.Code != diag.RootUnread || f.Severity != diag.Info {
			return false
		}
		if !slices.Contains(places, f.Path) {
			places = append(places, f.Path)
		}
		return true
	})
	if len(r.Findings)-len(collapsed.Findings) <= maxUnread {
		return nil, r
	}
	return places, &collapsed
}

// checkSummary returns the last line of output. Findings that --fix has already tried to fix are
// not reported as fixable.
func checkSummary(r *check.Report, tried map[string]bool) string {
	errs, warnings, infos := r.Count()
	line := plural(r.Checked, "definition") + " checked: "
	switch {
	case r.Checked+r.Excluded+errs+warnings+infos == 0:
		return "no definitions found: nothing to check"
	case errs+warnings+infos == 0:
		line += "no problems"
	default:
		line += fmt.Sprintf("%s, %s, %d info", plural(errs, "error"), plural(warnings, "warning"), infos)
	}
	fixable := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Fixable() && !tried[f.Fingerprint] {
			fixable++
		}
	}
	if fixable > 0 {
		line += fmt.Sprintf("; %d fixable with --fix", fixable)
	}
	if r.Known > 0 {
		line += fmt.Sprintf("; %d in the baseline", r.Known)
	}
	if r.Excluded > 0 {
		line += "; " + plural(r.Excluded, "definition") + " excluded"
	}
	if r.ExcludedErrors > 0 {
		line += fmt.Sprintf(" with %s", plural(r.ExcludedErrors, "error"))
	}
	return line
}
