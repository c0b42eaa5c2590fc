package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/terminal"
)

// checkFlags are the flags of vade check.
type checkFlags struct {
	findingFlags
	hosts               []string
	fix, dryRun, strict bool
}

func (a *app) check() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check [PATH…]", Short: "Say what is wrong with definitions, and in which hosts",
		Long: `Check the definitions of a project: whether each host that reads one loads it,
whether its text means the same to all of them, and whether what it links to is
there. A PATH is a file, a part of the project, another project, or a collection
such as skills/; without one it is the whole project. Only reading is done: nothing
runs, and the user's own definitions are not looked at.

The hosts are those of --host, or else of .vade/check.yaml, or else those that have
files of their own in the project; standard error says which and why.

--fix makes the edits that change how something is written and nothing of what it
says: quotes, spellings of keys, true and false, byte order marks and blanks at the
delimiters. A key that hosts did not know is heeded from then on: it is renamed only
where it is there to be read (argument-hint, license …), never where it grants,
switches or runs something (allowed-tools, user-invocable, hooks …). Each edit is
tried first, shown as a diff with what hosts do from then on, and written in one step.

Exit codes: 0 nothing, or only what is for information (see --strict); 1 errors or
warnings; 2 wrong usage, or it could not check.`,
		Example: `  vade check
  vade check .claude/skills/deploy --host claude-code --host codex
  vade check skills/ --host all
  vade check --fix --dry-run      show the edits, write nothing
  vade check --format sarif > vade.sarif
  vade check --write-baseline .vade/baseline.json
  vade check --baseline .vade/baseline.json
  vade check --explain FM_BOM     what a finding means, and how to mend it`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkUsage(c, &f, args, a.json); err != nil {
				return err
			}
			return a.notLooked(f.format, "findings", a.runCheck(c.Context(), f, args))
		},
	}
	if !a.named(c) {
		return c
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.hosts, "host", nil, "check for `HOST`, or \"all\" (may be repeated): "+strings.Join(realHosts(), ", "))
	flags.StringVar(&f.format, "format", "text", "print `FORMAT`: text, json, sarif, github")
	flags.BoolVar(&f.fix, "fix", false, "make the edits that can do no harm")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --fix: show the edits and write nothing")
	flags.BoolVar(&f.strict, "strict", false, "let findings that are for information count too")
	flags.StringVar(&f.baseline, "baseline", "", "leave out the findings in `FILE`")
	flags.StringVar(&f.writeTo, "write-baseline", "", "write all findings to `FILE`, as a baseline")
	flags.StringVar(&f.explain, "explain", "", "explain a finding by its `CODE`")
	_ = c.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(append([]string{"all"}, realHosts()...), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "sarif", "github"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("explain", a.completeRules)
	return c
}

func (a *app) runCheck(ctx context.Context, f checkFlags, args []string) error {
	if f.format == "github" || a.getenv("GITHUB_ACTIONS") == "true" {
		a.commands = [2]*terminal.Commands{{}, {}}
	}
	if f.explains {
		return a.explainRule(f.explain)
	}
	switch f.format {
	case "text", "json", "sarif", "github":
	default:
		return usage{failure{fmt.Sprintf("--format %s: there is no such format", f.format), "use one of: text, json, sarif, github"}}
	}
	if f.dryRun && !f.fix {
		return usage{failure{"--dry-run is for --fix", "say: vade check --fix --dry-run"}}
	}
	for _, h := range f.hosts {
		if h != "all" && !known(h) || strings.HasPrefix(h, hosts.NeutralName) {
			return noHost("--host", h, "all, or ", realHosts())
		}
	}
	if a.dir != "" {
		if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
			return usage{failure{"-C " + a.dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	request := check.Options{Paths: a.paths(args), Hosts: f.hosts}
	if f.baseline != "" {
		data, err := a.readBaseline(f.baseline)
		if err != nil {
			return usage{failure{fmt.Sprintf("--baseline %s: %v", f.baseline, plain(err)), "write one with: vade check --write-baseline FILE"}}
		}
		request.Baseline = data
	}
	r, err := a.checkOnce(ctx, request)
	if err != nil {
		return err
	}
	a.sayHosts(r)
	if f.fix {
		if r, err = a.mend(ctx, r, request, f); err != nil {
			return err
		}
	}
	if f.writeTo != "" {
		return a.writeBaseline(f.writeTo, r)
	}
	if err := a.printReport(r, f.format, f.strict); err != nil {
		return err
	}
	errs, warnings, infos := r.Count()
	if errs+warnings > 0 || f.strict && infos > 0 {
		return silent{exitFailed}
	}
	return nil
}

// paths makes the paths of other directories absolute: those below the working
// directory stay as they are.
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
	if errors.Is(err, check.ErrBaseline) {
		return nil, usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "write one with: vade check --write-baseline FILE"}}
	}
	if errors.Is(err, check.ErrNoDefinition) {
		return nil, usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "name a definition, or a directory of them, by its own path; see: vade list"}}
	}
	if errors.Is(err, check.ErrNothingThere) {
		return nil, usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "name a file or a directory of the project"}}
	}
	return r, err
}

