package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// writer writes pieces in a host's syntax.
type writer struct {
	*lossList
	host   string
	syntax *host.Syntax
	// highest is the highest argument position in the body, or -1.
	highest int
	// risk describes text that the host would run or read as a file. It is "" if there is none.
	// riskLine is the text's line number.
	risk     string
	riskLine int
	// hinted holds the argument names in the source's hint, in order.
	hinted []string
	// follows is the text after the current piece in the source.
	follows string
}

// body returns the body s in the host's syntax, and the argument names to declare in the
// frontmatter.
func (w *writer) body(s string) (out string, names []string) {
	it := w.it
	src := &reader{syntax: it.Syntax, names: it.Names, isFile: it.IsFile, canceled: it.Canceled}
	if it.Syntax != nil && it.Syntax.Inputs {
		src.names = inputs(s)
	}
	pieces := src.read(s)
	if w.syntax != nil && w.syntax.Inputs {
		w.hinted = hintedNames(it)
	}
	w.highest = -1
	each(pieces, func(p *piece) {
		if p.form == position || p.form == named || p.form == rest {
			w.highest = max(w.highest, p.index)
		}
	})
	if same(it.Syntax, w.syntax) {
		w.variables(pieces)
		return s, src.names
	}
	var b strings.Builder
	var kept []piece
	for i := range pieces {
		if i%1024 == 0 && it.canceled() {
			break
		}
		p := &pieces[i]
		if w.follows = ""; i+1 < len(pieces) {
			w.follows = pieces[i+1].source
		}
		made, ok := w.piece(p, false)
		if !ok {
			// A piece that cannot be written is left as text, except for its arguments.
			var parts []piece
			made, parts = w.asText(p)
			kept = append(kept, parts...)
		} else {
			kept = append(kept, *p)
		}
		b.WriteString(made)
	}
	out = b.String()
	if w.syntax != nil && !it.canceled() {
		w.verify(src, merge(kept), s, out)
		w.unplaced(pieces)
	}
	return out, src.names
}

// asText returns a piece that the host does not support as plain text, in which only the
// placeholders that the host supports keep their meaning. kept holds the parts of the result.
func (w *writer) asText(p *piece) (out string, kept []piece) {
	rest := p.source
	for i := range p.parts {
		part := &p.parts[i]
		n := strings.Index(rest, part.source)
		if part.form == text || w.syntax == nil || n < 0 {
			continue
		}
		made, ok := w.piece(part, false)
		if !ok {
			continue
		}
		kept = append(kept, piece{source: rest[:n], at: p.at}, *part)
		out += w.text(rest[:n]) + made
		rest = rest[n+len(part.source):]
	}
	return out + w.text(rest), append(kept, piece{source: rest, at: p.at})
}

// same reports whether a body has the same meaning in two syntaxes, apart from variables.
func same(a, b *host.Syntax) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := a, b
	return x.Scanned == y.Scanned && x.All == y.All && slices.Equal(x.Alls, y.Alls) && x.Positions == y.Positions &&
		x.Base == y.Base &&
		x.Rest == y.Rest && x.Inputs == y.Inputs && x.ShellOpen == y.ShellOpen && x.FileOpen == y.FileOpen && x.Named == y.Named
}

// variables reports the variables in an unchanged body that the host does not support.
func (w *writer) variables(pieces []piece) {
	each(pieces, func(p *piece) {
		if p.form == variable {
			w.variable(p)
		}
	})
}

// unplaced adds a loss if the host drops the arguments because the body has no placeholder for
// them.
func (w *writer) unplaced(pieces []piece) {
	takes := false
	each(pieces, func(p *piece) {
		takes = takes || p.form == all || p.form == position || p.form == rest || p.form == named
	})
	if !takes && !w.syntax.Appended && w.it.Syntax != nil && w.it.Syntax.Appended && hasHint(w.it) {
		w.reportLoss(0, LossArgument, w.host+" ignores the arguments because the body has no placeholder for them", "add "+w.syntax.All+" where the arguments belong")
	}
}

// piece writes one piece. ok is false if the host does not support it. inner reports whether the
// piece is part of a command.
func (w *writer) piece(p *piece, inner bool) (out string, ok bool) {
	switch p.form {
	case text:
		return w.text(p.source), true
	case variable:
		return w.variable(p)
	case shell:
		return w.shell(p)
	case file:
		return w.file(p)
	}
	return w.argument(p, inner)
}

