package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/diag"
)

// Script limits.
const (
	// MaxScript is the maximum length of a script's text in bytes.
	MaxScript = 16 << 10
	// maxNesting is the maximum nesting depth of commands.
	maxNesting = 16
)

// Binding is a value to insert at a position in a script's text. The value is not known to the
// script's author. It becomes a literal part of the surrounding word: regardless of its content and
// the quotes around it, it is never parsed, split or expanded.
type Binding struct {
	Span  diag.Span
	Value string
	// Argument reports whether the value is an argument that a user or model passed. If not, the
	// value depends only on where the definition is located.
	Argument bool
	// Missing is set if the binding has no value. Nothing is then inserted, and an unquoted word
	// without other text is removed, as with an unset variable in a shell. Inside single quotes,
	// the placeholder stays as written, because it was not meant for the shell.
	Missing bool
}

// Script is a parsed shell script. Only a subset of the language is supported: Unsupported lists
// the constructs in the script that are not in this subset, and Run refuses a script that has any.
type Script struct {
	// Text is the script as written.
	Text string
	// Commands lists the simple commands in source order, including commands in substitutions.
	Commands []Command
	// OtherWords lists words that are not in commands: variable values and loop items.
	OtherWords []Word
	// Variables lists the uses of variables that the script does not set.
	Variables []Variable
	// Unsupported lists the constructs that are not in the supported subset.
	Unsupported []Construct

	file *syntax.File
	last []string
}

// Command is a simple command.
type Command struct {
	// Words holds the command name and operands. A command without words sets variables.
	Words []Word
	// Inputs lists the files in the command's input redirections.
	Inputs []Word
	// Span is the command's position in the text.
	Span diag.Span
}

// Word describes what is known about a word before its command runs.
type Word struct {
	// Text is the word's value if Known is set. Otherwise, it is only the part of the value that is
	// known.
	Text string
	// Known is false if the word contains an expansion or a glob pattern.
	Known bool
	// Bound reports whether part of the word comes from an argument that a user or model passed.
	Bound bool
	// Span is the word's position in the text.
	Span diag.Span
}

// Variable is a use of a variable.
type Variable struct {
	Name string
	Span diag.Span
}

// Construct is an unsupported part of the shell language.
type Construct struct {
	// What describes the construct for the user.
	What string
	// Redirect reports whether the construct is a redirection.
	Redirect bool
	Span     diag.Span
}

// SyntaxError is a syntax error in a shell script. Offset is in bytes.
type SyntaxError struct {
	Offset  int
	Message string
}

func (e *SyntaxError) Error() string { return e.Message }

// Parse parses a Bash script. Bindings must be in source order and must not overlap. The structure
// of the result does not depend on their values. The error is a *SyntaxError unless text exceeds a
// limit.
func Parse(text string, bindings []Binding) (*Script, error) {
	if len(text) > MaxScript {
		return nil, fmt.Errorf("the command is longer than %d bytes", MaxScript)
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("the command has more than %d brackets", MaxBrackets)
	}
	if len(bindings) > maxBindings {
		return nil, fmt.Errorf("the command contains more than %d argument placeholders", maxBindings)
	}
	m := newMarked(text, bindings)
	file, err := parseFile(m.text)
	if err != nil {
		return nil, m.syntaxError(err)
	}
	s := &Script{Text: text, file: file}
	r := reader{script: s, marked: m, set: map[string]bool{}, growth: growth{lengths: map[string]int{}}}
	r.assignments(file)
	if maxWidth(file.Stmts) > maxPipes {
		r.unsupportedAt(diag.Span{End: len(text)}, fmt.Sprintf("a pipeline of more than %d commands", maxPipes))
	}
	r.stmts(file.Stmts, 0)
	if len(s.Commands) > maxCommands {
		r.unsupportedAt(diag.Span{End: len(text)}, fmt.Sprintf("a script of more than %d commands", maxCommands))
	}
	if n := len(file.Stmts); n > 0 {
		s.last = r.tail(file.Stmts[n-1])
	}
	return s, nil
}

// parseFile parses a complete script. A construct that is still open at the end, such as a
// here-document, is an error.
func parseFile(text string) (*syntax.File, error) {
	return NewParser().Parse(strings.NewReader(text), "")
}

