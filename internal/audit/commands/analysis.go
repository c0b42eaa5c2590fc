// Package commands finds the commands in a text: those of a shell, of PowerShell and of
// the prompt of Windows, without running anything.
package commands

import (
	"errors"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/shell"
)

// Analysis is what a text of commands does, as far as it shows without running it.
// Unlike a [shell.Outline] it accepts any text: what is not valid shell is
// taken line by line.
type Analysis struct {
	// Commands are all simple commands: those of pipelines, lists and loops, those
	// in substitutions, those that others run (sudo, sh -c, xargs), and those of
	// texts that could be decoded on their way into a shell.
	Commands []Command
	// Pipes are the pipelines, as indices of commands.
	Pipes [][]int
	// Cut: the text is longer than what is looked at.
	Cut bool
}

// Command is one simple command.
type Command struct {
	// Span is where it stands in the text; what stands in another command's word or
	// came out of an encoding has the span of that word.
	Span diag.Span
	// Text is the command as it is written.
	Text  string
	Words []Term
	// Assigns are the variables that are set for it, NAME=text.
	Assigns []string
	// Redirects are the files that its streams are joined to, Input is text that its
	// standard input is.
	Redirects []shell.Redirected
	Input     string
	// Inner are the commands whose output becomes part of its words.
	Inner []int
	// Outer is the command that runs it as an argument, Wraps the one that it runs
	// with its own streams, From the one whose output it reads; -1 where there is none.
	Outer, Wraps, From int
	// Packed names the encodings that it came out of, the outermost first.
	Packed []string
	// Native: it is of PowerShell or of the prompt of Windows.
	Native bool

	inputHow []string
}

// Term is one word of a command: as it is written, and what it says. What only shows
// when it runs stays in Text as it is written. Known: nothing of it does.
type Term struct {
	Written, Text string
	Known         bool
	Span          diag.Span

	// script is what a shell gets that takes the word as commands, how the encodings
	// that were undone in it.
	script string
	how    []string
	inner  []int
}

// The limits of an analysis.
const (
	maxText       = 2 << 20
	maxCommands   = 20_000
	maxDepth      = 6
	maxChunk      = 16 << 10
	maxRestarts   = 8
	maxDecoded    = 64 << 10
	maxDecodedAll = 1 << 20
)

// Look returns the content of a file that a command names. Script: it is one that is
// looked at by itself.
type Look func(name string) (text string, script, ok bool)

// Analyze analyzes a text by the rules of Bash. What commands read from files is
// followed as far as look knows them; look may be nil.
func Analyze(text string, look Look) *Analysis {
	s := &Analysis{}
	v := analyzer{out: s, spent: new(int), look: look}
	v.whole(text)
	return s
}

// analyzer analyzes one text; those of texts in it share out and spent.
type analyzer struct {
	out *Analysis
	// text has the same length as what it was made of; at turns its offsets into
	// those of the analyzed text.
	text  string
	at    func(from, to int) diag.Span
	base  int
	depth int
	// outer and packed are those of all commands of the text.
	outer  int
	packed []string
	vars   map[string]known
	files  map[string]known
	spent  *int
	look   Look
}

// known is a value that is known without running anything, or the commands that it
// comes from.
type known struct {
	text string
	ok   bool
	// alias: the text stands for others whose values do not show, such as $HOME.
	alias bool
	how   []string
	inner []int
}

func (v *analyzer) whole(text string) {
	if v.at == nil {
		v.at = func(from, to int) diag.Span { return diag.Span{Start: from, End: to} }
		v.outer = -1
	}
	if v.vars == nil {
		v.vars, v.files = map[string]known{}, map[string]known{}
	}
	if len(text) > maxText {
		text = text[:maxText]
		v.out.Cut = true
	}
	for from := 0; from < len(text); {
		to := chunkEnd(text, from)
		v.chunk(text[from:to], from)
		from = to
	}
}

// chunkEnd cuts a long text where a line ends, so that what the parser sees at once
// is bounded in length and brackets.
func chunkEnd(text string, from int) int {
	limit := min(len(text), from+maxChunk)
	brackets, line := 0, from
	for i := from; i < limit; i++ {
		switch text[i] {
		case '(', '{', '[', '`':
			if brackets++; brackets > shell.MaxBrackets {
				if line > from {
					return line
				}
				return i
			}
		case '\n':
			line = i + 1
		}
	}
	if limit < len(text) && line > from {
		return line
	}
	return limit
}

