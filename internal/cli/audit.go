package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/terminal"
)

// auditFlags are the flags of vade audit.
type auditFlags struct {
	findingFlags
	least, persona                         string
	loaded, capabilities, verbose, hasHost bool
	min                                    audit.Severity
}

func (a *app) audit() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use: "audit [PATH…]", Short: "Say what is dangerous in definitions before they are loaded",
		Long: `Look for what is dangerous in definitions, and in all that travels with them: hidden
text, instructions against the user, commands that fetch and run, data that leaves,
programs, grants. Only reading is done: nothing runs, and nobody is asked.

A PATH is a definition, the directory of a skill, a plugin, or a tree with many of
them, anywhere: also what you are about to install. A directory without a definition
is audited as it is. Without a PATH it is all definitions of the project; with
--as-loaded what is in force here, from every layer.

A finding is block (it should not be loaded), review (a person should look first) or
inform. The verdict of a package is its worst finding. What was not looked at is named.
Clean says that nothing known was found, and is no proof of safety.
What is audited can switch nothing off: findings are suppressed by the policy of the
user or the administrator, or by the baseline that you name, while the file stays as
it was.

Exit codes: 0 nothing of at least --min, 1 something, 2 wrong usage, or it could not
audit.`,
		Example: `  vade audit
  vade audit ~/Downloads/pdf-tools
  vade audit skills/ --min review
  vade audit --as-loaded --host claude-code
  vade audit --format sarif > audit.sarif
  vade audit --write-baseline .vade/audit-baseline.json
  vade audit --baseline .vade/audit-baseline.json
  vade audit --capabilities skills/deploy      what it would run, read, write and call
  vade audit --explain X01                     what a finding means, and what to do`,
		RunE: func(c *cobra.Command, args []string) error {
			f.hasHost = c.Flags().Changed("host")
			if err := a.auditUsage(c, &f, args); err != nil {
				return err
			}
			return a.notLooked(f.format, "packages", a.runAudit(c.Context(), f, args))
		},
	}
	if !a.named(c) {
		return c
	}
	flags := c.Flags()
	flags.BoolVar(&f.loaded, "as-loaded", false, "audit what is in force here, from all layers")
	flags.StringVar(&a.host, "host", "", "with --as-loaded: as `HOST` loads it: "+strings.Join(realHosts(), ", "))
	flags.StringVar(&f.least, "min", "block", "the exit code is 1 from `WEIGHT` on: block, review, inform")
	flags.StringVar(&f.persona, "persona", "regular", "show what `PERSONA` wants to see: regular, pedantic (also manners), auditor (also what is quoted or forbidden)")
	flags.StringVar(&f.format, "format", "text", "print `FORMAT`: text, json, sarif")
	flags.StringVar(&f.baseline, "baseline", "", "suppress the findings in `FILE` whose files have not changed")
	flags.StringVar(&f.writeTo, "write-baseline", "", "write all findings to `FILE`, as a baseline")
	flags.StringVar(&f.explain, "explain", "", "explain a finding by its `ID`")
	flags.BoolVar(&f.capabilities, "capabilities", false, "print what each would need instead: runs, reads, writes, hosts, environment, tools")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list also what is clean, and all that was not looked into")
	for name, words := range map[string][]string{"host": realHosts(), "min": auditWeights(), "persona": auditPersonas(), "format": auditFormats()} {
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = c.RegisterFlagCompletionFunc("explain", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return scan.Rules(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func auditWeights() []string  { return []string{"block", "review", "inform"} }
func auditPersonas() []string { return []string{"regular", "pedantic", "auditor"} }
func auditFormats() []string  { return []string{"text", "json", "sarif"} }

// auditUsage refuses what says nothing, or two things at once.
func (a *app) auditUsage(c *cobra.Command, f *auditFlags, args []string) error {
	if err := f.usage(c, args, a.json); err != nil {
		return err
	}
	for _, x := range []struct {
		flag, value string
		words       []string
	}{{"min", f.least, auditWeights()}, {"persona", f.persona, auditPersonas()}, {"format", f.format, auditFormats()}} {
		if !slices.Contains(x.words, x.value) {
			return usage{failure{fmt.Sprintf("--%s %s: there is no such %s", x.flag, x.value, map[string]string{"min": "weight"}[x.flag]+strings.TrimPrefix(x.flag, "min")), "use one of: " + strings.Join(x.words, ", ")}}
		}
	}
	f.min, _ = audit.ParseSeverity(f.least)
	switch {
	case f.explains && (len(args) > 0 || f.writeTo != "" || f.capabilities):
		return usage{failure{"--explain prints a page and does nothing else", "leave out the others"}}
	case f.loaded && len(args) > 0:
		return usage{failure{"--as-loaded audits what is in force here, not a PATH", "leave out one of them"}}
	case f.hasHost && !f.loaded:
		return usage{failure{"--host is for --as-loaded: a PATH is audited for all hosts", "say: vade audit --as-loaded --host " + a.host}}
	case f.capabilities && f.format == "sarif":
		return usage{failure{"--capabilities is no finding: SARIF has no place for it", "use --format json"}}
	case f.hasHost && (!known(a.host) || strings.HasPrefix(a.host, hosts.NeutralName)):
		return noHost("--host", a.host, "", realHosts())
	}
	return nil
}

func (a *app) runAudit(ctx context.Context, f auditFlags, args []string) error {
	if a.getenv("GITHUB_ACTIONS") == "true" {
		a.commands = [2]*terminal.Commands{{}, {}}
	}
	if f.explains {
		return a.explainAuditRule(f.explain)
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	request := scan.Options{Loaded: f.loaded, Persona: f.persona, Capabilities: f.capabilities}
	for _, p := range args {
		request.Paths = append(request.Paths, filepath.ToSlash(p))
	}
	if f.baseline != "" {
		data, err := a.readBaseline(f.baseline)
		if err != nil {
			return usage{failure{fmt.Sprintf("--baseline %s: %v", f.baseline, plain(err)), "write one with: vade audit --write-baseline FILE"}}
		}
		request.Baseline = data
	}
	r, err := a.auditOnce(ctx, o, request)
	if err != nil {
		return err
	}
	if f.writeTo != "" {
		return a.writeAuditBaseline(f.writeTo, r)
	}
	if err := a.printAudit(r, f); err != nil {
		return err
	}
	if !f.capabilities && r.Worst() >= f.min {
		return silent{exitFailed}
	}
	return nil
}

func (a *app) auditOnce(ctx context.Context, o catalog.Options, request scan.Options) (*scan.Report, error) {
	progress := a.stderr().StartProgress("auditing")
	defer progress.Done()
	request.Progress = progress.Step
	r, err := scan.Run(ctx, o, request)
	for _, known := range []struct {
		is   error
		hint string
	}{
		{check.ErrBaseline, "write one with: vade audit --write-baseline FILE"},
		{check.ErrNothingThere, "name a file or a directory that is there"},
		{scan.ErrNothingToAudit, "name a definition, or a directory that has files"},
	} {
		if errors.Is(err, known.is) {
			return nil, usage{failure{strings.TrimPrefix(err.Error(), "vade: "), known.hint}}
		}
	}
	return r, err
}

// writeAuditBaseline writes the findings to the file of --write-baseline.
func (a *app) writeAuditBaseline(name string, r *scan.Report) error {
	tree, rel, err := a.fileAt(name, a.dir)
	if err == nil {
		defer tree.Close()
		err = tree.Put(rel, r.Baseline())
	}
	if err != nil {
		return failure{fmt.Sprintf("--write-baseline %s: %v", name, plain(err)), "name a file that can be written: no link, and no link in the way to it"}
	}
	n, without := 0, 0
	for i := range r.Packages {
		for j := range r.Packages[i].Findings {
			n++
			if r.Packages[i].Findings[j].Digest == "" {
				without++
			}
		}
	}
	text := plural(n-without, "finding") + " written to " + terminal.EscapeLine(name)
	if without > 0 {
		text += fmt.Sprintf("; %d can not be in a baseline, as the file was not read to its end", without)
	}
	_, err = fmt.Fprintf(a.stderr(), "vade: %s\n", text)
	return err
}

// explainAuditRule prints the page of a rule of the audit.
func (a *app) explainAuditRule(id string) error {
	if page, ok := scan.RulePage(id); ok {
		_, err := io.WriteString(a.world.Stdout, page)
		return err
	}
	if _, ok := check.RulePage(id); ok {
		return usage{failure{fmt.Sprintf("--explain %s: it is a rule of vade check", id), "say: vade check --explain " + id}}
	}
	hint := "see all: " + strings.Join(scan.Rules(), ", ")
	if near := scan.NearestRules(id); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return usage{failure{fmt.Sprintf("--explain %s: there is no such rule", id), hint}}
}