// LastCommand returns the known leading words of the command that determines
// the script's exit code, or nil.
func (s *Script) LastCommand() []string { return s.last }

// reader walks a parsed script. It collects what the caller must check, and inserts the bindings'
// values.
type reader struct {
	script *Script
	marked *marked
	// set holds the names of variables that the script sets.
	set    map[string]bool
	growth growth
}

func (r *reader) unsupported(node syntax.Node, what string) {
	r.unsupportedAt(r.marked.span(node), what)
}

func (r *reader) unsupportedAt(span diag.Span, what string) {
	r.script.Unsupported = append(r.script.Unsupported, Construct{What: what, Span: span})
}

// assignments collects the names of variables that the script sets.
func (r *reader) assignments(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for _, a := range n.Assigns {
				if a.Name != nil && len(n.Args) == 0 {
					r.set[a.Name.Value] = true
				}
			}
		case *syntax.WordIter:
			if n.Name != nil {
				r.set[n.Name.Value] = true
			}
		}
		return true
	})
}

func (r *reader) stmts(list []*syntax.Stmt, depth int) {
	for _, s := range list {
		r.stmt(s, depth)
	}
}

func (r *reader) stmt(s *syntax.Stmt, depth int) {
	span := r.marked.span(s)
	switch {
	case depth > maxNesting:
		r.unsupportedAt(span, "deep nesting of commands")
		return
	case s.Background, s.Coprocess, s.Disown:
		r.unsupportedAt(span, "a background command (&)")
	case s.Cmd == nil:
		r.unsupportedAt(span, "a redirection without a command")
	}
	inputs := r.redirects(s.Redirs)
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(c, inputs, depth)
		return
	case *syntax.BinaryCmd:
		r.stmt(c.X, depth)
		r.stmt(c.Y, depth+1)
	case *syntax.Block:
		r.stmts(c.Stmts, depth+1)
	case *syntax.Subshell:
		r.stmts(c.Stmts, depth+1)
	case *syntax.IfClause:
		r.conditional(c, depth+1)
	case *syntax.ForClause:
		r.loop(c, depth+1)
	default:
		r.unsupportedAt(span, construct(s.Cmd))
	}
	if len(inputs) > 0 {
		r.unsupportedAt(span, "an input redirection for a compound command")
	}
}

// construct describes an unsupported compound command.
func construct(c syntax.Command) string {
	switch c.(type) {
	case *syntax.WhileClause:
		return "a while loop"
	case *syntax.CaseClause:
		return "a case command"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.ArithmCmd, *syntax.LetClause:
		return "arithmetic"
	case *syntax.TestClause:
		return "a [[ ]] test (use [ ] instead)"
	case *syntax.DeclClause:
		return "a declaration"
	case *syntax.TimeClause:
		return "the time keyword"
	case *syntax.CoprocClause:
		return "a coprocess"
	}
	return "this shell construct"
}

func (r *reader) conditional(c *syntax.IfClause, depth int) {
	r.stmts(c.Cond, depth)
	r.stmts(c.Then, depth)
	if c.Else == nil {
		return
	}
	if depth > maxNesting {
		r.unsupported(c, "deep nesting of commands")
		return
	}
	r.conditional(c.Else, depth+1)
}

func (r *reader) loop(c *syntax.ForClause, depth int) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !iter.InPos.IsValid() {
		r.unsupported(c, "a loop other than \"for NAME in WORDS\"")
		return
	}
	r.name(iter.Name)
	items := iter.Items
	iter.Items = nil
	for _, w := range items {
		r.script.OtherWords = append(r.script.OtherWords, r.word(w, depth))
		if len(w.Parts) == 0 {
			continue
		}
		iter.Items = append(iter.Items, w)
		if wrong := r.growth.assign(iter.Name.Value, w); wrong != "" {
			r.unsupported(iter.Name, wrong)
		}
	}
	r.growth.loops++
	r.stmts(c.Do, depth)
	r.growth.loops--
}

// name checks the name of a variable that the script sets.
func (r *reader) name(lit *syntax.Lit) {
	if r.marked.has(lit.Value) {
		r.unsupported(lit, "an argument used as a variable name")
	}
	if reserved(lit.Value) {
		r.unsupported(lit, "changing the variable "+lit.Value)
	}
}

