package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/terminal"
)

// named prints what all hosts make of the definitions of one name: the matrix,
// and below it the reasons, each once.
func (p *explainPrinter) named() {
	label := func(d *explain.Explained) string { return d.Path }
	if len(p.x.Definitions) == 1 {
		// The path stands right below.
		label = func(d *explain.Explained) string { return d.Kind.String() + " " + d.Name }
	}
	p.matrix(label, len(p.x.Definitions) > 1)
	p.legend()
	for i := range p.x.Definitions {
		p.line("")
		p.definition(&p.x.Definitions[i])
	}
}

func (p *explainPrinter) head(d *explain.Explained) {
	layer := d.Layer.String()
	if d.Plugin != "" {
		layer += " " + d.Plugin
	}
	p.line(fmt.Sprintf("%s %s  %s", p.out.Paint(terminal.Dim, d.Kind.String()), p.out.Paint(terminal.Bold, terminal.EscapeLine(d.Name)),
		p.out.Paint(terminal.Dim, terminal.EscapeLine(d.Path+" ("+layer+")"))))
	for _, other := range d.OtherPaths {
		p.line("  " + p.out.Paint(terminal.Dim, "also "+terminal.EscapeLine(other)))
	}
	if d.CopyOf != "" {
		text := "a copy that vade sync made of " + d.CopyOf + ": change that one"
		if !slices.ContainsFunc(p.x.Definitions, func(o explain.Explained) bool { return o.Path == d.CopyOf }) {
			text += "; why a host does not see it: vade explain " + d.CopyOf
		}
		p.wrapped("  ", 2, text)
	}
}

// group are hosts of which the same is to be said, with the same fix.
type group struct {
	hosts []string
	state string
	style terminal.Style
	sign  string
	lines []string
	// reads are the places that each of the hosts looks into instead.
	reads     [][]string
	fix, then string
	// notes are remarks, with the hosts that they are of.
	notes   []string
	notesOf [][]string
}

// joins reports whether the same is to be said of a host as of those of the group:
// hosts that look elsewhere have that in common, wherever it is, where the same is
// to be done.
func (g *group) joins(o *group) bool {
	if g.sign != o.sign || g.state != o.state || g.fix != o.fix || g.then != o.then {
		return false
	}
	elsewhere := len(g.reads[0]) > 0 && len(o.reads[0]) > 0 && g.fix != ""
	return elsewhere || slices.Equal(g.lines, o.lines)
}

// add takes the hosts of another group into this one.
func (g *group) add(o *group) {
	g.hosts, g.reads = append(g.hosts, o.hosts...), append(g.reads, o.reads...)
	for i, note := range o.notes {
		at := slices.Index(g.notes, note)
		if at < 0 {
			g.notes, g.notesOf = append(g.notes, note), append(g.notesOf, nil)
			at = len(g.notes) - 1
		}
		g.notesOf[at] = append(g.notesOf[at], o.notesOf[i]...)
	}
}

// said are the lines of the group.
func (g *group) said(root string) []string {
	lines := g.lines
	if distinct(g.reads) > 1 {
		lines = []string{g.elsewhere(root)}
	}
	for i, note := range g.notes {
		if len(g.notesOf[i]) < len(g.hosts) {
			note = strings.Join(g.notesOf[i], ", ") + ": " + note
		}
		lines = append(lines[:len(lines):len(lines)], note)
	}
	return lines
}

func distinct(lists [][]string) int {
	n := 0
	for i, list := range lists {
		if !slices.ContainsFunc(lists[:i], func(o []string) bool { return slices.Equal(o, list) }) {
			n++
		}
	}
	return n
}

// elsewhere says where hosts look that have not all the same places.
func (g *group) elsewhere(root string) string {
	common := slices.DeleteFunc(slices.Clone(g.reads[0]), func(place string) bool {
		return slices.ContainsFunc(g.reads, func(list []string) bool { return !slices.Contains(list, place) })
	})
	none, all := "none of them reads ", "all read "
	if len(g.hosts) == 2 {
		none, all = "neither of them reads ", "both read "
	}
	if len(common) == 0 {
		return none + root
	}
	return none + root + "; " + all + strings.Join(common, " and ")
}

// definition prints the reasons for one definition.
func (p *explainPrinter) definition(d *explain.Explained) {
	p.head(d)
	var groups []*group
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		g := &group{state: v.State, fix: v.Fix, then: v.Then, hosts: []string{certain(v)}, reads: [][]string{v.Reads}, lines: remarks(d, v)}
		g.sign, g.style = p.mark(v)
		g.sign = strings.TrimSuffix(g.sign, "?")
		if d.CopyOf != "" && v.State == explain.StateNotRead {
			// Copies are for some hosts, and where the others look is said of the source.
			g.lines, g.reads = nil, [][]string{nil}
		}
		for _, note := range v.Notes {
			g.notes, g.notesOf = append(g.notes, note), append(g.notesOf, []string{v.Host})
		}
		at := slices.IndexFunc(groups, func(o *group) bool { return o.joins(g) })
		if at < 0 {
			groups = append(groups, g)
		} else {
			groups[at].add(g)
		}
	}
	order := []string{"loaded", "shadowed", "disabled", "dropped", explain.StateNotRead}
	slices.SortStableFunc(groups, func(a, b *group) int { return slices.Index(order, a.state) - slices.Index(order, b.state) })
	for _, g := range groups {
		p.group(g, d.Root)
	}
	p.calls(d)
	for _, problem := range d.Problems {
		if p.err == nil {
			p.err = terminal.PrintDiagnostic(p.out, problem)
		}
	}
}

