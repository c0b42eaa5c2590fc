package coreutils

import (
	"bufio"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

func sedCommand() Command {
	return simple("sed", "print and edit lines by a script", sedSyntax, prepareSed)
}

func sedSyntax() syntax {
	return syntax{flags: []flag{
		{names: "n quiet silent"}, {names: "e expression", value: withValue}, {names: "E r regexp-extended"},
		{names: "s separate"}, {names: "u unbuffered"},
	}}
}

// sedStep is one command of a script.
type sedStep struct {
	from, to *sedAddress
	negated  bool
	verb     byte // p d q = s y {
	block    []*sedStep
	subst    *substitution
	table    *strings.Replacer
	status   int
	index    int // of its state
}

// sedAddress chooses lines.
type sedAddress struct {
	kind  byte // 'n' number, '$', '/' expression, '~' first~step, '+' and 'm' as an end: count or multiple
	n     int
	step  int
	regex *regexp.Regexp
}

// substitution is s/…/…/.
type substitution struct {
	match  *matchSeq
	parts  []sedPart
	number int // which match, from 1
	all    bool
	print  int
}

// sedPart is a piece of a replacement: text, or a group where it is not -1.
type sedPart struct {
	text  string
	group int
}

func prepareSed(p *parsed) (*Prepared, error) {
	operands := p.operands
	var scripts []wordText
	for _, o := range p.all("e") {
		scripts = append(scripts, wordText{o.word, o.value})
	}
	if len(scripts) == 0 {
		if len(operands) == 0 {
			return nil, usage(0, "a script is needed")
		}
		scripts = []wordText{{operands[0].Word, operands[0].Name}}
		operands = operands[1:]
	}
	r := &scriptReader{dialect: basic, longest: maxHeld}
	if p.has("E") {
		r.dialect = extended
	}
	var steps []*sedStep
	for _, s := range scripts {
		part, err := r.read(s.text)
		if err != nil {
			return nil, usage(s.word, "%s", err)
		}
		steps = append(steps, part...)
	}
	rest := &parsed{operands: operands}
	return &Prepared{Paths: rest.files(), Run: func(ctx context.Context, x *IO) int {
		run := &sedRun{longest: r.longest, quiet: p.has("n"), separate: p.has("s"), states: make([]sedState, r.steps)}
		return run.all(ctx, x, rest.inputs(), steps)
	}}, nil
}

// sedState is where a range of addresses stands.
type sedState struct {
	active, used bool
	end          int
}

// sedRun is a script at work.
type sedRun struct {
	quiet, separate bool
	states          []sedState
	out             *bufio.Writer
	in              *sedInput
	line            []byte
	number          int
	last, ended     bool
	unfinished      bool // the last line written has no newline yet
	long            bool // the line outgrew the expressions
	quit, silent    bool // silent: by Q, which prints nothing more
	status          int
	longest         int
}

func (r *sedRun) all(ctx context.Context, x *IO, names []string, steps []*sedStep) int {
	r.out = x.output()
	r.in = &sedInput{ctx: ctx, x: x, names: names, separate: r.separate}
	defer r.in.close()
	for !r.quit {
		line, ended, ok := r.in.next()
		if !ok {
			break
		}
		if r.in.fresh && r.separate {
			r.number = 0
		}
		r.number++
		r.line, r.ended, r.last = line, ended, r.in.atEnd()
		printed := r.steps(steps)
		if r.long {
			x.errorf("sed: %s", errLongText)
			r.status = 2
			break
		}
		if printed && !r.quiet {
			r.print(r.line, r.ended)
		}
		if _, err := r.out.Write(nil); err != nil || ctx.Err() != nil {
			break
		}
	}
	if r.quit && r.unfinished && !r.silent {
		r.out.WriteByte('\n')
	}
	status := r.status
	if status == 0 && r.in.failed {
		status = 2
	}
	return x.finish(ctx, r.out, status)
}

// print writes a line; the newline that it lacks comes before the next.
func (r *sedRun) print(line []byte, ended bool) {
	if r.unfinished {
		r.out.WriteByte('\n')
	}
	r.unfinished = !ended
	writeLine(r.out, line, '\n', ended)
}

// steps runs a block; false if the line was deleted.
func (r *sedRun) steps(steps []*sedStep) bool {
	for _, s := range steps {
		if r.long = len(r.line) > r.longest; r.long {
			return false
		}
		if r.selects(s) == s.negated {
			continue
		}
		switch s.verb {
		case '{':
			if !r.steps(s.block) {
				return false
			}
		case 'd':
			return false
		case 'p':
			r.print(r.line, r.ended)
		case '=':
			r.print(strconv.AppendInt(nil, int64(r.number), 10), true)
		case 'q', 'Q':
			r.quit, r.silent, r.status = true, s.verb == 'Q', s.status
			return s.verb == 'q'
		case 'y':
			r.line = []byte(s.table.Replace(string(r.line)))
		case 's':
			r.substitute(s.subst)
		}
		if r.quit || r.long {
			return true
		}
	}
	return true
}

// selects reports whether a step's addresses choose the line at hand.
func (r *sedRun) selects(s *sedStep) bool {
	state := &r.states[s.index]
	switch {
	case s.from == nil:
		return true
	case s.to == nil:
		return r.matches(s.from)
	case s.from.kind == 'n' && s.from.n == 0 && !state.used:
		state.active, state.used = true, true
	case !state.active:
		return r.begins(s, state)
	}
	switch s.to.kind {
	case 'n', '+', 'm':
		state.active = r.number < state.end
		return r.number <= state.end
	}
	state.active = !r.matches(s.to)
	return true
}

// begins reports whether a range begins at the line at hand.
func (r *sedRun) begins(s *sedStep, state *sedState) bool {
	if !r.matches(s.from) {
		return false
	}
	switch s.to.kind {
	case 'n':
		state.end = s.to.n
	case '+':
		state.end = r.number + s.to.n
	case 'm':
		state.end = r.number
		if s.to.n > 0 {
			state.end = (r.number + s.to.n - 1) / s.to.n * s.to.n
		}
	default:
		state.active = true
		return true
	}
	state.active = state.end > r.number
	return true
}

func (r *sedRun) matches(a *sedAddress) bool {
	switch a.kind {
	case 'n':
		return r.number == a.n
	case '$':
		return r.last
	case '~':
		if a.step <= 0 {
			return r.number == a.n
		}
		return r.number >= a.n && (r.number-a.n)%a.step == 0
	}
	return a.regex.Match(r.line)
}

// substitute replaces matches in the line at hand. What it makes of the line is
// never longer than maxHeld.
func (r *sedRun) substitute(s *substitution) {
	var b []byte
	at, count := 0, 0
	add := func(text []byte) bool {
		r.long = r.long || len(b)+len(text) > maxHeld
		if !r.long {
			b = append(b, text...)
		}
		return !r.long
	}
	s.match.each(r.line, func(m []int) bool {
		if count++; count < s.number {
			return true
		}
		ok := r.in.ctx.Err() == nil && add(r.line[at:m[0]])
		for _, p := range s.parts {
			ok = ok && add([]byte(p.text))
			if g := p.group * 2; ok && g >= 0 && m[g] >= 0 {
				ok = add(r.line[m[g]:m[g+1]])
			}
		}
		at = m[1]
		return ok && s.all
	})
	if count < s.number || r.in.ctx.Err() != nil || !add(r.line[at:]) {
		return
	}
	r.line = b
	for range s.print {
		r.print(r.line, r.ended)
	}
}

// sedInput is all files as one stream that knows which line is the last.
type sedInput struct {
	ctx      context.Context
	x        *IO
	names    []string
	separate bool
	file     *input
	lines    *lineReader
	fresh    bool // the line is the first of its file
	failed   bool
	buf      []byte
}

func (in *sedInput) close() {
	if in.file != nil {
		in.file.Close()
		in.file = nil
	}
}

// open makes sure that a file with more lines is open; false at the end.
func (in *sedInput) open(across bool) bool {
	for in.ctx.Err() == nil {
		if in.file != nil {
			if _, err := in.lines.r.Peek(1); err == nil {
				return true
			} else if !across {
				return false
			} else {
				in.report(err)
			}
			in.close()
		}
		if len(in.names) == 0 {
			return false
		}
		in.begin()
	}
	return false
}

// begin opens the next file, or reports that it can not be read.
func (in *sedInput) begin() {
	name := in.names[0]
	in.names = in.names[1:]
	file, err := in.x.open(in.ctx, name)
	if err != nil {
		in.failed = true
		in.x.errorf("sed: can't read %s: %s", name, reason(err))
		return
	}
	in.file, in.lines, in.fresh = file, newLineReader(file, '\n'), true
}

func (in *sedInput) report(err error) {
	if !errors.Is(err, io.EOF) {
		in.failed = true
		in.x.errorf("sed: read error: %s", reason(err))
	}
}

func (in *sedInput) next() (line []byte, ended, ok bool) {
	in.fresh = false
	if !in.open(true) {
		return nil, false, false
	}
	line, ended, ok = in.lines.next()
	in.buf = append(in.buf[:0], line...)
	return in.buf, ended, ok
}

// atEnd reports whether no line follows, in this file or at all.
func (in *sedInput) atEnd() bool {
	fresh := in.fresh
	more := in.open(!in.separate)
	in.fresh = fresh
	return !more
}
