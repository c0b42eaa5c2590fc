package commands

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/shell"
)

// call analyzes a simple command with its redirections.
func (v *analyzer) call(call *syntax.CallExpr, s *syntax.Stmt) []int {
	var c Command
	var inner []int
	for _, a := range call.Assigns {
		value := v.assign(a, len(call.Args) == 0)
		inner = append(inner, value.inner...)
		c.Assigns = append(c.Assigns, assigned(a, value))
	}
	for _, w := range call.Args {
		list := v.terms(w)
		for _, t := range list {
			inner = append(inner, t.inner...)
		}
		c.Words = append(c.Words, list...)
	}
	c.Span, c.Text, c.Inner = v.nodeSpan(s), v.written(s), inner
	if len(c.Words) == 0 && len(s.Redirs) == 0 {
		// An assignment is no command: what stands in it was analyzed.
		return inner
	}
	v.redirects(&c, s.Redirs)
	i := v.add(c)
	if i < 0 {
		return nil
	}
	v.runs(i)
	v.keepFiles(i)
	return []int{i}
}

func assigned(a *syntax.Assign, value known) string {
	if a.Name == nil {
		return ""
	}
	return a.Name.Value + "=" + value.text
}

// assign takes in the value of a variable.
func (v *analyzer) assign(a *syntax.Assign, lasting bool) known {
	var value known
	switch {
	case a.Value != nil:
		t := v.term(a.Value)
		value = known{text: t.Text, ok: t.Known, how: t.how, inner: t.inner}
		if !t.Known && len(t.how) > 0 {
			value.text, value.ok = t.script, true
		}
		value.alias = !value.ok && len(t.inner) == 0 && t.Text != ""
	case a.Array != nil:
		value.inner = v.substitutions(a.Array)
		var words []string
		value.ok = true
		for _, e := range a.Array.Elems {
			if e.Value == nil {
				continue
			}
			t := v.term(e.Value)
			words = append(words, t.Text)
			value.ok = value.ok && t.Known
		}
		value.text = strings.Join(words, " ")
	}
	if a.Name != nil && lasting {
		name := a.Name.Value
		if old, ok := v.vars[name]; a.Append && ok {
			value.text, value.ok = old.text+value.text, old.ok && value.ok
			value.inner = append(old.inner[:len(old.inner):len(old.inner)], value.inner...)
		}
		if len(value.text) > maxDecoded || len(v.vars) > 2000 {
			value.text, value.ok, value.alias = "", false, false
		}
		v.vars[name] = value
	}
	return value
}

// declare analyzes export, local, declare and readonly.
func (v *analyzer) declare(d *syntax.DeclClause) []int {
	c := Command{Span: v.nodeSpan(d), Text: v.written(d)}
	c.Words = append(c.Words, Term{Written: d.Variant.Value, Text: d.Variant.Value, Known: true, Span: v.nodeSpan(d.Variant)})
	for _, a := range d.Args {
		value := v.assign(a, true)
		c.Inner = append(c.Inner, value.inner...)
		text := v.written(a)
		if a.Name != nil && a.Value != nil {
			text = assigned(a, value)
			c.Assigns = append(c.Assigns, text)
		}
		c.Words = append(c.Words, Term{Written: v.written(a), Text: text, Known: value.ok, Span: v.nodeSpan(a)})
	}
	if i := v.add(c); i >= 0 {
		return []int{i}
	}
	return nil
}

// redirects takes in the files of a command.
func (v *analyzer) redirects(c *Command, list []*syntax.Redirect) {
	for _, r := range list {
		switch {
		case r.Hdoc != nil:
			t := v.hereDocument(r.Hdoc)
			c.Input, c.inputHow = t.script, t.how
			c.Inner = append(c.Inner, t.inner...)
		case r.Word == nil:
		case r.Op == syntax.WordHdoc:
			t := v.term(r.Word)
			c.Input, c.inputHow = t.script, t.how
			c.Inner = append(c.Inner, t.inner...)
		case r.Op == syntax.RdrIn:
			t := v.term(r.Word)
			c.Inner = append(c.Inner, t.inner...)
			c.Redirects = append(c.Redirects, shell.Redirected{File: shell.Plain{Written: t.Written, Text: t.Text}})
		default:
			t := v.term(r.Word)
			if (r.Op == syntax.DplIn || r.Op == syntax.DplOut) && strings.Trim(t.Text, "0123456789-") == "" {
				continue
			}
			c.Redirects = append(c.Redirects, shell.Redirected{File: shell.Plain{Written: t.Written, Text: t.Text}, Writes: r.Op != syntax.DplIn})
		}
	}
}

// hereDocument returns what a here-document says.
func (v *analyzer) hereDocument(w *syntax.Word) Term {
	t := Term{Known: true, Span: v.nodeSpan(w)}
	var b, script strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
			script.WriteString(lit.Value)
			continue
		}
		v.parts([]syntax.WordPart{part}, true, &t, &b, &script)
	}
	t.Text, t.script = b.String(), script.String()
	return t
}

// joinGroup gives the redirections of a group to the commands in it.
func (v *analyzer) joinGroup(list []int, redirs []*syntax.Redirect) {
	var c Command
	v.redirects(&c, redirs)
	for _, i := range list[max(0, len(list)-maxBranches):] {
		x := &v.out.Commands[i]
		x.Redirects = append(x.Redirects[:len(x.Redirects):len(x.Redirects)], c.Redirects...)
		if x.Input == "" && c.Input != "" {
			x.Input, x.inputHow = c.Input, c.inputHow
			v.takeInput(i)
		}
		v.keepFiles(i)
	}
}