// certain is the name of the host, with a mark where what is said is inferred.
func certain(v *explain.Verdict) string {
	if v.Basis == inferred {
		return v.Host + "?"
	}
	return v.Host
}

const reasonIndent = 6

func (p *explainPrinter) group(g *group, root string) {
	head := fmt.Sprintf("  %s %s: ", p.out.Paint(g.style, g.sign), g.state)
	indent := terminal.Width(g.sign) + len(g.state) + 5
	p.wrapped(head, indent, strings.Join(g.hosts, ", "))
	for _, l := range g.said(root) {
		p.wrapped(strings.Repeat(" ", reasonIndent), reasonIndent+2, l)
	}
	if g.fix != "" {
		p.fix("fix:", g.fix)
	}
	if g.then != "" {
		p.fix("then:", g.then)
	}
}

// fix prints what to do. A command is divided only where a shell reads on in the
// next line.
func (p *explainPrinter) fix(label, text string) {
	first := strings.Repeat(" ", reasonIndent) + p.out.Paint(terminal.Green, label) + " "
	indent := reasonIndent + len(label) + 1
	parts := strings.SplitAfter(text, " && ")
	if len(parts) == 1 && !strings.HasPrefix(text, "ln ") && !strings.HasPrefix(text, "mv ") && !strings.HasPrefix(text, "cp ") {
		p.wrapped(first, indent, text)
		return
	}
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], " ")
	}
	p.items(first, indent, parts, " ")
}

// remarks says in lines what is to be said of a verdict, without the name of the
// host.
func remarks(d *explain.Explained, v *explain.Verdict) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if reason := strings.TrimPrefix(v.Reason, v.Host+" "); reason != "" {
		add("%s", reason)
	}
	if v.State == definition.Loaded.String() {
		if v.Name != d.Name {
			add("its name is %s", v.Name)
		}
		if v.Kind != d.Kind.String() {
			add("it is a %s", v.Kind)
		}
		if len(v.Shadows) > 0 {
			add("it takes the place of %s", strings.Join(v.Shadows, ", "))
		}
		if len(v.Beside) > 0 {
			add("beside it: %s", strings.Join(v.Beside, ", "))
		}
		switch {
		case v.Listed == explain.ListedCut:
			add("listed to the model, cut: %s", v.ListedWhy)
		case v.Listed == explain.ListedNot:
			add("not listed to the model: %s", v.ListedWhy)
		}
		if len(v.Activation) > 0 && v.Listed != explain.ListedNot {
			add("for files that match %s", strings.Join(v.Activation, ", "))
		}
		if len(v.Lost) > 0 {
			add("ignores %s, which other hosts heed", strings.Join(v.Lost, ", "))
		}
	}
	return lines
}

// calls says how the definition is called, and what its project needs.
func (p *explainPrinter) calls(d *explain.Explained) {
	for _, who := range []struct {
		title string
		call  func(*explain.Verdict) string
	}{
		{"called by a user:", func(v *explain.Verdict) string { return v.UserCall }},
		{"by a model:", func(v *explain.Verdict) string { return v.ModelCall }},
	} {
		var calls []string
		hosts := map[string][]string{}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			call := who.call(v)
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
			p.wrapped("  "+p.out.Paint(terminal.Dim, who.title)+" ", 4, strings.Join(calls, "; "))
		}
	}
	var trust []string
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Trust != "" {
			trust = append(trust, v.Host)
		}
	}
	if len(trust) > 0 {
		p.wrapped("  "+p.out.Paint(terminal.Dim, "only in a trusted project:")+" ", 4, strings.Join(trust, ", ")+" (how: --host HOST)")
	}
}

// oneHost prints everything that one host makes of the definitions.
func (p *explainPrinter) oneHost() {
	h := p.x.Hosts[0]
	for i := range p.x.Definitions {
		d := &p.x.Definitions[i]
		v := &d.Verdicts[0]
		if i > 0 {
			p.line("")
		}
		p.head(d)
		sign, style := p.mark(v)
		row := func(label, text string) {
			if text != "" {
				p.wrapped("  "+p.out.Paint(terminal.Dim, fmt.Sprintf("%-16s", label))+" ", 19, text)
			}
		}
		row("host", h.Host+" "+h.Version)
		p.line("  " + p.out.Paint(terminal.Dim, fmt.Sprintf("%-16s", "state")) + " " + p.out.Paint(style, sign) + " " + v.State)
		row("why", v.Reason)
		if v.Code != "" {
			row("code", string(v.Code))
		}
		row("fix", v.Fix)
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
		row("beside it", strings.Join(v.Beside, ", "))
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
		refused := slices.DeleteFunc(slices.Clone(d.Problems), func(x diag.Diagnostic) bool { return x.Code != "AUDIT_BLOCKED" })
		for _, problem := range append(refused, v.Diagnostics...) {
			if p.err == nil {
				p.err = terminal.PrintDiagnostic(p.out, problem)
			}
		}
	}
}

// knowledge prints what is known of one host.
func (p *explainPrinter) knowledge(k *explain.HostKnowledge) {
	p.line(p.out.Paint(terminal.Bold, k.Host) + " " + k.Version)
	if len(k.Facts) == 0 {
		p.line("  nothing is written down of it")
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
		first := fmt.Sprintf("  %s %s ", p.out.Paint(terminal.Bold, fmt.Sprintf("%-12s", title)), p.out.Paint(terminal.Dim, fmt.Sprintf("%-10s", f.Basis)))
		p.wrapped(first, 26, text)
	}
}
