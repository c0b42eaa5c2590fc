package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
)

// auditFlags holds the flags for vade audit.
type auditFlags struct {
	findingFlags
	minSeverity, persona          string
	loaded, capabilities, verbose bool
	min                           rules.Severity
}

func (a *app) audit() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use: "audit [PATH…]", Short: "Detect malicious and risky definitions before you load them",
		Long: `Audit definitions and their companion files for hidden text, instructions that work
against the user, downloads that get executed, data leaks, bundled programs and broad
permissions. The audit does not run or send anything.

PATH is a definition, a skill directory, a plugin, or a directory with any of these.
Without PATH, the project is audited; with --as-loaded, all active definitions are. The
severity of a finding is block (do not load), review (look first) or inform. A package's
verdict is its most severe finding. A clean audit does not prove that a definition is
safe. Only a user or administrator policy, or a baseline that you specify, can suppress
findings.

Exit codes: 0 no findings of severity --min or above, 1 findings, 2 invalid usage or
the audit could not run.`,
		Example: `  vade audit
  vade audit ~/Downloads/pdf-tools
  vade audit skills/ --min review
  vade audit --as-loaded --host claude-code
  vade audit --format sarif > audit.sarif
  vade audit --write-baseline .vade/audit-baseline.json
  vade audit --baseline .vade/audit-baseline.json
  vade audit --capabilities skills/deploy    list what it runs and reads
  vade audit --explain X01                   explain a finding and how to fix it`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.auditUsage(c, &f, args); err != nil {
				return err
			}
			return a.analysisError(f.format, "packages", a.runAudit(c.Context(), f, args))
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.loaded, "as-loaded", false, "audit all active definitions, from every layer")
	a.yesFlag(c)
	f.minSeverity, f.persona = "block", "regular"
	f.add(c, scan.Rules(), "text", "json", "sarif")
	hostFlag(c, &a.host, "with --as-loaded: audit what `HOST` loads (see: vade help hosts)", registry.RealNames)
	choiceFlag(c, &f.minSeverity, "min", "exit with 1 if a finding has `SEVERITY` or higher (default block)", "block", "review", "inform")
	choiceFlag(c, &f.persona, "persona", "show findings for `PERSONA`; pedantic adds style findings, auditor adds findings in quotations and prohibitions (default regular)",
		"regular", "pedantic", "auditor")
	flags.BoolVar(&f.capabilities, "capabilities", false, "print what each package runs, reads, writes and calls instead of findings")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also list clean packages and every file that was not audited")
	return c
}

// auditUsage rejects flags that contradict each other or would have no effect.
func (a *app) auditUsage(c *cobra.Command, f *auditFlags, args []string) error {
	if err := a.findingUsage(c, &f.findingFlags, args); err != nil {
		return err
	}
	f.min, _ = rules.ParseSeverity(f.minSeverity)
	switch {
	case f.loaded && len(args) > 0:
		return usage{failure{"--as-loaded and PATH cannot be used together", "use only one of them"}}
	case a.host != "" && !f.loaded:
		return usage{failure{"--host requires --as-loaded: paths are audited for all hosts", "run: vade audit --as-loaded --host " + a.host}}
	case f.capabilities && f.format == "sarif":
		return usage{failure{"--capabilities is not available in SARIF", "use --format json"}}
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
	if !f.loaded {
		if err := a.askBeforeWalk(ctx, "audit", args...); err != nil {
			return err
		}
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
		return pathError("audit", err)
	}
	if f.writeTo != "" {
		return a.writeAuditBaseline(f.writeTo, r)
	}
	return failIf(!f.capabilities && r.Worst() >= f.min, a.printAudit(r, f))
}

// writeAuditBaseline writes the findings to the --write-baseline file.
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
		text += fmt.Sprintf("; omitted %d in files that were only partially read", without)
	}
	a.stderr().Line(terminal.Plain, "vade: %s", text)
	return nil
}

// Without -v, a report lists at most maxMissedShown unaudited files per package, and at most
// maxSkippedShown skipped paths per reason.
const (
	maxMissedShown  = 8
	maxSkippedShown = 5
)

// printAudit prints a report in the format that the flags select.
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
		p.linef(terminal.Dim, 0, "%s; capabilities are inferred from text and code", plural(r.Summary.Packages, "package"))
	} else {
		p.summary(r)
	}
	return nil
}

// auditPrinter prints a report as text.
type auditPrinter struct {
	out     *terminal.Writer
	verbose bool
}

func (p *auditPrinter) linef(style terminal.Style, indent int, format string, args ...any) {
	line := terminal.Wrap(terminal.NumberLine(fmt.Sprintf(format, args...)), p.out.Width(), indent, indent+2)
	fmt.Fprintf(p.out, "%s%s\n", strings.Repeat(" ", indent), p.out.Paint(style, line))
}