// terms returns the words that a word becomes: several for {a,b} and for a value with
// blanks in it.
func (v *analyzer) terms(w *syntax.Word) []Term {
	t := v.term(w)
	var parts []string
	switch {
	case strings.HasPrefix(t.Written, "{") && strings.HasSuffix(t.Written, "}") && strings.Contains(t.Text, ",") && !strings.ContainsAny(t.Text, " $"):
		parts = strings.Split(t.Text[1:len(t.Text)-1], ",")
	case t.Known && !strings.ContainsAny(t.Written, " '\"") && strings.Contains(t.Written, "$") && strings.ContainsAny(t.Text, " \t"):
		parts = strings.Fields(t.Text)
	}
	if len(parts) < 2 || len(parts) > 100 {
		return []Term{t}
	}
	var out []Term
	for _, p := range parts {
		out = append(out, Term{Written: p, Text: p, script: p, Known: t.Known, Span: t.Span, how: t.how})
	}
	return out
}

// term returns what a word says.
func (v *analyzer) term(w *syntax.Word) Term {
	t := Term{Written: v.written(w), Known: true, Span: v.nodeSpan(w)}
	var b, script strings.Builder
	v.parts(w.Parts, false, &t, &b, &script)
	t.Text, t.script = b.String(), script.String()
	return t
}

func (v *analyzer) parts(list []syntax.WordPart, quoted bool, t *Term, b, script *strings.Builder) {
	both := func(s string) {
		b.WriteString(s)
		script.WriteString(s)
	}
	for _, part := range list {
		text := v.written(part)
		switch part := part.(type) {
		case *syntax.Lit:
			if quoted {
				both(shell.UnescapeDouble(text))
			} else {
				plain, _ := shell.Unquoted(text)
				both(plain)
			}
		case *syntax.SglQuoted:
			switch {
			case part.Dollar && len(text) >= 3:
				both(unescapeC(text[2 : len(text)-1]))
			case len(text) >= 2:
				both(text[1 : len(text)-1])
			}
		case *syntax.DblQuoted:
			v.parts(part.Parts, true, t, b, script)
		case *syntax.ParamExp:
			v.param(part, text, t, b, script)
		case *syntax.CmdSubst:
			v.substitution(part.Stmts, text, t, b, script)
		case *syntax.ProcSubst:
			t.Known = false
			t.inner = append(t.inner, v.stmts(part.Stmts)...)
			b.WriteString(text)
		default:
			t.Known = false
			t.inner = append(t.inner, v.substitutions(part)...)
			both(text)
		}
	}
}

func (v *analyzer) param(p *syntax.ParamExp, text string, t *Term, b, script *strings.Builder) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	plain := p.Index == nil && !p.Length && !p.Excl && p.Slice == nil && p.Repl == nil && p.Exp == nil || p.Index != nil && p.Slice == nil && p.Exp == nil
	value, ok := v.vars[name]
	switch {
	case ok && plain:
		t.inner = append(t.inner, value.inner...)
		t.how = append(t.how, value.how...)
		if value.ok && *v.spent < maxDecodedAll {
			*v.spent += len(value.text)
			b.WriteString(value.text)
			script.WriteString(value.text)
			return
		}
		if value.alias && *v.spent < maxDecodedAll {
			*v.spent += len(value.text)
			t.Known = false
			b.WriteString(value.text)
			script.WriteString(value.text)
			return
		}
	case name == "IFS" && plain:
		b.WriteString(" ")
		script.WriteString(" ")
		return
	case !ok && p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		def := v.term(p.Exp.Word)
		if def.Known && def.Text != "" {
			t.Known = false
			b.WriteString(def.Text)
			script.WriteString(def.Text)
			return
		}
	}
	t.Known = false
	t.inner = append(t.inner, v.substitutions(p)...)
	b.WriteString(text)
	script.WriteString(text)
}

// substitution analyzes $(…). Where its output is known, it is what the word says.
func (v *analyzer) substitution(list []*syntax.Stmt, text string, t *Term, b, script *strings.Builder) {
	inner := v.stmts(list)
	t.inner = append(t.inner, inner...)
	if len(inner) == 1 {
		if value := v.output(inner[0], 0); value.ok {
			plain := strings.TrimRight(value.text, "\n")
			t.how = append(t.how, value.how...)
			script.WriteString(plain)
			if len(value.how) == 0 {
				b.WriteString(plain)
				return
			}
			t.Known = false
			b.WriteString(text)
			return
		}
	}
	t.Known = false
	b.WriteString(text)
}

// unescapeC undoes the escapes of $'…', echo -e and printf.
func unescapeC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n := 0
			for n < most && i+1+n < len(s) && isHex(s[i+1+n]) {
				n++
			}
			value, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32)
			if err != nil {
				b.WriteByte(c)
				continue
			}
			i += n
			if c == 'x' {
				b.WriteByte(byte(value))
			} else {
				b.WriteRune(rune(value))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := 1
			for n < 3+btoi(c == '0') && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
				n++
			}
			value, _ := strconv.ParseUint(s[i:i+n], 8, 16)
			b.WriteByte(byte(value))
			i += n - 1
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// inWord makes an analyzer for the text in a word.
func (v *analyzer) inWord(t Term, outer int, packed []string) *analyzer {
	x := &analyzer{out: v.out, depth: v.depth + 1, outer: outer, spent: v.spent, look: v.look}
	x.packed = append(v.packed[:len(v.packed):len(v.packed)], packed...)
	span := t.Span
	x.at = func(int, int) diag.Span { return span }
	if len(t.Written) == len(t.script)+2 && t.Written[1:len(t.Written)-1] == t.script && span.End-span.Start == len(t.Written) {
		x.at = func(from, to int) diag.Span {
			return diag.Span{Start: span.Start + 1 + from, End: span.Start + 1 + to}
		}
	}
	return x
}
