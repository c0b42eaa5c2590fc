package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/terminal"
)

// explainPrinter writes an explanation for people.
type explainPrinter struct {
	x     *explain.Explanation
	out   *terminal.Writer
	ascii bool
	// short are the names of the hosts above the columns.
	short []string
	err   error
}

func (a *app) explainPrinter(x *explain.Explanation) *explainPrinter {
	p := &explainPrinter{x: x, out: a.stdout(), ascii: !a.utf8()}
	var names []string
	for _, h := range x.Hosts {
		names = append(names, h.Host)
	}
	p.short = abbreviated(names)
	return p
}

// utf8 reports whether the locale of the process says that text is UTF-8.
func (a *app) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := a.getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// inferred is the basis that is the least sure.
const inferred = "inferred"

// line writes one line. What comes from others is escaped before.
func (p *explainPrinter) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.out, strings.TrimRight(text, " "))
	}
}

// wrapped writes words behind a first column, on as many lines as they need where
// the stream has a width. The lines behind the first begin at the indent.
func (p *explainPrinter) wrapped(first string, indent int, text string) {
	text = terminal.EscapeLine(text)
	if p.narrow(indent) {
		p.line(first + text)
		return
	}
	at, room := first, p.out.Width()-columns(first)
	for text != "" {
		part := text
		if terminal.Width(text) > room {
			part = beginning(text, room)
		}
		text = strings.TrimPrefix(text[len(part):], " ")
		p.line(at + part)
		at, room = strings.Repeat(" ", indent), p.out.Width()-indent
	}
}

// items writes parts that are not divided, as wrapped does words.
func (p *explainPrinter) items(first string, indent int, parts []string, between string) {
	line := first
	for i, part := range parts {
		part = terminal.EscapeLine(part)
		switch {
		case i == 0:
			line += part
		case !p.narrow(indent) && columns(line)+len(between)+terminal.Width(part) > p.out.Width():
			p.line(line + strings.TrimRight(between, " "))
			line = strings.Repeat(" ", indent) + part
		default:
			line += between + part
		}
	}
	p.line(line)
}

// narrow reports whether lines are not divided: the stream has no width, or too
// little of it.
func (p *explainPrinter) narrow(indent int) bool {
	return p.out.Width() == 0 || p.out.Width()-indent < 20
}

// columns is the width of a line that may hold colours.
func columns(line string) int {
	n := 0
	for line != "" {
		at := strings.Index(line, "\x1b[")
		if at < 0 {
			break
		}
		n += terminal.Width(line[:at])
		_, line, _ = strings.Cut(line[at:], "m")
	}
	return n + terminal.Width(line)
}

// beginning returns the words of a text that fit into some columns, at least one.
func beginning(text string, cols int) string {
	end := 0
	for i, r := range text {
		if r != ' ' {
			continue
		}
		if terminal.Width(text[:i]) > cols && end > 0 {
			return text[:end]
		}
		if end = i; terminal.Width(text[:i]) > cols {
			return text[:i]
		}
	}
	if end > 0 {
		return text[:end]
	}
	return text
}

// abbreviated makes names short that stand side by side: the shortest beginnings,
// of at least three letters, that tell them apart, of both parts where a name has
// two.
func abbreviated(names []string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		first, second, two := strings.Cut(name, "-")
		for n := 1; ; n++ {
			if two {
				short[i] = first[:min(n+1, len(first))] + "-" + second[:min(n, len(second))]
			} else {
				short[i] = name[:min(n+2, len(name))]
			}
			same := func(other string) bool {
				a, b, also := strings.Cut(other, "-")
				if two != also {
					return false
				}
				if two {
					return strings.HasPrefix(a, first[:min(n+1, len(first))]) && strings.HasPrefix(b, second[:min(n, len(second))])
				}
				return strings.HasPrefix(other, short[i])
			}
			others := slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name })
			if !slices.ContainsFunc(others, same) || n > len(name) {
				break
			}
		}
	}
	return short
}

