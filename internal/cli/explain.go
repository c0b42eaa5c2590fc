package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/terminal"
)

func (a *app) explain() *cobra.Command {
	var r explain.Request
	apply := false
	c := &cobra.Command{
		Use: "explain [NAME]", Short: "Show which hosts load a definition, and why others do not",
		Long: `For each host, show whether it loads a definition, under which name, what the
definition shadows, and whether the model sees it. If the host does not load it or the
model does not see it, explain why and show the smallest fix.

NAME is a name or alias, a kind and name ("skill:deploy"), or the path of any file,
including files that no host reads. --host without NAME prints what Vade knows about
that host, and the basis for it: observed, source, documented or inferred ("?").

Exit codes: 0 success, 1 not found, 2 invalid usage.`,
		Example: `  vade explain deploy
  vade explain skill:deploy --host codex
  vade explain .claude/skills/deploy/SKILL.md
  vade explain deploy --host codex --apply  apply the fix
  vade explain --all
  vade explain --host gemini                what Vade knows about a host
  vade explain deploy --json | jq -r '.definitions[].verdicts[] | .host'`,
		Args: func(c *cobra.Command, args []string) error {
			hint := "explain one definition at a time; to explain all, run: vade explain --all"
			if len(args) == 2 && slices.Contains(registry.Names(), registry.Canonical(args[1])) {
				hint = "run: vade explain " + shell.ForShell(args[0]) + " --host " + args[1]
			}
			return checkArgs(hint)(c, args)
		},
		ValidArgsFunction: a.completeNames(),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.Name = args[0]
			}
			return a.runExplain(c.Context(), r, apply)
		},
	}
	kindFlag(c, &r.Kinds, "explain")
	hostsFlag(c, &r.Hosts, "show only `HOST` (may be repeated; see: vade help hosts)", registry.RealNames)
	c.Flags().BoolVar(&apply, "apply", false, "apply the suggested fix: put the file where the hosts read it")
	a.yesFlag(c)
	c.Flags().BoolVarP(&r.All, "all", "a", false, "explain every definition")
	a.pagerFlag(c)
	a.viewFlags(c)
	return c
}

func (a *app) runExplain(ctx context.Context, r explain.Request, apply bool) error {
	switch {
	case apply && (r.Name == "" || a.json):
		return usage{failure{"--apply requires NAME and cannot be used with --json", "run: vade explain NAME --apply"}}
	case r.All && r.Name != "":
		return usage{failure{"--all and NAME cannot be used together", "run: vade explain --all, or: vade explain " + shell.ForShell(r.Name)}}
	case !r.All && r.Name == "" && len(r.Hosts) > 0:
		return a.explainHosts(r.Hosts)
	case !r.All && r.Name == "":
		return usage{failure{"NAME is missing", "run: vade explain NAME, vade explain --all, or vade explain --host HOST"}}
	}
	o, err := a.options(catalog.Options{})
	if err != nil {
		return err
	}
	progress := a.stderr().StartProgress("checking every host")
	x, err := explain.Run(ctx, o, r)
	progress.Done()
	var missing *definition.Error
	switch {
	case errors.As(err, &missing):
		if a.json {
			_ = a.printJSON(&explain.Explanation{Hosts: []explain.Host{}, Definitions: []explain.ExplainedFile{},
				Diagnostics: []diag.Diagnostic{}})
		}
		return failure{missing.Message, missing.Fix}
	case err != nil:
		return err
	case a.json:
		return a.printJSON(x)
	}
	if r.All {
		return a.paged(ctx, func() error {
			a.explainPrinter(x).everything()
			return nil
		})
	}
	p := a.explainPrinter(x)
	if len(x.Hosts) == 1 {
		p.oneHost()
	} else {
		p.named()
	}
	if apply {
		return a.applyFix(ctx, x)
	}
	return nil
}

