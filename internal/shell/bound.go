package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// The limits of what a script can make grow. They are judged on its text, since
// the interpreter has none.
const (
	// maxValue bounds the value of a variable and the words of one command, in
	// bytes.
	maxValue = 8 << 20
	// maxOutputs is the output of all substitutions of one run together.
	maxOutputs = 1 << 20
	// maxPatterns is the length of all paths that the patterns of one run look at,
	// in bytes: twice what Linux takes as the arguments of a program.
	maxPatterns = 4 << 20
	// maxCommands is the number of simple commands, maxPipes that of
	// commands that run at once in a pipeline.
	maxCommands = 128
	maxPipes    = 12
)

// growth bounds the lengths of the values that a script gives to variables. It
// is an upper bound: a name has the length of the longest value that it may
// have at the place where it is used.
type growth struct {
	lengths map[string]int
	loops   int
}

// length returns a bound for the length of a word, and how often the word uses
// variables that the script sets.
func (g *growth) length(w *syntax.Word) (bytes, uses int) {
	if w == nil {
		return 0, 0
	}
	for _, p := range w.Parts {
		n, u := g.part(p)
		bytes, uses = bytes+n, uses+u
	}
	return bytes, uses
}

func (g *growth) part(p syntax.WordPart) (bytes, uses int) {
	switch p := p.(type) {
	case *syntax.Lit:
		return len(p.Value), 0
	case *syntax.SglQuoted:
		return len(p.Value), 0
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			n, u := g.part(inner)
			bytes, uses = bytes+n, uses+u
		}
		return bytes, uses
	case *syntax.ParamExp:
		if p.Param == nil {
			return 0, 0
		}
		return g.lengths[p.Param.Value], 1
	case *syntax.CmdSubst:
		return maxOutputs, 0
	}
	return 0, 0
}

// assign takes account of a value and returns what is wrong with it.
func (g *growth) assign(name string, value *syntax.Word) string {
	bytes, uses := g.length(value)
	if g.loops > 0 && uses > 1 {
		// Each turn could double it.
		return "a value in a loop that is made of several variables"
	}
	if bytes > maxValue {
		return fmt.Sprintf("a value that could grow beyond %d bytes", maxValue)
	}
	if g.loops > 0 && uses > 0 {
		// It may grow in each turn.
		bytes = maxValue
	}
	g.lengths[name] = max(g.lengths[name], bytes)
	return ""
}

// width is the number of commands of a statement that run at once.
func width(s *syntax.Stmt) int {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return width(c.X) + width(c.Y)
		}
		return max(width(c.X), width(c.Y))
	case *syntax.Block:
		return widest(c.Stmts)
	case *syntax.Subshell:
		return widest(c.Stmts)
	case *syntax.ForClause:
		return widest(c.Do)
	case *syntax.IfClause:
		n := max(widest(c.Cond), widest(c.Then))
		for c = c.Else; c != nil; c = c.Else {
			n = max(n, widest(c.Cond), widest(c.Then))
		}
		return n
	}
	return 1
}

func widest(list []*syntax.Stmt) int {
	n := 1
	for _, s := range list {
		n = max(n, width(s))
	}
	return n
}
