package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	hosts "github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/terminal"
)

// auditFlags are the flags of vade audit.
type auditFlags struct {
	findingFlags
	least, persona                         string
	loaded, capabilities, verbose, hasHost bool
	min                                    rules.Severity
}

func (a *app) audit() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use: "audit [PATH…]", Short: "Say what is dangerous in definitions before they are loaded",
		Long: `Look for dangers in definitions and the files that travel with them: hidden text,
instructions against the user, commands that fetch and run, leaking data, programs,
grants. Nothing runs and nothing is sent.

A PATH is a definition, a skill's directory, a plugin, or a tree of them anywhere.
Without one it is the project; with --as-loaded what is active here, in all layers.

A finding is block (do not load it), review (a person should look first) or inform.
The verdict of a package is its worst finding. A clean audit does not prove that a
definition is safe. Only a policy of the user or administrator, or a baseline that
you name, can suppress findings.

Exit codes: 0 nothing of at least --min, 1 something, 2 wrong usage, or it could
not audit.`,
		Example: `  vade audit
  vade audit ~/Downloads/pdf-tools
  vade audit skills/ --min review
  vade audit --as-loaded --host claude-code
  vade audit --format sarif > audit.sarif
  vade audit --write-baseline .vade/audit-baseline.json
  vade audit --baseline .vade/audit-baseline.json
  vade audit --capabilities skills/deploy      what it would run, read and call
  vade audit --explain X01                     what a finding means, and what to do`,
		RunE: func(c *cobra.Command, args []string) error {
			f.hasHost = c.Flags().Changed("host")
			if err := a.auditUsage(c, &f, args); err != nil {
				return err
			}
			return a.notLooked(f.format, "packages", a.runAudit(c.Context(), f, args))
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.loaded, "as-loaded", false, "audit what is in force here, from all layers")
	f.least, f.persona = "block", "regular"
	f.add(c, scan.Rules(), "text", "json", "sarif")
	flags.StringVar(&a.host, "host", "", "with --as-loaded: as `HOST` loads it (see: vade help hosts)")
	choice(c, &f.least, "min", "the exit code is 1 from `WEIGHT` on (default block)", "block", "review", "inform")
	choice(c, &f.persona, "persona", "show what `PERSONA` wants to see; pedantic adds manners, auditor what is quoted or forbidden (default regular)",
		"regular", "pedantic", "auditor")
	flags.BoolVar(&f.capabilities, "capabilities", false, "print what each would need instead: runs, reads, writes, hosts, environment, tools")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list also what is clean, and all that was not looked into")
	complete(c, "host", realHosts()...)
	return c
}

