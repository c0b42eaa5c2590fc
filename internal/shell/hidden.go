package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// visible returns the words of the first command that the host finds in a line with a pipe (Claude
// Code 2.1.329, case a22). It returns false if there is none or the line is not valid shell.
func (l line) visible() ([]string, bool) {
	var found *syntax.Stmt
	failCommand := false
	// Do not break out of the loop: StmtsSeq of mvdan.cc/sh v3.14.1 continues after a break if a
	// here-document is not closed, and panics.
	for stmt, err := range NewParser().StmtsSeq(strings.NewReader(l.parsed)) {
		failCommand = failCommand || err != nil
		if found == nil && !failCommand {
			found = visibleCommand(stmt)
		}
	}
	if found == nil {
		return nil, false
	}
	return l.args(found), true
}

// visibleCommand returns the first simple command of a statement. The host finds no commands in a
// pipeline whose last command has a redirection, so the search continues after it.
func visibleCommand(stmt *syntax.Stmt) *syntax.Stmt {
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			return stmt
		}
	case *syntax.BinaryCmd:
		if pipe := cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll; pipe && len(cmd.Y.Redirs) > 0 {
			return nil
		}
		if found := visibleCommand(cmd.X); found != nil {
			return found
		}
		return visibleCommand(cmd.Y)
	}
	return nil
}

// args returns the words of a simple command up to its first redirection.
func (l line) args(stmt *syntax.Stmt) []string {
	var words []string
	for _, w := range stmt.Cmd.(*syntax.CallExpr).Args {
		if len(stmt.Redirs) > 0 && w.Pos().After(stmt.Redirs[0].Pos()) {
			break
		}
		text, whole := l.text(w)
		if text != "" || whole {
			words = append(words, text)
		}
		if !whole {
			break
		}
	}
	return words
}