// chunk analyzes a piece of the text. Where the parser stops, the line with the error
// is left to the fallback, and it begins anew behind it.
func (v *analyzer) chunk(text string, base int) {
	v.text, v.base = text, base
	clean := maskPlaceholders(shell.Parsable(text))
	for from, restarts := 0, 0; from < len(clean); restarts++ {
		if restarts == maxRestarts {
			v.fallbackLines(from, len(clean))
			return
		}
		v.base, v.text = base+from, text[from:]
		end, failed := v.statements(clean[from:])
		v.base, v.text = base, text
		if failed < 0 {
			return
		}
		stop := lineEnd(clean, from+max(failed, end))
		v.fallbackLines(from+end, stop)
		from = stop
	}
}

// statements analyzes statements up to the first error. It returns where the last good
// one ends, and where the error is; -1 where there is none.
func (v *analyzer) statements(text string) (end, failed int) {
	failed = -1
	// As in internal/shell/hidden.go, the sequence must not be left early: instead the text ends.
	src := endable{Reader: strings.NewReader(text)}
	for stmt, err := range shell.NewParser().StmtsSeq(&src) {
		switch src.ended = failed >= 0; {
		case src.ended:
		case err != nil:
			failed = end
			var at syntax.ParseError
			if errors.As(err, &at) {
				failed = max(min(offset(at.Pos), len(text)), end)
			}
		default:
			if at := strayQuote(stmt, text); at >= 0 {
				failed, src.ended = max(at, end), true
				continue
			}
			v.stmt(stmt)
			end = min(offset(stmt.End()), len(text))
		}
	}
	return end, failed
}

// endable is a text that may end before it does.
type endable struct {
	*strings.Reader
	ended bool
}

func (r *endable) Read(p []byte) (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	return r.Reader.Read(p)
}

func lineEnd(text string, from int) int {
	if i := strings.IndexByte(text[min(from, len(text)):], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(text)
}

// strayQuote finds an apostrophe that opens a quotation over several lines behind a
// letter, as in "don't": it hides the lines behind it from a parser, not from a
// reader.
func strayQuote(stmt *syntax.Stmt, text string) int {
	if !strings.Contains(text[min(offset(stmt.Pos()), len(text)):min(offset(stmt.End()), len(text))], "'") {
		return -1
	}
	found := -1
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if q, ok := n.(*syntax.SglQuoted); ok && !q.Dollar && found < 0 {
			from, to := offset(q.Pos()), min(offset(q.End()), len(text))
			if from > 0 && from < to && isLetter(text[from-1]) && strings.Contains(text[from:to], "\n") {
				found = from
			}
		}
		return found < 0
	})
	return found
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// maskPlaceholders makes words of what documents write for values, <name>, which a
// shell takes for redirections. The length stays.
func maskPlaceholders(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '<' || i > 0 && (b[i-1] == '<' || b[i-1] == '&') || i+1 >= len(b) || !isLetter(b[i+1]) {
			continue
		}
		for k := i + 1; k < len(b) && k < i+60; k++ {
			c := b[k]
			if c == '>' {
				for j := i; j <= k; j++ {
					if b[j] == ' ' || b[j] == '<' || b[j] == '>' || b[j] == '|' || b[j] == '\'' {
						b[j] = '_'
					}
				}
				i = k
				break
			}
			if c == '\n' || c == '<' || c == '$' || c == '/' || c == ';' || c == '&' || c == '(' || c == '"' {
				break
			}
		}
	}
	return string(b)
}

// add appends a command and returns its index; -1 where there are too many.
func (v *analyzer) add(c Command) int {
	if len(v.out.Commands) >= maxCommands {
		v.out.Cut = true
		return -1
	}
	c.Outer, c.Wraps, c.From, c.Packed = v.outer, -1, -1, v.packed
	v.out.Commands = append(v.out.Commands, c)
	return len(v.out.Commands) - 1
}

// span is where something of the piece at hand stands in the analyzed text.
func (v *analyzer) span(from, to int) diag.Span { return v.at(v.base+from, v.base+to) }

func (v *analyzer) nodeSpan(n syntax.Node) diag.Span {
	return v.span(offset(n.Pos()), min(offset(n.End()), len(v.text)))
}

func offset(p syntax.Pos) int { return int(p.Offset()) }

func (v *analyzer) written(n syntax.Node) string {
	from, to := offset(n.Pos()), min(offset(n.End()), len(v.text))
	return v.text[min(from, to):to]
}