// mark is the sign of a verdict, with its style.
func (p *explainPrinter) mark(v *explain.Verdict) (string, terminal.Style) {
	sign, plain, style := "✗", "x", terminal.Red
	switch v.State {
	case definition.Loaded.String():
		sign, plain, style = "✓", "+", terminal.Green
		if partly(v) {
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
	return sign, style
}

// partly reports whether something of a definition in force is lost in the host.
func partly(v *explain.Verdict) bool {
	return len(v.Lost) > 0 || v.Listed == explain.ListedCut || v.Random || len(v.Beside) > 0
}

// legend says what the marks and the short names mean, those that there are.
func (p *explainPrinter) legend() {
	p.line("")
	used := map[string]bool{}
	for i := range p.x.Definitions {
		for j := range p.x.Definitions[i].Verdicts {
			sign, _ := p.mark(&p.x.Definitions[i].Verdicts[j])
			plain := strings.TrimSuffix(sign, "?")
			used[plain] = true
			used["?"] = used["?"] || sign != plain
		}
	}
	var marks []string
	for _, m := range [...][3]string{
		{"✓", "+", "loaded"}, {"~", "~", "loaded, but not all of it counts"}, {"=", "=", "shadowed"},
		{"✗", "x", "dropped or off"}, {"–", "-", "not read"}, {"?", "?", "inferred"},
	} {
		sign := m[0]
		if p.ascii {
			sign = m[1]
		}
		if used[sign] {
			marks = append(marks, sign+" "+m[2])
		}
	}
	p.items("", 0, marks, "   ")
	var names []string
	for i, h := range p.x.Hosts {
		if !strings.HasPrefix(h.Host, p.short[i]) {
			names = append(names, p.short[i]+" = "+h.Host)
		}
	}
	if len(names) > 0 {
		p.items("", 0, names, ", ")
	}
}

// The matrix: columns of one width, the first for the label.
const (
	labelColumn = 24
	gapColumn   = 1
)

// matrix writes a row for each definition and a column for each host, in groups
// of hosts where the screen is narrow. A label that is too long is cut, or, where
// whole is set, stands on a line of its own.
func (p *explainPrinter) matrix(label func(*explain.Explained) string, whole bool) {
	cell := 2
	for _, s := range p.short {
		cell = max(cell, terminal.Width(s))
	}
	cell += gapColumn
	group := len(p.short)
	if width := p.out.Width(); width > 0 {
		group = min(group, max(1, (width-labelColumn)/cell))
	}
	for from := 0; from < len(p.short); from += group {
		to := min(from+group, len(p.short))
		if from > 0 {
			p.line("")
		}
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", labelColumn))
		for _, s := range p.short[from:to] {
			b.WriteString(p.out.Paint(terminal.Bold, s) + strings.Repeat(" ", cell-terminal.Width(s)))
		}
		p.line(b.String())
		for i := range p.x.Definitions {
			d := &p.x.Definitions[i]
			b.Reset()
			text := terminal.EscapeLine(label(d))
			if terminal.Width(text) >= labelColumn {
				if whole {
					p.line(text)
					text = ""
				} else {
					text = terminal.Truncate(text, labelColumn-1)
				}
			}
			b.WriteString(text + strings.Repeat(" ", labelColumn-terminal.Width(text)))
			for j := from; j < to; j++ {
				sign, style := p.mark(&d.Verdicts[j])
				b.WriteString(p.out.Paint(style, sign) + strings.Repeat(" ", cell-terminal.Width(sign)))
			}
			p.line(b.String())
		}
	}
}

// everything prints the matrix of all definitions, or the list of one host.
func (p *explainPrinter) everything(kinds []definition.Kind) {
	if len(p.x.Definitions) == 0 {
		p.line(nothing(kinds))
		return
	}
	if len(p.x.Hosts) == 1 {
		p.listOf(0)
		return
	}
	p.matrix(func(d *explain.Explained) string { return d.Kind.String() + " " + d.Name }, false)
	p.legend()
	for i, h := range p.x.Hosts {
		counts := map[string]int{}
		for j := range p.x.Definitions {
			counts[p.x.Definitions[j].Verdicts[i].State]++
		}
		p.line(p.out.Paint(terminal.Dim, fmt.Sprintf("%-16s %s", h.Host, counted(counts))))
	}
	p.line(p.out.Paint(terminal.Dim, "why: vade explain NAME"))
}

// nothing says that there is nothing of some kinds.
func nothing(kinds []definition.Kind) string {
	if len(kinds) == 0 {
		return "nothing is here"
	}
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return "no " + strings.Join(words, ", no ") + " is here"
}

func counted(counts map[string]int) string {
	var parts []string
	for _, state := range []string{"loaded", "shadowed", "dropped", "disabled", explain.StateNotRead} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}

// listOf lists all definitions for one host, with the reasons.
func (p *explainPrinter) listOf(host int) {
	t := terminal.Table{Columns: []terminal.Column{
		{}, {Title: "KIND", Style: terminal.Dim}, {Title: "NAME", Style: terminal.Bold}, {Title: "WHY", Flexible: true},
	}}
	for i := range p.x.Definitions {
		d := &p.x.Definitions[i]
		v := &d.Verdicts[host]
		sign, style := p.mark(v)
		why := v.Reason
		if v.State == definition.Loaded.String() {
			why = strings.Join(slices.Concat(remarks(d, v), v.Notes), "; ")
		}
		t.Row(terminal.Cell{Text: sign, Style: style}, terminal.Text(d.Kind.String()), terminal.Text(d.Name), terminal.Text(why))
	}
	if err := t.Print(p.out); err != nil && p.err == nil {
		p.err = err
	}
	p.legend()
}
