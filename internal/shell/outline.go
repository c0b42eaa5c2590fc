package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// CommandList is what a shell text consists of, for one who judges it by its words
// without running it.
type CommandList struct {
	// Commands are the simple commands in the order of the text. Those within a
	// substitution are not among them.
	Commands []Simple
	// Opaque are the parts whose value or effect only shows when the text runs,
	// in the order of the text.
	Opaque []Opaque
}

// Simple is one simple command, or, where it has only Redirects, those of a
// group of commands.
type Simple struct {
	// Text is the command as it was written, without its redirections.
	Text string
	// Assigns are the variables that are set for it.
	Assigns []Assignment
	// Words are its name and what follows.
	Words []RawWord
	// Redirects are the files that it is joined to. Those that join two of its
	// own streams are not among them.
	Redirects []Redirect
}

// Assignment is a variable that is set, and the text that sets it.
type Assignment struct{ Name, Text string }

// RawWord is a word as it was Written, and what it says.
type RawWord struct {
	Raw, Text string
	// Pattern: it stands for names of files.
	Pattern bool
}

// Redirect is a file that a stream is joined to.
type Redirect struct {
	File RawWord
	// Writes: the file is written, or may be.
	Writes bool
}

// Opaque is the kind of a part that can not be judged by its text.
type Opaque uint8

// The kinds of Opaque: $NAME; ${NAME} with whatever stands in the braces; $(…)
// and `…`; and everything else that is neither a word nor a list, pipe,
// condition or loop of simple commands.
const (
	OpaqueVariable Opaque = iota + 1
	OpaqueBraces
	OpaqueSubstitution
	OpaqueOther
)

// maxOutline is the length in bytes of the longest text that has an Outline.
const maxOutline = 64 << 10

// ListCommands parses a text by the rules of Bash. The error is a *SyntaxError; it
// is one as well where the text is longer than 64 KiB or has more than 500
// brackets.
func ListCommands(text string) (*CommandList, error) {
	if len(text) > maxOutline {
		return nil, &SyntaxError{Offset: maxOutline, Message: fmt.Sprintf("the command is longer than %d bytes", maxOutline)}
	}
	if tooDeep(text) {
		return nil, &SyntaxError{Message: fmt.Sprintf("the command has more than %d brackets", MaxBrackets)}
	}
	// The parser passes over some bytes, which would move the places; a carriage
	// return is a character like any other for Bash.
	file, err := parseFile(Parsable(strings.ReplaceAll(text, "\r", "x")))
	if err != nil {
		return nil, newMarked(text, nil).syntaxError(err)
	}
	o := outliner{text: text}
	syntax.Walk(file, o.visit)
	return &o.CommandList, nil
}

type outliner struct {
	CommandList
	text string
}

func (o *outliner) opaque(kind Opaque) bool {
	o.Opaque = append(o.Opaque, kind)
	return false
}

// visit takes what is of interest from a node, and reports whether to go on
// into it.
func (o *outliner) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		o.stmt(n)
		return !n.Coprocess && !n.Disown
	case *syntax.ParamExp:
		if n.Short {
			return o.opaque(OpaqueVariable)
		}
		return o.opaque(OpaqueBraces)
	case *syntax.CmdSubst:
		return o.opaque(OpaqueSubstitution)
	case *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause,
		*syntax.FuncDecl, *syntax.TestClause, *syntax.CoprocClause, *syntax.CStyleLoop, *syntax.ArrayExpr, *syntax.TestDecl:
		return o.opaque(OpaqueOther)
	case *syntax.SglQuoted:
		if n.Dollar {
			return o.opaque(OpaqueOther)
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return o.opaque(OpaqueOther)
		}
	case *syntax.Word:
		if braced(n) {
			return o.opaque(OpaqueOther)
		}
	case *syntax.Redirect:
		if n.Hdoc != nil || n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			return o.opaque(OpaqueOther)
		}
	}
	return true
}

// stmt adds the simple command of a statement, or the redirections of another
// one.
func (o *outliner) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		o.opaque(OpaqueOther)
		return
	}
	var c Simple
	for _, r := range s.Redirs {
		o.redirect(&c, r)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok && len(c.Redirects) == 0 {
		return
	}
	if ok {
		o.call(&c, call)
	}
	o.Commands = append(o.Commands, c)
}

func (o *outliner) call(c *Simple, call *syntax.CallExpr) {
	var parts []string
	last, gap := 0, false
	add := func(n syntax.Node) string {
		text := o.written(n)
		if len(parts) > 0 && strings.Trim(o.text[last:offset(n.Pos())], " \t") != "" {
			gap = true
		}
		parts, last = append(parts, text), offset(n.End())
		return text
	}
	for _, a := range call.Assigns {
		name := ""
		if a.Name != nil && !a.Append && a.Index == nil && a.Array == nil {
			name = a.Name.Value
		}
		c.Assigns = append(c.Assigns, Assignment{Name: name, Text: add(a)})
	}
	for _, w := range call.Args {
		add(w)
		c.Words = append(c.Words, o.plain(w))
	}
	if c.Text = o.written(call); gap {
		// A redirection or a broken line stands between the words.
		c.Text = strings.Join(parts, " ")
	}
}

func (o *outliner) redirect(c *Simple, r *syntax.Redirect) {
	if r.Word == nil || r.Hdoc != nil || r.Op == syntax.WordHdoc {
		return
	}
	file := o.plain(r.Word)
	switch r.Op {
	case syntax.RdrIn:
		c.Redirects = append(c.Redirects, Redirect{File: file})
	case syntax.DplIn, syntax.DplOut:
		if strings.Trim(file.Text, "0123456789-") != "" || file.Text == "" {
			c.Redirects = append(c.Redirects, Redirect{File: file, Writes: true})
		}
	default:
		c.Redirects = append(c.Redirects, Redirect{File: file, Writes: true})
	}
}

// written returns the text of a node.
func (o *outliner) written(n syntax.Node) string {
	from, to := offset(n.Pos()), min(offset(n.End()), len(o.text))
	return o.text[min(from, to):to]
}

// plain returns a word without its quotes. What is opaque in it stays as it is
// written.
func (o *outliner) plain(w *syntax.Word) RawWord {
	p := RawWord{Raw: o.written(w)}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text, glob := Unquoted(o.written(part))
			p.Pattern = p.Pattern || glob && p.Raw != "["
			b.WriteString(text)
		case *syntax.SglQuoted:
			text := o.written(part)
			if !part.Dollar {
				text = text[1 : len(text)-1]
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			o.doubleQuoted(&b, part)
		case *syntax.ExtGlob:
			p.Pattern = true
			b.WriteString(o.written(part))
		default:
			b.WriteString(o.written(part))
		}
	}
	p.Text = b.String()
	return p
}

func (o *outliner) doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		text := o.written(part)
		if _, ok := part.(*syntax.Lit); ok {
			text = UnescapeDouble(text)
		}
		b.WriteString(text)
	}
}
