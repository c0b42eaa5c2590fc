package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word collects the known parts of a word and inserts bound values.
func (r *reader) word(w *syntax.Word, depth int) Word {
	out := Word{Known: true, Span: r.marked.span(w)}
	if len(w.Parts) > 0 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
			r.unsupported(w, "a home directory (~)")
		}
	}
	if braced(w) {
		r.unsupported(w, "a brace expansion")
	}
	missing := false
	var text strings.Builder
	parts := make([]syntax.WordPart, 0, len(w.Parts))
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			value, glob := Unquoted(p.Value)
			// "[" alone is a command, not a pattern.
			glob = glob && w.Lit() != "["
			out.Known = out.Known && !glob
			empty, _ := r.marked.contains(p.Value)
			missing = missing || empty
			parts = append(parts, r.literal(p.Value, false, &out)...)
			text.WriteString(r.marked.values(value, false))
		case *syntax.SglQuoted:
			if p.Dollar {
				r.unsupported(p, "a $'…' string")
			}
			_, argument := r.marked.contains(p.Value)
			out.Bound = out.Bound || argument
			p.Value = r.marked.values(p.Value, true)
			parts = append(parts, p)
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			parts = append(parts, r.doubleQuoted(p, depth, &out, &text)...)
		default:
			out.Known = false
			r.part(p, depth)
			parts = append(parts, p)
		}
	}
	if missing && len(parts) > 0 {
		// Text after an empty binding must not move to the start of the word,
		// where "~" would be special.
		parts = append([]syntax.WordPart{&syntax.SglQuoted{}}, parts...)
	}
	w.Parts = parts
	out.Text = text.String()
	return out
}

// braced reports whether brace expansion would split a word. It uses the expander's own function to
// decide.
func braced(w *syntax.Word) bool {
	split := &syntax.Word{Parts: w.Parts}
	return syntax.SplitBraces(split) && slices.ContainsFunc(split.Parts, func(p syntax.WordPart) bool {
		_, is := p.(*syntax.BraceExp)
		return is
	})
}

// doubleQuoted splits a double-quoted string at its bound values and expansions and returns the
// parts.
func (r *reader) doubleQuoted(q *syntax.DblQuoted, depth int, out *Word, text *strings.Builder) []syntax.WordPart {
	if q.Dollar {
		r.unsupported(q, `a $"…" string`)
	}
	var parts []syntax.WordPart
	for _, p := range q.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			out.Known = false
			r.part(p, depth)
			parts = append(parts, &syntax.DblQuoted{Parts: []syntax.WordPart{p}})
			continue
		}
		parts = append(parts, r.literal(lit.Value, true, out)...)
		text.WriteString(r.marked.values(UnescapeDouble(lit.Value), false))
	}
	if len(parts) == 0 {
		parts = append(parts, &syntax.DblQuoted{})
	}
	return parts
}

// literal splits a literal at its placeholders. It returns a part for each value and for the text
// between values.
func (r *reader) literal(value string, quoted bool, out *Word) []syntax.WordPart {
	var parts []syntax.WordPart
	add := func(text string) {
		if text == "" {
			return
		}
		var p syntax.WordPart = &syntax.Lit{Value: text}
		if quoted {
			p = &syntax.DblQuoted{Parts: []syntax.WordPart{p}}
		}
		parts = append(parts, p)
	}
	for value != "" {
		at, length, b := r.marked.find(value)
		if at < 0 {
			add(value)
			break
		}
		add(value[:at])
		out.Bound = out.Bound || b.Argument
		switch {
		case !b.Missing:
			parts = append(parts, &syntax.SglQuoted{Value: b.Value})
		case quoted || len(parts) > 0 || len(value) > at+length:
			parts = append(parts, &syntax.SglQuoted{})
		}
		value = value[at+length:]
	}
	return parts
}

// part records the variables and commands in an expansion, and reports unsupported expansions.
func (r *reader) part(p syntax.WordPart, depth int) {
	switch p := p.(type) {
	case *syntax.ParamExp:
		r.param(p)
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			r.unsupported(p, "a ${ …; } command substitution")
		}
		if len(p.Stmts) == 0 {
			r.unsupported(p, "an empty command substitution")
		}
		r.stmts(p.Stmts, depth+1)
	case *syntax.ArithmExp:
		r.unsupported(p, "arithmetic")
	case *syntax.ProcSubst:
		r.unsupported(p, "a process substitution")
	case *syntax.ExtGlob:
		r.unsupported(p, "an extended glob")
	default:
		r.unsupported(p, "this shell construct")
	}
}

// param records the variable in a parameter expansion. Only forms without an operator, such as
// $NAME and ${NAME}, are supported.
func (r *reader) param(p *syntax.ParamExp) {
	plain := p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil &&
		p.Index == nil && len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
	switch {
	case !plain:
		r.unsupported(p, "a parameter expansion with an operator")
	case r.marked.has(p.Param.Value):
		r.unsupported(p, "an argument used as a variable name")
	case p.Param.Value == "?" || r.set[p.Param.Value]:
	default:
		r.script.Variables = append(r.script.Variables, Variable{Name: p.Param.Value, Span: r.marked.span(p)})
	}
}

// Unquoted returns the value of an unquoted literal, and whether it is a glob pattern.
func Unquoted(s string) (text string, glob bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				b.WriteByte('\\')
				continue
			}
			if s[i] == '\n' {
				continue
			}
		case '*', '?', '[':
			glob = true
		}
		b.WriteByte(s[i])
	}
	return b.String(), glob
}

// UnescapeDouble returns the value of a double-quoted literal.
func UnescapeDouble(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '\n':
				i++
				continue
			case '\\', '"', '$', '`':
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
