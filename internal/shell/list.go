package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// CommandList describes a script's structure, so that its words can be analyzed without running it.
type CommandList struct {
	// Commands lists the simple commands in source order, except those inside opaque parts.
	Commands []Simple
	// Opaque lists, in source order, the parts of the script whose value or effect is known only
	// when the script runs.
	Opaque []Opaque
	// Background reports whether a command runs in the background.
	Background bool
}

// Simple is a simple command. If only Redirects is set, the redirections apply to a compound
// command or stand alone.
type Simple struct {
	// Text is the command as written, without redirections.
	Text string
	// Assigns lists the variables set for the command.
	Assigns []Assignment
	// Words holds the command name and arguments.
	Words []RawWord
	// Redirects lists the redirections from and to files. It omits redirections between the
	// command's own streams.
	Redirects []Redirect
}

// Assignment is a variable assignment as written. Name is empty unless the form is NAME=value.
type Assignment struct{ Name, Text string }

// RawWord is a word, both as written (Raw) and without quotes (Text).
type RawWord struct {
	Raw, Text string
	// Pattern reports whether the word is a glob pattern.
	Pattern bool
}

// Redirect is a redirection of a stream to or from a file.
type Redirect struct {
	File RawWord
	// Writes reports whether the file is, or may be, written.
	Writes bool
}

// Opaque is a part of a script whose effect cannot be determined without running it.
type Opaque struct {
	Kind OpaqueKind
	Text string
}

// OpaqueKind is a kind of [Opaque].
type OpaqueKind uint8

// Kinds of opaque parts.
const (
	// OpaqueOther is any opaque construct without a more specific kind. Ordinary words are not
	// opaque, nor are lists, pipelines, conditions and loops that consist of simple commands.
	OpaqueOther            OpaqueKind = iota
	OpaqueVariable                    // $NAME
	OpaqueBraces                      // ${…}
	OpaqueSubstitution                // $(…) and `…`
	OpaqueQuoted                      // a string that starts with a substitution or arithmetic
	OpaqueProcess                     // <(…)
	OpaqueArithmetic                  // a name in $((…)); Text is the name
	OpaqueEscapes                     // $'…'
	OpaqueBraceList                   // {a,b}
	OpaqueHeredoc                     // a here-document that is expanded
	OpaqueGroup                       // {…;} and ((…))
	OpaqueSubshell                    // (…) with one pipeline or and-or list
	OpaqueSubshellCommands            // (…) with several commands
	OpaqueFunction
	OpaqueCountingLoop
	OpaqueCase
	OpaqueSelect
	OpaqueList        // NAME=(…)
	OpaqueAssignment  // a command that only sets a variable
	OpaqueAssignments // a command that only sets variables
)

// maxList is the maximum length in bytes of the text passed to ListCommands.
const maxList = 64 << 10

// ListCommands parses text as Bash. The error is a *SyntaxError. Text that is longer than 64 KiB or
// has more than 500 brackets is also an error.
func ListCommands(text string) (*CommandList, error) {
	if len(text) > maxList {
		return nil, &SyntaxError{Offset: maxList, Message: fmt.Sprintf("the command is longer than %d bytes", maxList)}
	}
	if tooDeep(text) {
		return nil, &SyntaxError{Message: fmt.Sprintf("the command has more than %d brackets", MaxBrackets)}
	}
	// The parser skips some bytes, which would shift offsets. Bash treats a
	// carriage return as an ordinary character.
	file, err := parseFile(Parsable(strings.ReplaceAll(text, "\r", "x")))
	if err != nil {
		return nil, newMarked(text, nil).syntaxError(err)
	}
	o := commandLister{text: text, inText: map[*syntax.CmdSubst]bool{}}
	syntax.Walk(file, o.visit)
	return &o.CommandList, nil
}

type commandLister struct {
	CommandList
	text string
	// inText holds the substitutions in double-quoted strings that come after other text. They do
	// not make the string opaque, and their commands are listed.
	inText map[*syntax.CmdSubst]bool
	// timed reports whether the time keyword precedes the next command, in which case "time"
	// becomes the command's first word.
	timed bool
}

func (o *commandLister) opaque(kind OpaqueKind, n syntax.Node) bool {
	o.Opaque = append(o.Opaque, Opaque{Kind: kind, Text: o.source(n)})
	return false
}

// visit records what is relevant in a node. It reports whether to visit the node's children.
func (o *commandLister) visit(n syntax.Node) bool {
	kind := OpaqueOther
	switch n := n.(type) {
	case *syntax.Stmt:
		o.stmt(n)
		return true
	case *syntax.ParamExp:
		if kind = OpaqueBraces; n.Short {
			kind = OpaqueVariable
		}
	case *syntax.CmdSubst:
		if o.inText[n] {
			return true
		}
		kind = OpaqueSubstitution
	case *syntax.ProcSubst:
		kind = OpaqueProcess
	case *syntax.ArithmExp:
		return o.arithmetic(n)
	case *syntax.ArithmCmd, *syntax.Block:
		kind = OpaqueGroup
	case *syntax.Subshell:
		if kind = OpaqueSubshell; len(n.Stmts) > 1 {
			kind = OpaqueSubshellCommands
		}
	case *syntax.FuncDecl:
		kind = OpaqueFunction
	case *syntax.CStyleLoop:
		kind = OpaqueCountingLoop
	case *syntax.CaseClause:
		kind = OpaqueCase
	case *syntax.ArrayExpr:
		kind = OpaqueList
	case *syntax.TimeClause:
		o.timed = true
		return true
	case *syntax.DeclClause, *syntax.TestDecl:
	default:
		return o.visitText(n)
	}
	return o.opaque(kind, n)
}

