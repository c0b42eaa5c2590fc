package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit"
	"github.com/vadehq/vade/internal/audit/scan"
	"github.com/vadehq/vade/internal/terminal"
)

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
	for _, d := range r.Diagnostics {
		if err := terminal.PrintDiagnostic(a.stderr(), d); err != nil {
			return err
		}
	}
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
	_, err := p.out.Write([]byte(p.text.String()))
	return err
}

// auditPrinter writes a report for people.
type auditPrinter struct {
	out     *terminal.Writer
	text    strings.Builder
	verbose bool
}

func (p *auditPrinter) linef(style terminal.Style, indent int, format string, args ...any) {
	line := terminal.Wrap(terminal.NumberLine(fmt.Sprintf(format, args...)), p.out.Width(), indent, indent+2)
	fmt.Fprintf(&p.text, "%s%s\n", strings.Repeat(" ", indent), p.out.Paint(style, line))
}

func weightStyle(s audit.Severity) terminal.Style {
	switch s {
	case audit.Block:
		return terminal.Red
	case audit.Review:
		return terminal.Yellow
	case audit.Inform:
		return terminal.Cyan
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
	fmt.Fprintf(&p.text, "%s %s %s\n", p.out.Paint(weightStyle(x.Verdict), fmt.Sprintf("%-6s", x.Verdict)),
		p.out.Paint(terminal.Bold, terminal.NumberLine(x.Path)), p.out.Paint(terminal.Dim, "("+terminal.NumberLine(head)+")"))
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
	p.text.WriteByte('\n')
}

// finding prints one finding; why and what to do stand behind the first of a rule.
func (p *auditPrinter) finding(f *scan.Finding, said map[string]bool) {
	place := ""
	if f.Path != "" {
		if place = terminal.NumberLine(f.Path); f.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
		}
		place = p.out.Paint(terminal.Bold, place) + ": "
	}
	style, weight := weightStyle(f.Severity), f.Severity.String()
	if f.Suppressed != nil {
		style, weight = terminal.Dim, "suppressed "+weight
	}
	code := "[" + f.ID + " " + f.Name + "]"
	used := 2 + terminal.Width(terminal.NumberLine(f.Path)) + 12
	text := strings.TrimSuffix(terminal.Wrap(terminal.NumberLine(f.Message)+" "+code, p.out.Width(), used, 4), code)
	fmt.Fprintf(&p.text, "  %s%s: %s%s\n", place, p.out.Paint(style, weight), text, p.out.Paint(terminal.Dim, code))
	if f.Line > 0 && f.Source != "" {
		line, at, marks := terminal.Mark(f.Source, f.From, f.To, p.out.Width()-4)
		fmt.Fprintf(&p.text, "    %s\n    %s%s\n", line, strings.Repeat(" ", at), p.out.Paint(style, "^"+strings.Repeat("~", marks-1)))
	}
	if f.Packed != "" {
		p.linef(terminal.Dim, 4, "packed in %s", f.Packed)
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
	fmt.Fprintf(&p.text, "%s %s\n", p.out.Paint(terminal.Bold, terminal.NumberLine(x.Path)), p.out.Paint(terminal.Dim, "("+terminal.NumberLine(x.Kind+" "+x.Name)+")"))
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
	p.text.WriteByte('\n')
}