// stmt analyzes a statement and returns the commands whose output is its own.
func (v *analyzer) stmt(s *syntax.Stmt) []int {
	if s == nil {
		return nil
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if ok {
		return v.call(call, s)
	}
	if decl, ok := s.Cmd.(*syntax.DeclClause); ok {
		return v.declare(decl)
	}
	list := v.command(s.Cmd)
	if len(s.Redirs) > 0 {
		v.joinGroup(list, s.Redirs)
	}
	return list
}

func (v *analyzer) stmts(list []*syntax.Stmt) []int {
	var out []int
	for _, s := range list {
		out = append(out, v.stmt(s)...)
	}
	return out
}

func (v *analyzer) command(c syntax.Command) []int {
	switch c := c.(type) {
	case nil:
		return nil
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return v.pipeline(c)
		}
		return append(v.stmt(c.X), v.stmt(c.Y)...)
	case *syntax.Subshell:
		return v.stmts(c.Stmts)
	case *syntax.Block:
		return v.stmts(c.Stmts)
	case *syntax.IfClause:
		var out []int
		for ; c != nil; c = c.Else {
			v.stmts(c.Cond)
			out = append(out, v.stmts(c.Then)...)
		}
		return out
	case *syntax.WhileClause:
		return append(v.stmts(c.Cond), v.stmts(c.Do)...)
	case *syntax.ForClause:
		v.loopWords(c.Loop)
		return v.stmts(c.Do)
	case *syntax.CaseClause:
		var out []int
		v.term(c.Word)
		for _, item := range c.Items {
			out = append(out, v.stmts(item.Stmts)...)
		}
		return out
	case *syntax.FuncDecl:
		v.stmt(c.Body)
		return nil
	case *syntax.TimeClause:
		return v.stmt(c.Stmt)
	case *syntax.CoprocClause:
		return v.stmt(c.Stmt)
	}
	return v.substitutions(c)
}

// substitutions analyzes the commands in a part that is not a list of words.
func (v *analyzer) substitutions(n syntax.Node) []int {
	var out []int
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			out = append(out, v.stmts(n.Stmts)...)
			return false
		case *syntax.ProcSubst:
			out = append(out, v.stmts(n.Stmts)...)
			return false
		}
		return true
	})
	return out
}

func (v *analyzer) loopWords(l syntax.Loop) {
	if w, ok := l.(*syntax.WordIter); ok && w.Name != nil {
		value := known{}
		for _, item := range w.Items {
			t := v.term(item)
			value.inner = append(value.inner, t.inner...)
		}
		v.vars[w.Name.Value] = value
	}
}

// pipeline analyzes the stages of a pipeline and joins them.
func (v *analyzer) pipeline(c *syntax.BinaryCmd) []int {
	var list []*syntax.Stmt
	for left := c; ; {
		list = append(list, left.Y)
		next, ok := left.X.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op != syntax.Pipe && next.Op != syntax.PipeAll {
			list = append(list, left.X)
			break
		}
		left = next
	}
	slices.Reverse(list)
	stages := make([][]int, len(list))
	for i, s := range list {
		stages[i] = v.stmt(s)
	}
	v.pipe(stages)
	return stages[len(stages)-1]
}

// maxBranches is how many commands of a group are followed as a stage of a pipeline.
const maxBranches = 8

// pipe joins the stages of a pipeline. A stage that is a group of commands makes one
// pipeline for each of them.
func (v *analyzer) pipe(stages [][]int) {
	line := make([]int, 0, len(stages))
	for _, s := range stages {
		if len(s) == 0 {
			continue
		}
		line = append(line, s[len(s)-1])
	}
	if len(line) < 2 {
		return
	}
	v.out.Pipes = append(v.out.Pipes, line)
	at := 0
	for _, s := range stages {
		if len(s) == 0 {
			continue
		}
		for _, other := range s[max(0, len(s)-maxBranches) : len(s)-1] {
			if len(v.out.Pipes) < maxCommands {
				branch := slices.Clone(line)
				branch[at] = other
				v.out.Pipes = append(v.out.Pipes, branch)
			}
		}
		if at > 0 {
			for _, c := range s[max(0, len(s)-maxBranches):] {
				v.setFrom(c, line[at-1])
				v.takeInput(c)
			}
		}
		at++
	}
}

// setFrom says where a command and those that it wraps read from.
func (v *analyzer) setFrom(i, from int) {
	for n := 0; i >= 0 && n < maxDepth; n++ {
		c := &v.out.Commands[i]
		if c.From >= 0 {
			return
		}
		c.From = from
		i = c.Wraps
	}
}