// applyFix applies the fixes in an explanation of a single definition.
func (a *app) applyFix(ctx context.Context, x *explain.Explanation) error {
	if len(x.Definitions) != 1 {
		return failure{"nothing was changed: several definitions have this name", "choose one by its path: vade explain PATH --apply"}
	}
	if slices.ContainsFunc(x.Definitions[0].Problems, func(d diag.Diagnostic) bool { return d.Code == diag.AuditBlocked }) {
		return failure{"nothing was changed: the audit blocks this definition", "to see why, run: vade audit " + shell.ForShell(x.Definitions[0].Path)}
	}
	var fixes []string
	var changes []*explain.Change
	byHand := 0
	for i := range x.Definitions[0].Verdicts {
		switch v := &x.Definitions[0].Verdicts[i]; {
		case v.Fix == "" || slices.Contains(fixes, v.Fix):
		case v.Change == nil:
			byHand++
		default:
			fixes, changes = append(fixes, v.Fix), append(changes, v.Change)
		}
	}
	e := a.stderr()
	switch {
	case len(changes) == 0 && byHand == 0:
		e.Line(terminal.Plain, "vade: nothing to fix")
		return nil
	case len(changes) == 0:
		return failure{"nothing was changed: Vade cannot apply these fixes", "apply them by hand"}
	}
	for _, fix := range fixes {
		e.Line(terminal.Plain, "vade: %s", fix)
	}
	if err := a.confirmWrite(ctx, len(changes), "change"); err != nil {
		return err
	}
	for i, c := range changes {
		if err := c.Apply(); err != nil {
			return failure{fixes[i] + ": " + err.Error(), "apply the fix by hand"}
		}
	}
	e.Line(terminal.Green, "vade: made %s", plural(len(changes), "change"))
	return nil
}

// explainHosts prints what Vade knows about hosts.
func (a *app) explainHosts(hosts []string) error {
	var known []*explain.HostKnowledge
	for _, h := range hosts {
		k, err := explain.KnownFacts(h)
		if err != nil {
			return err
		}
		known = append(known, k)
	}
	if a.json {
		return a.printJSON(map[string]any{"hosts": known})
	}
	p := a.explainPrinter(&explain.Explanation{})
	for i, k := range known {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		p.knowledge(k)
	}
	return nil
}

// inferred is the value of Basis for facts about a host that are neither observed nor documented
// nor found in its source code.
const inferred = "inferred"

// states lists the states of verdicts in the order in which they are printed.
var states = []string{"loaded", "shadowed", "disabled", "dropped", explain.StateNotRead}

// explainPrinter prints an explanation as text.
type explainPrinter struct {
	x     *explain.Explanation
	out   *terminal.Writer
	ascii bool
}

func (a *app) explainPrinter(x *explain.Explanation) *explainPrinter {
	return &explainPrinter{x: x, out: a.stdout(), ascii: !a.utf8()}
}

// utf8 reports whether the process's locale uses UTF-8.
func (a *app) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := a.getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// wrapped prints labels followed by text. If the width of the output is known, the text is wrapped,
// and continuation lines are indented by hang columns.
func (p *explainPrinter) wrapped(hang int, text string, labels ...terminal.Cell) {
	p.filled(hang, strings.Split(text, " "), " ", labels...)
}

// filled is like wrapped, but breaks lines only between parts.
func (p *explainPrinter) filled(hang int, parts []string, between string, labels ...terminal.Cell) {
	line, used, width := "", 0, p.out.Width()
	for _, l := range labels {
		line += p.out.Paint(l.Style, l.Text)
		used += terminal.Width(l.Text)
	}
	if width-hang < 20 {
		width = 0
	}
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = terminal.EscapeLine(part)
	}
	line += terminal.Fill(escaped, between, width, used, hang)
	fmt.Fprintln(p.out, strings.TrimRight(line, " "))
}

// labelCell returns a cell to print before wrapped text.
func labelCell(style terminal.Style, format string, args ...any) terminal.Cell {
	return terminal.Cell{Text: terminal.EscapeLine(fmt.Sprintf(format, args...)), Style: style}
}

// columnTitles shortens names to column titles. Each title is the shortest prefix that is unique
// and has at least three letters. If a name contains a hyphen, each of its parts is shortened.
func columnTitles(names []string) []string {
	begin := func(name string, n int) string {
		first, second, two := strings.Cut(name, "-")
		if two {
			return first[:min(n+1, len(first))] + "-" + second[:min(n, len(second))]
		}
		return name[:min(n+2, len(name))]
	}
	short := make([]string, len(names))
	for i, name := range names {
		for n := 1; n <= len(name); n++ {
			short[i] = begin(name, n)
			if !slices.ContainsFunc(names, func(other string) bool { return other != name && begin(other, n) == short[i] }) {
				break
			}
		}
	}
	return short
}