func (w *writer) text(s string) string {
	if w.syntax == nil || !w.syntax.Escapes {
		return s
	}
	var b strings.Builder
	at := 0
	for seg := range body.Placeholders(s, body.Options{Names: w.it.Names}, false) {
		b.WriteString(s[at:seg.Span.Start] + `\`)
		at = seg.Span.Start
	}
	return b.String() + s[at:]
}

func (w *writer) variable(p *piece) (string, bool) {
	v := registry.VariableOf(p.name)
	if w.syntax != nil && w.syntax.Own != nil && w.syntax.Own(p.name) {
		return p.source, true
	}
	if v == host.NoVariable {
		w.reportLoss(w.it.bodyLine(p.at), LossVariable, fmt.Sprintf("%s does not support editor variables, so %s is left as is", w.host, p.source), "describe it in words, or take it as an argument")
		return "", false
	}
	if w.syntax != nil && w.syntax.Variable != nil {
		if name := w.syntax.Variable(v); name != "" {
			return "${" + name + "}", true
		}
	}
	fix := "remove it, or replace it with its value"
	if v == host.SkillDir {
		fix = "use paths relative to the skill's directory, which the host tells its model"
	}
	w.reportLoss(w.it.bodyLine(p.at), LossVariable, fmt.Sprintf("%s does not expand %s, so it is left as is", w.host, p.source), fix)
	return "", false
}

func (w *writer) shell(p *piece) (string, bool) {
	x, line := w.syntax, w.it.bodyLine(p.at)
	fix := "tell the agent to run the command, or move it to a script next to the definition"
	if x == nil || x.ShellOpen == "" {
		w.reportLoss(line, LossShell, fmt.Sprintf("%s does not run commands in this kind of file, so %s is left as is", w.host, chars.Truncate(p.source, 60)), fix)
		return "", false
	}
	if from := w.it.Syntax; from != nil && from.ShellQuotes && !x.ShellQuotes && slices.ContainsFunc(p.parts, func(q piece) bool {
		return q.form != text && q.form != variable
	}) {
		w.reportLoss(line, LossShell, fmt.Sprintf("%s inserts arguments into commands without quoting them, so %s is left as is", w.host, chars.Truncate(p.source, 60)), fix)
		return "", false
	}
	inner, ok := w.parts(p.parts)
	if !ok {
		return "", false
	}
	open, end := x.ShellOpen, x.ShellClose
	if x.BlockOpen != "" && (p.block || strings.Contains(inner, "`")) {
		open, end = x.BlockOpen, x.BlockClose
	}
	balanced := true
	if x.Braces {
		n := 0
		for _, c := range inner {
			if c == '{' {
				n++
			} else if c == '}' {
				n--
			}
			balanced = balanced && n >= 0
		}
		balanced = balanced && n == 0
	}
	if !balanced || !x.Braces && strings.Contains(inner, strings.Trim(end, "\n")) {
		w.reportLoss(line, LossShell, fmt.Sprintf("%s cannot express this command, so %s is left as is", w.host, chars.Truncate(p.source, 60)), fix)
		return "", false
	}
	return open + inner + end, true
}

// parts writes the parts of a command or path. It returns false if a part cannot be written.
func (w *writer) parts(list []piece) (string, bool) {
	var b strings.Builder
	for i := range list {
		s, ok := list[i].source, true
		if w.follows = ""; i+1 < len(list) {
			w.follows = list[i+1].source
		}
		if list[i].form != text {
			s, ok = w.piece(&list[i], true)
		} else if w.syntax != nil {
			s = w.text(s)
		}
		if !ok {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// file writes a reference to a file whose content the host includes.
func (w *writer) file(p *piece) (string, bool) {
	x, line := w.syntax, w.it.bodyLine(p.at)
	fix := "tell the agent to read the file"
	if x == nil || x.FileOpen == "" {
		w.reportLoss(line, LossFile, fmt.Sprintf("%s does not include files in this kind of file, so %s is left as is", w.host, chars.Truncate(p.source, 60)), fix)
		return "", false
	}
	name, ok := w.parts(p.parts)
	if !ok {
		return "", false
	}
	lines := ""
	if p.first > 0 {
		if !x.Lines {
			w.reportLoss(line, LossFile, fmt.Sprintf("%s includes the entire file %s instead of only the selected lines", w.host, name), "")
		} else if lines = "#L" + strconv.Itoa(p.first); p.last > p.first {
			lines += "-" + strconv.Itoa(p.last)
		}
	}
	if x.FileClose != "" {
		return x.FileOpen + name + x.FileClose, true
	}
	if strings.ContainsAny(name, " \t") {
		if !x.Lines || strings.Contains(name, `"`) {
			w.reportLoss(line, LossFile, fmt.Sprintf("%s does not support paths with spaces, so %s is left as is", w.host, chars.Truncate(p.source, 60)), fix)
			return "", false
		}
		name = `"` + name + `"`
	}
	return x.FileOpen + name + lines, true
}