// auditUsage refuses what says nothing, or two things at once.
func (a *app) auditUsage(c *cobra.Command, f *auditFlags, args []string) error {
	if err := a.findingUsage(c, &f.findingFlags, args); err != nil {
		return err
	}
	f.min, _ = rules.ParseSeverity(f.least)
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
	if f.explains {
		return a.explainRule("audit", f.explain)
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	baseline, err := a.readBaseline("audit", f.baseline)
	if err != nil {
		return err
	}
	request := scan.Options{Loaded: f.loaded, Persona: f.persona, Capabilities: f.capabilities, Baseline: baseline}
	for _, p := range args {
		request.Paths = append(request.Paths, filepath.ToSlash(p))
	}
	progress := a.stderr().StartProgress("auditing")
	request.Progress = progress.Step
	r, err := scan.Run(ctx, o, request)
	progress.Done()
	if err != nil {
		return wrongPath("audit", err)
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

// writeAuditBaseline writes the findings to the file of --write-baseline.
func (a *app) writeAuditBaseline(name string, r *scan.Report) error {
	if err := a.writeBaseline(name, a.dir, r.Baseline()); err != nil {
		return err
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
	text := plural(n-without, "finding") + " written to " + name
	if without > 0 {
		text += fmt.Sprintf("; %d can not be in a baseline, as the file was not read to its end", without)
	}
	a.stderr().Line(terminal.Plain, "vade: %s", text)
	return nil
}

// The bounds of what is named of what was not looked at, where -v does not ask for all.
const (
	maxMissedShown  = 8
	maxSkippedShown = 5
)

// printAudit prints a report in one of the formats.
func (a *app) printAudit(r *scan.Report, f auditFlags) error {
	switch f.format {
	case "json":
		return a.printJSON(r)
	case "sarif":
		return r.WriteSARIF(a.world.Stdout)
	}
	p := auditPrinter{out: a.stdout(), verbose: f.verbose}
	a.printProblems(r.Diagnostics)
	for i := range r.Packages {
		if f.capabilities {
			p.needs(&r.Packages[i])
		} else {
			p.one(&r.Packages[i])
		}
	}
	p.skipped(r.Skipped)
	if f.capabilities {
		p.linef(terminal.Dim, 0, "%s; what they would need as far as their text and code show it", plural(r.Summary.Packages, "package"))
	} else {
		p.summary(r)
	}
	return nil
}

// auditPrinter writes a report for people.
type auditPrinter struct {
	out     *terminal.Writer
	verbose bool
}

func (p *auditPrinter) linef(style terminal.Style, indent int, format string, args ...any) {
	line := terminal.Wrap(terminal.NumberLine(fmt.Sprintf(format, args...)), p.out.Width(), indent, indent+2)
	fmt.Fprintf(p.out, "%s%s\n", strings.Repeat(" ", indent), p.out.Paint(style, line))
}

func weightStyle(s rules.Severity) terminal.Style {
	if style, ok := map[rules.Severity]terminal.Style{rules.Block: terminal.Red, rules.Review: terminal.Yellow, rules.Inform: terminal.Cyan}[s]; ok {
		return style
	}
	return terminal.Green
}

// one prints a package: what was found, and what was not looked at.
func (p *auditPrinter) one(x *scan.Package) {
	if len(x.Findings) == 0 && x.Coverage.Complete && !p.verbose {
		return
	}
	head := x.Kind + " " + x.Name
	if x.Layer != "" {
		head += ", " + x.Layer
	}
	reason := x.Reason
	if reason != "" {
		reason = ": " + reason
	}
	fmt.Fprintf(p.out, "%s %s %s%s\n", p.out.Paint(weightStyle(x.Verdict), fmt.Sprintf("%-6s", x.Verdict)),
		p.out.Paint(terminal.Bold, terminal.NumberLine(x.Path)), p.out.Paint(terminal.Dim, "("+terminal.NumberLine(head)+")"), reason)
	said := map[string]bool{}
	hidden := 0
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Suppressed != nil && !p.verbose {
			hidden++
			continue
		}
		p.finding(f, said)
	}
	if hidden > 0 {
		p.linef(terminal.Dim, 2, "%s suppressed; -v shows them", plural(hidden, "finding"))
	}
	p.coverage(x)
	fmt.Fprintln(p.out)
}

// finding prints one finding; why and what to do stand behind the first of a rule.
func (p *auditPrinter) finding(f *scan.Finding, said map[string]bool) {
	x := terminal.Problem{
		Indent: "  ", Place: f.Path, Label: f.Severity.String(), Style: weightStyle(f.Severity), Message: f.Message, Code: f.ID + " " + f.Name, Numbers: true,
	}
	if f.Suppressed != nil {
		x.Label, x.Style = "suppressed "+x.Label, terminal.Dim
	}
	if f.Line > 0 {
		x.Source, x.From, x.To = f.Source, f.From, f.To
		if f.Path != "" {
			x.Place = fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Column)
		}
	}
	x.Print(p.out)
	if f.Packed != "" {
		p.linef(terminal.Dim, 4, "packed in %s", f.Packed)
	}
	if len(f.Also) > 0 {
		p.linef(terminal.Dim, 4, "also: %s", strings.Join(f.Also, ", "))
	}
	if f.More > 0 {
		p.linef(terminal.Dim, 4, "and %d more of this rule", f.More)
	}
	if f.Suppressed != nil {
		p.linef(terminal.Dim, 4, "%s", strings.TrimSuffix("by "+f.Suppressed.By+": "+f.Suppressed.Reason, ": "))
		return
	}
	if key := f.ID + "\x00" + f.Fix; !said[key] {
		said[key] = true
		if !said[f.ID] {
			said[f.ID] = true
			p.linef(terminal.Plain, 4, "why: %s", f.Why)
		}
		p.linef(terminal.Green, 4, "fix: %s", f.Fix)
	}
}

// coverage says what was looked at, and what was not and why.
func (p *auditPrinter) coverage(x *scan.Package) {
	c := &x.Coverage
	text := fmt.Sprintf("looked at %s, %s", plural(c.Files, "file"), byteText(c.Bytes))
	var missed []string
	for i, m := range c.Missed {
		if i == maxMissedShown && !p.verbose {
			missed = append(missed, fmt.Sprintf("and %d more", len(c.Missed)-i))
			break
		}
		why := string(m.Reason)
		if m.Note != "" {
			why += ": " + m.Note
		}
		missed = append(missed, fmt.Sprintf("%s (%s)", m.Path, why))
	}
	style := terminal.Dim
	if len(missed) > 0 {
		text += "; not at " + strings.Join(missed, ", ")
		if !c.Complete {
			style = terminal.Yellow
		}
	}
	p.linef(style, 2, "%s", text)
}

func byteText(n int64) string {
	switch {
	case n < 1<<10:
		return plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// skipped names what was not looked into, by reason.
func (p *auditPrinter) skipped(list []scan.Skipped) {
	var reasons []string
	by := map[string][]string{}
	for _, s := range list {
		if by[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		by[s.Reason] = append(by[s.Reason], s.Path)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		names := by[why]
		if len(names) > maxSkippedShown && !p.verbose {
			names = append(slices.Clone(names[:maxSkippedShown]), fmt.Sprintf("and %d more", len(names)-maxSkippedShown))
		}
		p.linef(terminal.Dim, 0, "not looked into: %s (%s)", strings.Join(names, ", "), why)
	}
}

// summary is the last line.
func (p *auditPrinter) summary(r *scan.Report) {
	s := &r.Summary
	if s.Packages == 0 {
		p.linef(terminal.Dim, 0, "no definition was found: there is nothing to audit")
		return
	}
	var parts []string
	for _, x := range []struct {
		n    int
		word string
	}{{s.Block, "block"}, {s.Review, "review"}, {s.Inform, "inform"}, {s.Clean, "clean"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	line := plural(s.Packages, "package") + " audited: " + strings.Join(parts, ", ")
	if s.Partly > 0 {
		line += fmt.Sprintf("; %d not fully looked at", s.Partly)
	}
	if s.Suppressed > 0 {
		line += "; " + plural(s.Suppressed, "finding") + " suppressed"
	}
	p.linef(weightStyle(r.Worst()), 0, "%s", line)
}

// needs prints what a package would need: what it uses, and what it asks for.
func (p *auditPrinter) needs(x *scan.Package) {
	m := x.Capabilities
	if m == nil || len(m.Capabilities) == 0 && !p.verbose {
		return
	}
	fmt.Fprintf(p.out, "%s %s\n", p.out.Paint(terminal.Bold, terminal.NumberLine(x.Path)), p.out.Paint(terminal.Dim, "("+terminal.NumberLine(x.Kind+" "+x.Name)+")"))
	for i := range m.Capabilities {
		c := &m.Capabilities[i]
		place := c.Path
		if c.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, c.Line)
		}
		style, note := terminal.Plain, ""
		switch {
		case c.Declared && !c.Used:
			style, note = terminal.Dim, ", declared and not used"
		case m.Declares && !c.Declared:
			style, note = terminal.Yellow, ", not declared"
		}
		p.linef(style, 2, "%-6s %s (%s%s)", c.Kind, c.What, place, note)
	}
	if m.More > 0 {
		p.linef(terminal.Dim, 2, "and %d more", m.More)
	}
	if !m.Complete {
		p.linef(terminal.Yellow, 2, "not all of it was looked at: there may be more")
	}
	fmt.Fprintln(p.out)
}