// short returns the hosts' column titles.
func (p *explainPrinter) short() []string {
	var names []string
	for _, h := range p.x.Hosts {
		names = append(names, h.Host)
	}
	return columnTitles(names)
}

// mark returns a verdict's symbol.
func (p *explainPrinter) mark(v *explain.Verdict) terminal.Cell {
	sign, plain, style := "✗", "x", terminal.Red
	switch v.State {
	case definition.Loaded.String():
		sign, plain, style = "✓", "+", terminal.Green
		if len(v.Lost) > 0 || v.Listed == explain.ListedCut || v.Random || len(v.Beside) > 0 {
			// The host ignores part of the definition, or other files compete for its name.
			sign, plain, style = "~", "~", terminal.Yellow
		}
	case definition.Shadowed.String():
		sign, plain, style = "=", "=", terminal.Yellow
	case explain.StateNotRead:
		sign, plain, style = "–", "-", terminal.Dim
	}
	if p.ascii {
		sign = plain
	}
	if v.Basis == inferred {
		sign += "?"
	}
	return terminal.Cell{Text: sign, Style: style}
}

// legend explains the symbols and abbreviated names in use.
func (p *explainPrinter) legend() {
	fmt.Fprintln(p.out)
	used := map[string]bool{}
	for i := range p.x.Definitions {
		for j := range p.x.Definitions[i].Verdicts {
			sign := p.mark(&p.x.Definitions[i].Verdicts[j]).Text
			plain := strings.TrimSuffix(sign, "?")
			used[plain] = true
			used["?"] = used["?"] || sign != plain
		}
	}
	var marks []string
	for _, m := range [...][3]string{
		{"✓", "+", "loaded"}, {"~", "~", "partially loaded"}, {"=", "=", "shadowed"},
		{"✗", "x", "dropped or disabled"}, {"–", "-", "not read"}, {"?", "?", "inferred"},
	} {
		sign := m[0]
		if p.ascii {
			sign = m[1]
		}
		if used[sign] {
			marks = append(marks, sign+" "+m[2])
		}
	}
	p.filled(0, marks, "   ")
	var names []string
	short := p.short()
	for i, h := range p.x.Hosts {
		if !strings.HasPrefix(h.Host, short[i]) {
			names = append(names, short[i]+" = "+h.Host)
		}
	}
	if len(names) > 0 {
		p.filled(0, names, ", ")
	}
}

// maxLabel is the maximum width of a matrix label, in columns.
const maxLabel = 40

// matrix prints a row for each definition and a column for each host. Hosts that do not fit are
// printed in additional tables.
func (p *explainPrinter) matrix(label func(*explain.ExplainedFile) string) {
	short := p.short()
	cell, first, group := 2, 0, len(short)
	for _, s := range short {
		cell = max(cell, terminal.Width(s))
	}
	for i := range p.x.Definitions {
		first = max(first, min(terminal.Width(label(&p.x.Definitions[i])), maxLabel))
	}
	if width := p.out.Width(); width > 0 {
		group = max(1, (width-first)/(cell+2))
	}
	for from := 0; from < len(short); from += group {
		to := min(from+group, len(short))
		t := terminal.Table{Columns: []terminal.Column{{Flexible: true}}}
		for _, s := range short[from:to] {
			t.Columns = append(t.Columns, terminal.Column{Title: s})
		}
		for i := range p.x.Definitions {
			d := &p.x.Definitions[i]
			row := []any{label(d)}
			for j := from; j < to; j++ {
				row = append(row, p.mark(&d.Verdicts[j]))
			}
			t.Row(row...)
		}
		if from > 0 {
			fmt.Fprintln(p.out)
		}
		t.Print(p.out)
	}
}

// everything prints a matrix of all definitions or, for a single host, a list.
func (p *explainPrinter) everything() {
	if len(p.x.Definitions) == 0 {
		fmt.Fprintln(p.out, "no matching definitions")
		return
	}
	if len(p.x.Hosts) == 1 {
		p.listOf(0)
		return
	}
	p.matrix(func(d *explain.ExplainedFile) string { return d.Kind.String() + " " + d.Name })
	p.legend()
	t := terminal.Table{Columns: []terminal.Column{{Style: terminal.Dim}, {Style: terminal.Dim}}}
	for i, h := range p.x.Hosts {
		counts := map[string]int{}
		for j := range p.x.Definitions {
			counts[p.x.Definitions[j].Verdicts[i].State]++
		}
		var parts []string
		for _, state := range states {
			parts = append(parts, counted(count{counts[state], state})...)
		}
		t.Row(h.Host, strings.Join(parts, ", "))
	}
	t.Print(p.out)
	p.out.Line(terminal.Dim, "to see why, run: vade explain NAME")
}