// sayHosts says on standard error which hosts are checked for, and why.
func (a *app) sayHosts(r *check.Report) {
	e := a.stderr()
	for i := 0; i < len(r.Hosts); {
		var names []string
		why := r.Hosts[i].Why
		for ; i < len(r.Hosts) && r.Hosts[i].Why == why; i++ {
			names = append(names, r.Hosts[i].Host+" "+r.Hosts[i].Version)
		}
		line := terminal.EscapeLine("checking for " + strings.Join(names, ", ") + ": " + why)
		fmt.Fprintf(e, "%s\n", e.Paint(terminal.Dim, terminal.Wrap(line, e.Width(), 0, 2)))
	}
	if r.Checked == 0 && r.Excluded > 0 {
		fmt.Fprintf(e, "vade: warning: .vade/check.yaml excludes all that is here, %s: nothing is checked\n", plural(r.Excluded, "definition"))
	}
	if r.ConfigUnused() {
		fmt.Fprintln(e, "vade: the project's .vade/check.yaml is not used: it can not be read as it is")
	}
}

// mend shows the edits, makes them, and checks again.
func (a *app) mend(ctx context.Context, r *check.Report, request check.Options, f checkFlags) (*check.Report, error) {
	fixes, err := r.Fixes(ctx)
	if err != nil {
		return nil, err
	}
	out := a.stdout()
	if f.format != "text" {
		out = a.stderr()
	}
	// A log of commands has no place for other people's text.
	shown := f.format != "github"
	written, changes := 0, 0
	for i := range fixes {
		if fixes[i].Problem != "" {
			fmt.Fprintf(a.stderr(), "vade: %s is left as it is: %s\n", terminal.EscapeLine(fixes[i].Path), terminal.EscapeLine(fixes[i].Problem))
			continue
		}
		changes++
		if shown {
			if err := printDiff(out, fixes[i].Diff()); err != nil {
				return nil, err
			}
		}
		if len(fixes[i].Loads) > 0 {
			fmt.Fprintf(a.stderr(), "vade: %s: then also loaded by %s\n", terminal.EscapeLine(fixes[i].Path), strings.Join(fixes[i].Loads, ", "))
		}
		for _, h := range fixes[i].Heeds {
			fmt.Fprintf(a.stderr(), "vade: %s: %s\n", terminal.EscapeLine(fixes[i].Path), h)
		}
		if f.dryRun {
			continue
		}
		if err := fixes[i].Write(); err != nil {
			fmt.Fprintf(a.stderr(), "%s\n", terminal.EscapeLine(err.Error()))
			continue
		}
		written++
	}
	if changes > 0 && f.format == "text" {
		if _, err := fmt.Fprintln(out); err != nil {
			return nil, err
		}
	}
	e := a.stderr()
	if f.dryRun {
		fmt.Fprintf(e, "vade: %s would be changed; nothing is written\n", plural(changes, "file"))
		return r, nil
	}
	fmt.Fprintf(e, "vade: %s changed\n", plural(written, "file"))
	if written == 0 {
		return r, nil
	}
	return a.checkOnce(ctx, request)
}

// printDiff prints a unified diff: other people's text, which is escaped on a
// terminal.
func printDiff(out *terminal.Writer, diff string) error {
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		if out.IsTerminal() {
			text = terminal.EscapeLine(text)
		}
		style := terminal.Plain
		switch line[0] {
		case '+':
			style = terminal.Green
		case '-':
			style = terminal.Red
		case '@':
			style = terminal.Cyan
		}
		if _, err := fmt.Fprintln(out, out.Paint(style, text)); err != nil {
			return err
		}
	}
	return nil
}

// explainRule prints the page of a rule.
func (a *app) explainRule(code string) error {
	page, ok := check.RulePage(code)
	if ok {
		_, err := io.WriteString(a.world.Stdout, page)
		return err
	}
	if severity, meaning, ok := check.CodeMeaning(code); ok {
		_, err := fmt.Fprintf(a.world.Stdout, "%s (%s): %s\n\nNo rule of vade check reports it; see docs/diagnostics.md.\n", strings.ToUpper(code), severity, meaning)
		return err
	}
	if _, ok := scan.RulePage(code); ok {
		return usage{failure{fmt.Sprintf("--explain %s: it is a rule of vade audit", code), "say: vade audit --explain " + strings.ToUpper(code)}}
	}
	hint := "see all: " + strings.Join(check.Rules(), ", ")
	if near := check.NearestRules(code); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return usage{failure{fmt.Sprintf("--explain %s: there is no such code", code), hint}}
}