func severityStyle(s rules.Severity) terminal.Style {
	if style, ok := map[rules.Severity]terminal.Style{rules.Block: terminal.Red, rules.Review: terminal.Yellow,
		rules.Inform: terminal.Cyan}[s]; ok {
		return style
	}
	return terminal.Green
}

// one prints the findings in a package, and how much of the package was audited.
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
	fmt.Fprintf(p.out, "%s %s %s%s\n", p.out.Paint(severityStyle(x.Verdict), fmt.Sprintf("%-6s", x.Verdict)),
		p.out.Paint(terminal.Bold, terminal.NumberLine(x.Path)), p.out.Paint(terminal.Dim, "("+terminal.NumberLine(head)+")"), reason)
	explained := map[string]bool{}
	hidden := 0
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Suppressed != nil && !p.verbose {
			hidden++
			continue
		}
		p.finding(f, explained)
	}
	if hidden > 0 {
		p.linef(terminal.Dim, 2, "%s suppressed; use -v to show them", plural(hidden, "finding"))
	}
	p.coverage(x)
	fmt.Fprintln(p.out)
}

// finding prints one finding. It prints a rule's explanation, and each of the rule's fixes, only
// once per package. explained records what has already been printed.
func (p *auditPrinter) finding(f *scan.Finding, explained map[string]bool) {
	x := terminal.Problem{
		Indent: "  ", Place: f.Path, Label: f.Severity.String(), Style: severityStyle(f.Severity), Message: f.Message, Code: f.ID + " " + f.Name, Numbers: true,
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
		p.linef(terminal.Dim, 4, "and %s of this rule", plural(f.More, "more finding"))
	}
	if f.Suppressed != nil {
		p.linef(terminal.Dim, 4, "%s", strings.TrimSuffix("by "+f.Suppressed.By+": "+f.Suppressed.Reason, ": "))
		return
	}
	if key := f.ID + "\x00" + f.Fix; !explained[key] {
		explained[key] = true
		if !explained[f.ID] {
			explained[f.ID] = true
			p.linef(terminal.Plain, 4, "why: %s", f.Why)
		}
		p.linef(terminal.Green, 4, "fix: %s", f.Fix)
	}
}

// coverage prints how much of a package was audited, and which files were skipped and why.
func (p *auditPrinter) coverage(x *scan.Package) {
	c := &x.Coverage
	text := fmt.Sprintf("audited %s, %s", plural(c.Files, "file"), byteText(c.Bytes))
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
		text += "; skipped " + strings.Join(missed, ", ")
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

// skipped prints skipped paths, grouped by reason.
func (p *auditPrinter) skipped(list []scan.Skipped) {
	by := map[string][]string{}
	for _, s := range list {
		by[s.Reason] = append(by[s.Reason], s.Path)
	}
	for _, why := range slices.Sorted(maps.Keys(by)) {
		names := by[why]
		if len(names) > maxSkippedShown && !p.verbose {
			names = append(slices.Clone(names[:maxSkippedShown]), fmt.Sprintf("and %d more", len(names)-maxSkippedShown))
		}
		p.linef(terminal.Dim, 0, "not searched: %s (%s)", strings.Join(names, ", "), why)
	}
}

// summary prints the last line of the report.
func (p *auditPrinter) summary(r *scan.Report) {
	s := &r.Summary
	if s.Packages == 0 {
		p.linef(terminal.Dim, 0, "no definitions found: nothing to audit")
		return
	}
	parts := counted(count{s.Block, "block"}, count{s.Review, "review"}, count{s.Inform, "inform"}, count{s.Clean, "clean"})
	line := plural(s.Packages, "package") + " audited: " + strings.Join(parts, ", ")
	if s.Partly > 0 {
		line += fmt.Sprintf("; %d not fully audited", s.Partly)
	}
	if s.Suppressed > 0 {
		line += "; " + plural(s.Suppressed, "finding") + " suppressed"
	}
	p.linef(severityStyle(r.Worst()), 0, "%s", line)
}

// needs prints the capabilities that a package uses, and those that it declares.
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
			style, note = terminal.Dim, ", declared but not used"
		case m.Declares && !c.Declared:
			style, note = terminal.Yellow, ", not declared"
		}
		p.linef(style, 2, "%-6s %s (%s%s)", c.Kind, c.What, place, note)
	}
	if m.More > 0 {
		p.linef(terminal.Dim, 2, "and %d more", m.More)
	}
	if !m.Complete {
		p.linef(terminal.Yellow, 2, "not fully audited: there may be more capabilities")
	}
	fmt.Fprintln(p.out)
}