// listOf prints all definitions with their verdicts for one host.
func (p *explainPrinter) listOf(host int) {
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "WHY", Flexible: true},
	}}
	for i := range p.x.Definitions {
		d := &p.x.Definitions[i]
		v := &d.Verdicts[host]
		why := v.Reason
		if v.State == definition.Loaded.String() {
			why = strings.Join(slices.Concat(verdictLines(d, v), v.Notes), "; ")
		}
		t.Row(p.mark(v), d.Kind, d.Name, why)
	}
	t.Print(p.out)
	p.legend()
}

// named prints a matrix of the definitions that share a name, and then explains each definition's
// verdicts.
func (p *explainPrinter) named() {
	label := func(d *explain.ExplainedFile) string { return d.Path }
	if len(p.x.Definitions) == 1 {
		// Omit the path, which the next line shows.
		label = func(d *explain.ExplainedFile) string { return d.Kind.String() + " " + d.Name }
	}
	p.matrix(label)
	p.legend()
	for i := range p.x.Definitions {
		fmt.Fprintln(p.out)
		p.definition(&p.x.Definitions[i])
	}
}

func (p *explainPrinter) head(d *explain.ExplainedFile) {
	layer := d.Layer.String()
	if d.Plugin != "" {
		layer += " " + d.Plugin
	}
	fmt.Fprintf(p.out, "%s %s  %s\n", p.out.Paint(terminal.Dim, d.Kind.String()), p.out.Paint(terminal.Bold, terminal.EscapeLine(d.Name)),
		p.out.Paint(terminal.Dim, terminal.EscapeLine(d.Path+" ("+layer+")")))
	for _, other := range d.OtherPaths {
		p.out.Line(terminal.Dim, "  also %s", other)
	}
	if d.CopyOf != "" {
		text := "vade sync keeps this copy of " + d.CopyOf + " up to date, so edit that file instead"
		if !slices.ContainsFunc(p.x.Definitions, func(o explain.ExplainedFile) bool { return o.Path == d.CopyOf }) {
			text += "; to see why a host does not load it, run: vade explain " + shell.ForShell(d.CopyOf)
		}
		p.wrapped(2, text, labelCell(terminal.Plain, "  "))
	}
}

// group holds the verdicts that are printed together because they are equivalent.
type group struct {
	sign     terminal.Cell
	lines    []string
	verdicts []*explain.Verdict
}

// sameAs reports whether g and o can be printed as one group. Hosts that read different directories
// but need the same fix belong to one group.
func (g *group) sameAs(o *group) bool {
	a, b := g.verdicts[0], o.verdicts[0]
	if g.sign != o.sign || a.State != b.State || a.Fix != b.Fix || a.Then != b.Then {
		return false
	}
	return slices.Equal(g.lines, o.lines) || len(a.Reads) > 0 && len(b.Reads) > 0 && a.Fix != ""
}

// linesFor returns the lines that explain the group's verdicts on d.
func (g *group) linesFor(d *explain.ExplainedFile) []string {
	lines, first := slices.Clone(g.lines), g.verdicts[0]
	if len(lines) > 0 && slices.ContainsFunc(g.verdicts, func(v *explain.Verdict) bool {
		return !slices.Equal(v.Reads, first.Reads)
	}) {
		common := slices.DeleteFunc(slices.Clone(first.Reads), func(place string) bool {
			return slices.ContainsFunc(g.verdicts, func(v *explain.Verdict) bool { return !slices.Contains(v.Reads, place) })
		})
		none, all := "none of these hosts reads ", "all read "
		if len(g.verdicts) == 2 {
			none, all = "neither host reads ", "both read "
		}
		lines = []string{none + d.Root}
		if len(common) > 0 {
			lines[0] += "; " + all + strings.Join(common, " and ")
		}
	}
	var notes []string
	hosts := map[string][]string{}
	for _, v := range g.verdicts {
		for _, note := range v.Notes {
			if hosts[note] == nil {
				notes = append(notes, note)
			}
			hosts[note] = append(hosts[note], v.Host)
		}
	}
	for _, note := range notes {
		if len(hosts[note]) < len(g.verdicts) {
			note = strings.Join(hosts[note], ", ") + ": " + note
		}
		lines = append(lines, note)
	}
	return lines
}

