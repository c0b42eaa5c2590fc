package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on the growth of a script's data. The interpreter has no such limits, so this package
// enforces them.
const (
	// maxValue is the maximum size in bytes of a variable's value. The words in one command may
	// take twice as much.
	maxValue = 8 << 20
	// maxOutputs is the maximum total output in bytes of all command substitutions in a run.
	maxOutputs = 1 << 20
	// maxPatterns is the maximum total length, in bytes, of the paths that are read to expand a
	// run's glob patterns. It is twice Linux's limit for a program's arguments.
	maxPatterns = 4 << 20
	// maxCommands is the maximum number of simple commands. maxPipes is the
	// maximum number of commands that run concurrently in a pipeline.
	maxCommands = 128
	maxPipes    = 12
)

// growth computes upper bounds on the lengths of a script's variables. The bounds apply at the
// point in the script that the analysis has reached.
type growth struct {
	lengths map[string]int
	loops   int
}

// length returns an upper bound on the length of a word after expansion, and the number of
// variables that the word uses.
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

// assign records an assignment. It returns a description of any problem with it, or "".
func (g *growth) assign(name string, value *syntax.Word) string {
	bytes, uses := g.length(value)
	if g.loops > 0 && uses > 1 {
		// Each iteration could double the value.
		return "a loop assignment that combines several variables"
	}
	if bytes > maxValue {
		return fmt.Sprintf("a value that could grow beyond %d bytes", maxValue)
	}
	if g.loops > 0 && uses > 0 {
		// The value may grow in each iteration.
		bytes = maxValue
	}
	g.lengths[name] = max(g.lengths[name], bytes)
	return ""
}

// width returns how many commands in a statement run concurrently.
func width(s *syntax.Stmt) int {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return width(c.X) + width(c.Y)
		}
		return max(width(c.X), width(c.Y))
	case *syntax.Block:
		return maxWidth(c.Stmts)
	case *syntax.Subshell:
		return maxWidth(c.Stmts)
	case *syntax.ForClause:
		return maxWidth(c.Do)
	case *syntax.IfClause:
		n := max(maxWidth(c.Cond), maxWidth(c.Then))
		for c = c.Else; c != nil; c = c.Else {
			n = max(n, maxWidth(c.Cond), maxWidth(c.Then))
		}
		return n
	}
	return 1
}

func maxWidth(list []*syntax.Stmt) int {
	n := 1
	for _, s := range list {
		n = max(n, width(s))
	}
	return n
}