// reserved reports whether a variable affects the interpreter or the programs that it runs.
func reserved(name string) bool {
	switch name {
	case "IFS", "PATH", "HOME", "PWD", "OLDPWD", "UID", "EUID", "GID", "PPID", "OPTIND", "OPTARG", "OPTERR",
		"DIRSTACK", "RANDOM", "SRANDOM", "LINENO", "SHELLOPTS", "BASHOPTS", "ENV", "TMPDIR", "CDPATH", "GLOBIGNORE", "PS1", "PS4", "REPLY", "FUNCNAME":
		return true
	}
	for _, prefix := range []string{"BASH", "LD_", "DYLD_", "GIT_", "LC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func (r *reader) call(c *syntax.CallExpr, inputs []Word, depth int) {
	command := Command{Span: r.marked.span(c), Inputs: inputs}
	for _, a := range c.Assigns {
		r.assign(a, c, depth)
	}
	args := c.Args
	c.Args = nil
	bytes := 0
	for i, w := range args {
		word := r.word(w, depth)
		if len(w.Parts) == 0 {
			// The word consists only of a placeholder without a value, so the shell would drop it.
			if i == 0 {
				r.unsupportedAt(word.Span, "an argument used as a command name")
			}
			continue
		}
		c.Args = append(c.Args, w)
		command.Words = append(command.Words, word)
		n, _ := r.growth.length(w)
		bytes += n
	}
	if bytes > 2*maxValue {
		r.unsupportedAt(command.Span, fmt.Sprintf("a command that could exceed %d bytes", 2*maxValue))
	}
	if len(args) == 0 && len(inputs) > 0 {
		r.unsupported(c, "a redirection without a command")
	}
	r.script.Commands = append(r.script.Commands, command)
}

func (r *reader) assign(a *syntax.Assign, c *syntax.CallExpr, depth int) {
	switch {
	case len(c.Args) > 0:
		r.unsupported(a, "a variable assignment before a command")
	case a.Name == nil || a.Naked || a.Append || a.Index != nil || a.Array != nil:
		r.unsupported(a, "an assignment other than name=value")
	default:
		r.name(a.Name)
		if a.Value == nil {
			return
		}
		r.script.OtherWords = append(r.script.OtherWords, r.word(a.Value, depth))
		if wrong := r.growth.assign(a.Name.Value, a.Value); wrong != "" {
			r.unsupportedAt(r.marked.span(a.Name), wrong)
		}
	}
}

// redirects checks a statement's redirections and returns the files that are read.
func (r *reader) redirects(list []*syntax.Redirect) (inputs []Word) {
	for _, rd := range list {
		fd := ""
		if rd.N != nil {
			fd = rd.N.Value
		}
		// Get the position first, because r.word discards the positions of the word's parts.
		span := r.marked.span(rd)
		var target Word
		if rd.Word != nil {
			target = r.word(rd.Word, maxNesting)
		}
		switch {
		case rd.Op == syntax.RdrIn && (fd == "" || fd == "0") && rd.Word != nil && len(rd.Word.Parts) > 0:
			inputs = append(inputs, target)
		case silencing(rd.Op, fd, target):
		default:
			r.script.Unsupported = append(r.script.Unsupported, Construct{
				What: "the redirection " + r.marked.original[span.Start:span.End], Redirect: true, Span: span,
			})
		}
	}
	return inputs
}

// silencing reports whether a redirection only discards stdout or stderr, or merges them.
func silencing(op syntax.RedirOperator, fd string, target Word) bool {
	if !target.Known || target.Bound || fd != "" && fd != "1" && fd != "2" {
		return false
	}
	switch op {
	case syntax.RdrOut, syntax.AppOut:
		return target.Text == "/dev/null"
	case syntax.RdrAll, syntax.AppAll:
		return target.Text == "/dev/null" && fd == ""
	case syntax.DplOut:
		return target.Text == "1" || target.Text == "2"
	}
	return false
}

// tail returns the known leading words of the command that determines a statement's exit code.
func (r *reader) tail(s *syntax.Stmt) []string {
	for range maxNesting {
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			s = c.Y
		case *syntax.CallExpr:
			var words []string
			for _, w := range c.Args {
				lit := w.Lit()
				if lit == "" {
					break
				}
				words = append(words, lit)
			}
			return words
		default:
			return nil
		}
	}
	return nil
}