// definition prints the verdicts on one definition, with equivalent verdicts grouped together.
func (p *explainPrinter) definition(d *explain.ExplainedFile) {
	p.head(d)
	var groups []*group
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		g := &group{sign: p.mark(v), lines: verdictLines(d, v), verdicts: []*explain.Verdict{v}}
		g.sign.Text = strings.TrimSuffix(g.sign.Text, "?")
		if d.CopyOf != "" && v.State == explain.StateNotRead {
			// Do not list the other hosts' directories again: the explanation of the source lists
			// them.
			g.lines = nil
		}
		if at := slices.IndexFunc(groups, func(o *group) bool { return o.sameAs(g) }); at >= 0 {
			groups[at].verdicts = append(groups[at].verdicts, v)
		} else {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return slices.Index(states, a.verdicts[0].State) - slices.Index(states, b.verdicts[0].State)
	})
	for _, g := range groups {
		p.group(g, d)
	}
	p.calls(d)
	terminal.PrintDiagnostics(p.out, d.Problems...)
}

func (p *explainPrinter) group(g *group, d *explain.ExplainedFile) {
	const indent = 6
	first := g.verdicts[0]
	var hosts []string
	for _, v := range g.verdicts {
		host := v.Host
		if v.Basis == inferred {
			host += "?"
		}
		hosts = append(hosts, host)
	}
	p.wrapped(terminal.Width(g.sign.Text)+len(first.State)+5, strings.Join(hosts, ", "),
		labelCell(terminal.Plain, "  "), g.sign, labelCell(terminal.Plain, " %s: ", first.State))
	for _, l := range g.linesFor(d) {
		p.wrapped(indent+2, l, labelCell(terminal.Plain, "%6s", ""))
	}
	for _, do := range []struct{ title, text string }{{"fix:", first.Fix}, {"then:", first.Then}} {
		if do.text == "" {
			continue
		}
		p.command(indent+len(do.title)+1, do.text, labelCell(terminal.Plain, "%6s", ""), labelCell(terminal.Green, "%s", do.title), labelCell(terminal.Plain, " "))
	}
}

// command prints labels and then a command or sentence. It breaks a command line only after &&,
// where the shell accepts a line break. If text has no && and does not start with ln, mv or cp,
// command wraps it like a sentence.
func (p *explainPrinter) command(hang int, text string, labels ...terminal.Cell) {
	parts, between := strings.Split(text, " && "), " && "
	first, _, _ := strings.Cut(text, " ")
	if len(parts) == 1 && first != "ln" && first != "mv" && first != "cp" {
		parts, between = strings.Split(text, " "), " "
	}
	p.filled(hang, parts, between, labels...)
}

// verdictLines returns the lines that explain a verdict, without the host's name.
func verdictLines(d *explain.ExplainedFile, v *explain.Verdict) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if reason := strings.TrimPrefix(v.Reason, v.Host+" "); reason != "" {
		add("%s", reason)
	}
	if v.State == definition.Loaded.String() {
		if v.Name != d.Name {
			add("named %s", v.Name)
		}
		if v.Kind != d.Kind.String() {
			add("loaded as %s", chars.WithArticle(v.Kind))
		}
		if len(v.Shadows) > 0 {
			add("shadows %s", strings.Join(v.Shadows, ", "))
		}
		if len(v.Beside) > 0 {
			add("also loaded under this name: %s", strings.Join(v.Beside, ", "))
		}
		switch {
		case v.Listed == explain.ListedCut:
			add("the model sees only part of it: %s", v.ListedWhy)
		case v.Listed == explain.ListedNot:
			add("the model does not see it: %s", v.ListedWhy)
		}
		if len(v.Activation) > 0 && v.Listed != explain.ListedNot {
			add("for files that match %s", strings.Join(v.Activation, ", "))
		}
		if len(v.Lost) > 0 {
			add("ignores %s, which other hosts honor", strings.Join(v.Lost, ", "))
		}
	}
	return lines
}

