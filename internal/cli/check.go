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

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/internal/terminal"
)

// checkFlags are the flags of vade check.
type checkFlags struct {
	hosts                         []string
	format                        string
	baseline, writeTo             string
	explain                       string
	fix, dryRun, strict, explains bool
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
delimiters. Each is tried first, shown as a diff, and written in one step.

Exit codes: 0 nothing, or only what is for information (see --strict); 1 errors or
warnings; 2 wrong usage.`,
		Example: `  vade check
  vade check .claude/skills/deploy --host claude-code --host codex
  vade check skills/ --host all
  vade check --fix --dry-run      show the edits, write nothing
  vade check --format sarif > vade.sarif
  vade check --write-baseline .vade/baseline.json
  vade check --baseline .vade/baseline.json
  vade check --explain FM_BOM     what a finding means, and how to mend it`,
		RunE: func(c *cobra.Command, args []string) error {
			f.explains = c.Flags().Changed("explain")
			return a.runCheck(c.Context(), f, args)
		},
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
	_ = c.RegisterFlagCompletionFunc("explain", cobra.FixedCompletions(vade.CheckRules(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) runCheck(ctx context.Context, f checkFlags, args []string) error {
	if f.explains {
		return a.explainRule(f.explain)
	}
	if a.json && f.format == "text" {
		f.format = "json"
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
		if h != "all" && !known(h) || strings.HasPrefix(h, "neutral") {
			return usage{failure{fmt.Sprintf("--host %s: no host is named so", h), "use all, or one of: " + strings.Join(realHosts(), ", ")}}
		}
	}
	if a.dir != "" {
		if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
			return usage{failure{"-C " + a.dir + ": there is no such directory", "name an existing directory"}}
		}
	}
	request := vade.CheckOptions{Paths: a.paths(args), Hosts: f.hosts}
	if f.baseline != "" {
		data, err := readLimited(f.baseline)
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
	if err := a.printReport(r, f.format); err != nil {
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

func (a *app) checkOnce(ctx context.Context, request vade.CheckOptions) (*vade.Report, error) {
	progress := a.stderr().StartProgress("checking definitions")
	defer progress.Done()
	request.Progress = progress.Step
	r, err := vade.Check(ctx, vade.Options{Dir: a.dir, Getenv: a.getenv}, request)
	if errors.Is(err, vade.ErrNothingThere) {
		return nil, usage{failure{strings.TrimPrefix(err.Error(), "vade: "), "name a file or a directory of the project"}}
	}
	return r, err
}

// sayHosts says on standard error which hosts are checked for, and why.
func (a *app) sayHosts(r *vade.Report) {
	e := a.stderr()
	for i := 0; i < len(r.Hosts); {
		var names []string
		why := r.Hosts[i].Why
		for ; i < len(r.Hosts) && r.Hosts[i].Why == why; i++ {
			names = append(names, r.Hosts[i].Host+" "+r.Hosts[i].Version)
		}
		fmt.Fprintf(e, "%s\n", e.Paint(terminal.Dim, terminal.EscapeLine("checking for "+strings.Join(names, ", ")+": "+why)))
	}
}

// mend shows the edits, makes them, and checks again.
func (a *app) mend(ctx context.Context, r *vade.Report, request vade.CheckOptions, f checkFlags) (*vade.Report, error) {
	fixes, err := r.Fixes(ctx)
	if err != nil {
		return nil, err
	}
	out := a.stdout()
	if f.format != "text" {
		out = a.stderr()
	}
	written, changes := 0, 0
	for i := range fixes {
		if fixes[i].Problem != "" {
			fmt.Fprintf(a.stderr(), "vade: %s is left as it is: %s\n", terminal.EscapeLine(fixes[i].Path), terminal.EscapeLine(fixes[i].Problem))
			continue
		}
		changes++
		if err := printDiff(out, fixes[i].Diff()); err != nil {
			return nil, err
		}
		if len(fixes[i].Loads) > 0 {
			fmt.Fprintf(a.stderr(), "vade: %s: then also loaded by %s\n", terminal.EscapeLine(fixes[i].Path), strings.Join(fixes[i].Loads, ", "))
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

func (a *app) writeBaseline(name string, r *vade.Report) error {
	if err := os.WriteFile(name, r.Baseline(), 0o644); err != nil {
		return failure{fmt.Sprintf("--write-baseline %s: %v", name, plain(err)), "name a file that can be written"}
	}
	fmt.Fprintf(a.stderr(), "vade: %s written to %s\n", plural(len(r.Findings)+r.Known, "finding"), terminal.EscapeLine(name))
	return nil
}

// maxBaselineInput is the longest baseline that is read, in bytes.
const maxBaselineInput = 64 << 20

func readLimited(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBaselineInput))
}

// explainRule prints the page of a rule.
func (a *app) explainRule(code string) error {
	page, ok := vade.CheckRule(code)
	if ok {
		_, err := io.WriteString(a.world.Stdout, page)
		return err
	}
	hint := "see all: " + strings.Join(vade.CheckRules(), ", ")
	if near := vade.NearestRules(code); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return usage{failure{fmt.Sprintf("--explain %s: there is no such code", code), hint}}
}