// visitText handles nodes that are opaque only in some forms. It is called by visit.
func (o *commandLister) visitText(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ForClause:
		if n.Select {
			return o.opaque(OpaqueSelect, n)
		}
	case *syntax.SglQuoted:
		if n.Dollar {
			return o.opaque(OpaqueEscapes, n)
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return o.opaque(OpaqueOther, n)
		}
		return o.quoted(n)
	case *syntax.Word:
		if braced(n) {
			return o.opaque(OpaqueBraceList, n)
		}
	case *syntax.Redirect:
		switch {
		case n.N != nil && strings.HasPrefix(n.N.Value, "{"):
			return o.opaque(OpaqueOther, n)
		case n.Hdoc != nil && !strings.ContainsAny(o.source(n.Word), `'"\`):
			return o.opaque(OpaqueHeredoc, n)
		case n.Hdoc != nil:
			return false
		}
	}
	return true
}

// quoted visits a double-quoted string. If the string starts with a substitution or an arithmetic
// expression, the whole string is opaque.
func (o *commandLister) quoted(q *syntax.DblQuoted) bool {
	for i, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.CmdSubst:
			if i == 0 {
				return o.opaque(OpaqueQuoted, q)
			}
			o.inText[part] = true
		case *syntax.ArithmExp:
			if i == 0 {
				return o.opaque(OpaqueQuoted, q)
			}
		}
	}
	return true
}

// arithmetic visits an arithmetic expression. Its value is known if it contains only numbers.
func (o *commandLister) arithmetic(n *syntax.ArithmExp) bool {
	syntax.Walk(n.X, func(n syntax.Node) bool {
		if lit, ok := n.(*syntax.Lit); ok && strings.Trim(lit.Value, "0123456789") != "" {
			o.opaque(OpaqueArithmetic, lit)
		}
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return o.visit(n)
		}
		return true
	})
	return false
}

// stmt adds a statement's simple command, or the redirections of a compound command.
func (o *commandLister) stmt(s *syntax.Stmt) {
	o.Background = o.Background || s.Background
	if s.Disown {
		o.opaque(OpaqueOther, s)
	}
	var c Simple
	switch s.Cmd.(type) {
	case *syntax.LetClause:
		c.Words = []RawWord{{Raw: "let", Text: "let"}}
	case *syntax.CoprocClause:
		c.Words = []RawWord{{Raw: "coproc", Text: "coproc"}}
	}
	for _, r := range s.Redirs {
		o.redirect(&c, r)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok && len(c.Redirects) == 0 && len(c.Words) == 0 {
		return
	}
	if ok {
		o.call(&c, call)
	}
	o.Commands = append(o.Commands, c)
}

func (o *commandLister) call(c *Simple, call *syntax.CallExpr) {
	var parts []string
	last, gap := 0, false
	add := func(n syntax.Node) string {
		text := o.source(n)
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
	if len(call.Args) == 0 {
		o.assignments(call)
	}
	for _, w := range call.Args {
		add(w)
		c.Words = append(c.Words, o.plain(w))
	}
	if c.Text = o.source(call); gap {
		// A redirection or line continuation interrupts the words, so the source text cannot be
		// used as is.
		c.Text = strings.Join(parts, " ")
	}
	if o.timed {
		c.Words = append([]RawWord{{Raw: "time", Text: "time"}}, c.Words...)
		c.Text, o.timed = "time "+c.Text, false
	}
}

// assignments records a command that only sets variables as opaque.
func (o *commandLister) assignments(call *syntax.CallExpr) {
	kind := OpaqueAssignment
	if len(call.Assigns) > 1 {
		kind = OpaqueAssignments
	}
	for _, a := range call.Assigns {
		if a.Array != nil {
			kind = OpaqueList
		}
		if a.Value != nil {
			for _, part := range a.Value.Parts {
				if _, ok := part.(*syntax.CmdSubst); ok {
					kind = OpaqueOther
				}
			}
		}
	}
	o.opaque(kind, call)
}

func (o *commandLister) redirect(c *Simple, r *syntax.Redirect) {
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

// source returns a node's text.
func (o *commandLister) source(n syntax.Node) string {
	from, to := offset(n.Pos()), min(offset(n.End()), len(o.text))
	return o.text[min(from, to):to]
}

// plain returns a word without quotes. Opaque parts stay as written.
func (o *commandLister) plain(w *syntax.Word) RawWord {
	p := RawWord{Raw: o.source(w)}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text, glob := Unquoted(o.source(part))
			p.Pattern = p.Pattern || glob && p.Raw != "["
			b.WriteString(text)
		case *syntax.SglQuoted:
			text := o.source(part)
			if !part.Dollar {
				text = text[1 : len(text)-1]
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			o.doubleQuoted(&b, part)
		case *syntax.ExtGlob:
			p.Pattern = true
			b.WriteString(o.source(part))
		default:
			b.WriteString(o.source(part))
		}
	}
	p.Text = b.String()
	return p
}

func (o *commandLister) doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		text := o.source(part)
		if _, ok := part.(*syntax.Lit); ok {
			text = UnescapeDouble(text)
		}
		b.WriteString(text)
	}
}