// calls prints how users and models call a definition, and which hosts load it only in a trusted
// project.
func (p *explainPrinter) calls(d *explain.ExplainedFile) {
	for _, caller := range []struct {
		title string
		call  func(*explain.Verdict) string
	}{
		{"called by a user:", func(v *explain.Verdict) string { return v.UserCall }},
		{"called by a model:", func(v *explain.Verdict) string { return v.ModelCall }},
	} {
		var calls []string
		hosts := map[string][]string{}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			call := caller.call(v)
			if call == "" {
				continue
			}
			if !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
			hosts[call] = append(hosts[call], v.Host)
		}
		for i, call := range calls {
			calls[i] = fmt.Sprintf("%s (%s)", call, strings.Join(hosts[call], ", "))
		}
		if len(calls) > 0 {
			p.wrapped(4, strings.Join(calls, "; "), labelCell(terminal.Dim, "  %s ", caller.title))
		}
	}
	var trust []string
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Trust != "" {
			trust = append(trust, v.Host)
		}
	}
	if len(trust) > 0 {
		p.wrapped(4, strings.Join(trust, ", ")+" (for details, use --host HOST)", labelCell(terminal.Dim, "  only in a trusted project: "))
	}
}

// oneHost prints every detail of the verdicts for a single host.
func (p *explainPrinter) oneHost() {
	h := p.x.Hosts[0]
	for i := range p.x.Definitions {
		d := &p.x.Definitions[i]
		v := &d.Verdicts[0]
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		p.head(d)
		row := func(title, text string) {
			if text != "" {
				p.wrapped(19, text, labelCell(terminal.Dim, "  %-16s ", title))
			}
		}
		row("host", h.Host+" "+h.Version)
		p.wrapped(19, v.State, labelCell(terminal.Dim, "  %-16s ", "state"), p.mark(v), labelCell(terminal.Plain, " "))
		row("why", v.Reason)
		row("code", string(v.Code))
		if v.Fix != "" {
			p.command(19, v.Fix, labelCell(terminal.Dim, "  %-16s ", "fix"))
		}
		if v.Change != nil {
			row("apply it", "vade explain --host "+h.Host+" --apply -- "+shell.ForShell(d.Name))
		}
		row("then", v.Then)
		row("name", v.Name)
		if v.Kind != d.Kind.String() {
			row("kind", v.Kind)
		}
		if v.Path != d.Path {
			row("file", v.Path)
		}
		row("shadowed by", v.ShadowedBy)
		row("shadows", strings.Join(v.Shadows, ", "))
		row("also loaded", strings.Join(v.Beside, ", "))
		if v.State == definition.Loaded.String() {
			row("in the listing", listedWord(v.Listed, v.ListedWhy))
		}
		row("the model sees", v.Listing)
		row("by a user", v.UserCall)
		row("by a model", v.ModelCall)
		row("for files", strings.Join(v.Activation, ", "))
		for _, f := range v.Ignored {
			row("ignores", f.Field+": "+f.Reason)
		}
		row("trust", v.Trust)
		for _, n := range v.Notes {
			row("note", n)
		}
		row("known from", v.Basis+" ("+v.Cell+")")
		refused := slices.DeleteFunc(slices.Clone(d.Problems), func(x diag.Diagnostic) bool { return x.Code != diag.AuditBlocked })
		terminal.PrintDiagnostics(p.out, append(refused, v.Diagnostics...)...)
	}
}

// knowledge prints what Vade knows about one host.
func (p *explainPrinter) knowledge(k *explain.HostKnowledge) {
	fmt.Fprintln(p.out, p.out.Paint(terminal.Bold, k.Host), k.Version)
	if len(k.Facts) == 0 {
		fmt.Fprintln(p.out, "  no recorded facts")
	}
	cell := ""
	for _, f := range k.Facts {
		title := ""
		if f.Cell != cell {
			title, cell = f.Cell, f.Cell
		}
		text := f.Text
		if f.From != "" {
			text += " (" + f.From + ")"
		}
		p.wrapped(26, text, labelCell(terminal.Bold, "  %-12s ", title), labelCell(terminal.Dim, "%-10s ", f.Basis))
	}
}
