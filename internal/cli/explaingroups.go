package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade"
	"github.com/vadehq/vade/internal/terminal"
)

// named prints what all hosts make of the definitions of one name: the matrix,
// and below it the reasons, each once.
func (p *explainPrinter) named() {
	p.matrix(func(d *vade.Explained) string { return d.Path }, true)
	p.legend()
	for i := range p.x.Definitions {
		p.line("")
		p.definition(&p.x.Definitions[i])
	}
}

func (p *explainPrinter) head(d *vade.Explained) {
	layer := d.Layer.String()
	if d.Plugin != "" {
		layer += " " + d.Plugin
	}
	p.line(fmt.Sprintf("%s %s  %s", p.out.Paint(terminal.Dim, d.Kind.String()), p.out.Paint(terminal.Bold, terminal.EscapeLine(d.Name)),
		p.out.Paint(terminal.Dim, terminal.EscapeLine(d.Path+" ("+layer+")"))))
	for _, other := range d.OtherPaths {
		p.line("  " + p.out.Paint(terminal.Dim, "also "+terminal.EscapeLine(other)))
	}
}

// group are hosts of which the same is to be said.
type group struct {
	hosts []string
	state string
	style terminal.Style
	sign  string
	lines []string
	fix   string
}

// definition prints the reasons for one definition.
func (p *explainPrinter) definition(d *vade.Explained) {
	p.head(d)
	var groups []*group
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		g := group{state: v.State, fix: v.Fix}
		g.sign, g.style = p.mark(v)
		g.sign = strings.TrimSuffix(g.sign, "?")
		g.lines = remarks(d, v)
		at := slices.IndexFunc(groups, func(o *group) bool {
			return o.sign == g.sign && o.state == g.state && o.fix == g.fix && slices.Equal(o.lines, g.lines)
		})
		if at < 0 {
			groups = append(groups, &g)
			at = len(groups) - 1
		}
		groups[at].hosts = append(groups[at].hosts, certain(v))
	}
	order := []string{"loaded", "shadowed", "disabled", "dropped", vade.StateNotRead}
	fixes := map[string]int{}
	for i, g := range groups {
		if _, seen := fixes[g.fix]; !seen {
			fixes[g.fix] = i
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		if n := slices.Index(order, a.state) - slices.Index(order, b.state); n != 0 {
			return n
		}
		return fixes[a.fix] - fixes[b.fix]
	})
	for i, g := range groups {
		p.group(g)
		if last := i+1 == len(groups) || groups[i+1].fix != g.fix || groups[i+1].state != g.state; last && g.fix != "" {
			p.fix(g.fix)
		}
	}
	p.calls(d)
	for _, problem := range d.Problems {
		if p.err == nil {
			p.err = terminal.PrintDiagnostic(p.out, problem)
		}
	}
}

// certain is the name of the host, with a mark where what is said is inferred.
func certain(v *vade.Verdict) string {
	if v.Basis == inferred {
		return v.Host + "?"
	}
	return v.Host
}

const reasonIndent = 6

func (p *explainPrinter) group(g *group) {
	head := fmt.Sprintf("  %s %s: ", p.out.Paint(g.style, g.sign), g.state)
	indent := terminal.Width(g.sign) + len(g.state) + 5
	p.wrapped(head, indent, strings.Join(g.hosts, ", "))
	for _, l := range g.lines {
		p.wrapped(strings.Repeat(" ", reasonIndent), reasonIndent+2, l)
	}
}

func (p *explainPrinter) fix(text string) {
	p.wrapped(strings.Repeat(" ", reasonIndent)+p.out.Paint(terminal.Green, "fix:")+" ", reasonIndent+5, text)
}

// remarks says in lines what is to be said of a verdict, without the name of the
// host.
func remarks(d *vade.Explained, v *vade.Verdict) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if reason := strings.TrimPrefix(v.Reason, v.Host+" "); reason != "" {
		add("%s", reason)
	}
	if v.State == vade.Loaded.String() {
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
		case v.Listed == vade.ListedCut:
			add("listed to the model, cut: %s", v.ListedWhy)
		case v.Listed == vade.ListedNot:
			add("not listed to the model: %s", v.ListedWhy)
		}
		if len(v.Activation) > 0 && v.Listed != vade.ListedNot {
			add("for files that match %s", strings.Join(v.Activation, ", "))
		}
		if len(v.Lost) > 0 {
			add("ignores %s, which other hosts heed", strings.Join(v.Lost, ", "))
		}
	}
	for _, n := range v.Notes {
		add("%s", n)
	}
	return lines
}

// calls says how the definition is called, and what its project needs, the same
// once.
func (p *explainPrinter) calls(d *vade.Explained) {
	for _, who := range []struct {
		title string
		call  func(*vade.Verdict) string
	}{
		{"called by a user:", func(v *vade.Verdict) string { return v.UserCall }},
		{"by a model:", func(v *vade.Verdict) string { return v.ModelCall }},
		{"only in a trusted project:", func(v *vade.Verdict) string { return v.Trust }},
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
		for _, call := range calls {
			p.wrapped("  "+p.out.Paint(terminal.Dim, who.title)+" ", 4, fmt.Sprintf("%s   (%s)", call, strings.Join(hosts[call], ", ")))
		}
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
		row("listed", strings.TrimSuffix(strings.TrimPrefix(v.Listed+": "+v.ListedWhy, ": "), ": "))
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
		for _, problem := range v.Diagnostics {
			if p.err == nil {
				p.err = terminal.PrintDiagnostic(p.out, problem)
			}
		}
	}
}

// knowledge prints what is known of one host.
func (p *explainPrinter) knowledge(k *vade.HostKnowledge) {
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
