package commands

import (
	"strings"

	"github.com/vadehq/vade/diag"
)

// AnalyzeNative analyzes a text of PowerShell or of the prompt of Windows: commands,
// pipelines, calls of methods (as commands by the name of the method), and what is in
// brackets (as commands whose output becomes part of another one).
func AnalyzeNative(text string, look Look) *Analysis {
	s := &Analysis{}
	if len(text) > maxText {
		text = text[:maxText]
		s.Cut = true
	}
	v := analyzer{out: s, outer: -1, spent: new(int), look: look}
	v.at = func(from, to int) diag.Span { return diag.Span{Start: from, End: to} }
	v.nativeText(text)
	return s
}

// nativeFrame is a command that is being read.
type nativeFrame struct {
	cmd     Command
	start   int
	end     int
	stage   []int // the pipeline so far
	all     []int // commands whose output the brackets give
	target  string
	method  bool
	lastStr int // index of the word that a string ended, -1 where + joins nothing
}

// nativeReader reads a native text.
type nativeReader struct {
	*analyzer
	text  string
	i     int
	stack []nativeFrame
}

const maxNativeDepth = 64

func (v *analyzer) nativeText(text string) {
	if v.depth > maxDepth {
		v.out.Cut = true
		return
	}
	if v.vars == nil {
		v.vars = map[string]known{}
	}
	r := nativeReader{analyzer: v, text: text, stack: []nativeFrame{{lastStr: -1}}}
	r.read()
}

func (r *nativeReader) top() *nativeFrame { return &r.stack[len(r.stack)-1] }

func (r *nativeReader) read() {
	for r.i < len(r.text) && len(r.out.Commands) < maxCommands {
		c := r.text[r.i]
		switch {
		case c == ' ' || c == '\t' || c == ',' || c == '\r':
			r.i++
		case (c == '`' || c == '^') && r.i+1 < len(r.text) && (r.text[r.i+1] == '\n' || r.text[r.i+1] == '\r'):
			// The line goes on.
			r.i = lineEnd(r.text, r.i)
		case c == '\n' || c == ';':
			r.endCommand(false)
			r.i++
		case c == '#' && (r.i == 0 || strings.IndexByte(" \t\n;", r.text[r.i-1]) >= 0):
			r.i = max(lineEnd(r.text, r.i)-1, r.i+1)
		case c == '|':
			or := strings.HasPrefix(r.text[r.i:], "||")
			r.endCommand(!or)
			r.i += 1 + btoi(or)
		case c == '&' && r.i > 0 && r.text[r.i-1] == '>':
			// One stream is joined to another.
			r.i += 2
		case c == '&':
			r.endCommand(false)
			r.i++
		case c == '(' || c == '{' || strings.HasPrefix(r.text[r.i:], "$(") || strings.HasPrefix(r.text[r.i:], "@("):
			r.i += 1 + btoi(c == '$' || c == '@')
			r.push(nativeFrame{lastStr: -1})
		case c == ')' || c == '}':
			r.i++
			r.pop()
		default:
			r.word()
		}
	}
	for len(r.stack) > 1 {
		r.pop()
	}
	r.endCommand(false)
}

func (r *nativeReader) push(f nativeFrame) {
	if len(r.stack) < maxNativeDepth {
		r.stack = append(r.stack, f)
	}
}

// pop ends what stands in brackets: it becomes part of the command around.
func (r *nativeReader) pop() {
	if len(r.stack) < 2 {
		r.endCommand(false)
		return
	}
	r.endCommand(false)
	f := *r.top()
	r.stack = r.stack[:len(r.stack)-1]
	t := r.top()
	t.cmd.Inner = append(t.cmd.Inner, f.all...)
	t.end = r.i
	if len(t.cmd.Words) == 0 && t.start == 0 {
		t.start = r.i
	}
}

// word reads a word, and what is called where a bracket follows it.
func (r *nativeReader) word() {
	from := r.i
	var b strings.Builder
	quotes := false
	t := Term{Known: true}
	for r.i < len(r.text) {
		c := r.text[r.i]
		if strings.IndexByte(" \t\r\n;|&(){},", c) >= 0 {
			break
		}
		switch {
		case c == '\'' || c == '"':
			n := nativeQuote(r.text[r.i:], c)
			if n < 0 {
				r.i++
				continue
			}
			b.WriteString(r.text[r.i+1 : r.i+n])
			quotes = true
			r.i += n + 1
			continue
		case c == '`' || c == '^':
			r.i++
			continue
		case c == '+' && r.i+1 < len(r.text) && r.i > from && quotes && (r.text[r.i+1] == '\'' || r.text[r.i+1] == '"'):
			r.i++
			continue
		}
		b.WriteByte(c)
		r.i++
	}
	if r.i == from {
		r.i++
		return
	}
	t.Written, t.Text, t.Span = r.text[from:r.i], b.String(), r.span(from, r.i)
	t.script = t.Text
	f := r.top()
	called := r.i < len(r.text) && r.text[r.i] == '(' && !quotes && strings.ContainsAny(t.Text, ".:")
	switch {
	case called:
		if len(r.stack) >= maxNativeDepth {
			return
		}
		name := method(t.Text)
		r.i++
		inner := nativeFrame{lastStr: -1, method: true, start: from}
		inner.cmd.Words = []Term{{Written: t.Text, Text: name, script: name, Known: true, Span: t.Span}}
		if i := strings.IndexByte(t.Text, '.'); i > 0 && strings.HasPrefix(t.Text, "$") {
			inner.cmd.Inner = append(inner.cmd.Inner, r.vars[strings.ToLower(t.Text[:i])].inner...)
		}
		r.push(inner)
	case t.Text == "=" && len(f.cmd.Words) == 1 && strings.HasPrefix(f.cmd.Words[0].Text, "$"):
		f.target = strings.ToLower(f.cmd.Words[0].Text)
		f.cmd.Words = nil
	case t.Text == "+" && len(f.cmd.Words) > 0:
		f.lastStr = len(f.cmd.Words) - 1
	case f.lastStr >= 0 && f.lastStr < len(f.cmd.Words):
		// 'a' + 'b'
		last := &f.cmd.Words[f.lastStr]
		last.Text += t.Text
		last.script = last.Text
		f.lastStr = -1
	default:
		if strings.HasPrefix(t.Text, "$") {
			name, _, _ := strings.Cut(strings.ToLower(t.Text), ".")
			value, ok := r.vars[name]
			f.cmd.Inner = append(f.cmd.Inner, value.inner...)
			t.Known = false
			if ok && value.ok && !strings.Contains(t.Text, ".") {
				t.Text, t.script, t.Known = value.text, value.text, true
			}
		}
		if len(f.cmd.Words) == 0 {
			f.start = from
		}
		if len(f.cmd.Words) < 2000 {
			f.cmd.Words = append(f.cmd.Words, t)
		}
	}
	r.top().end = r.i
}

// nativeQuote returns where a quotation ends; -1 where it does not.
func nativeQuote(s string, c byte) int {
	for i := 1; i < min(len(s), maxDecoded); i++ {
		switch {
		case s[i] == c && i+1 < len(s) && s[i+1] == c:
			i++
		case s[i] == '`' && c == '"':
			i++
		case s[i] == c:
			return i
		}
	}
	return -1
}

// method returns the name of what is called: of [vfs.Type]::Name with the type, of
// others without what stands before the last point.
func method(text string) string {
	text = strings.ToLower(text)
	if i := strings.LastIndex(text, "::"); i >= 0 {
		kind := strings.Trim(text[:i], "[]")
		kind = kind[strings.LastIndexByte(kind, '.')+1:]
		if rest := text[i+2:]; strings.Contains(rest, ".") {
			return rest[strings.LastIndexByte(rest, '.')+1:]
		}
		return kind + "::" + text[i+2:]
	}
	return text[strings.LastIndexByte(text, '.')+1:]
}

// endCommand ends the command at hand.
func (r *nativeReader) endCommand(piped bool) {
	f := r.top()
	c := f.cmd
	target := f.target
	f.cmd, f.target, f.lastStr = Command{}, "", -1
	var made []int
	switch {
	case len(c.Words) == 0:
		made = c.Inner
	case len(c.Words) == 1 && target != "" && c.Words[0].Known && len(c.Inner) == 0 && !isLetter(c.Words[0].Written[0]):
		// The value of a variable.
		r.vars[target] = known{text: c.Words[0].Text, ok: true}
		return
	default:
		c.Native = true
		c.Span = r.span(f.start, max(f.end, f.start))
		c.Text = r.text[f.start:max(f.end, f.start)]
		i := r.add(c)
		if i < 0 {
			return
		}
		r.out.Commands[i].Native = true
		made = []int{i}
		r.nativeRuns(i)
	}
	if target != "" && len(r.vars) < 1000 {
		r.vars[target] = known{inner: made}
	}
	if len(made) > 0 && len(f.stage) > 0 {
		for _, i := range made[max(0, len(made)-maxBranches):] {
			r.setFrom(i, f.stage[len(f.stage)-1])
		}
	}
	if len(made) > 0 {
		f.stage = append(f.stage, made[len(made)-1])
	}
	if !piped {
		if len(f.stage) > 1 {
			r.out.Pipes = append(r.out.Pipes, f.stage)
		}
		if n := len(f.stage); n > 0 {
			f.all = append(f.all, f.stage[n-1])
			r.decoded(f.stage[n-1])
		}
		f.stage = nil
	}
}

// nativeRuns analyzes what a native command runs.
func (r *nativeReader) nativeRuns(i int) {
	if r.depth >= maxDepth {
		r.out.Cut = true
		return
	}
	c := r.out.Commands[i]
	words := texts(c.Words)
	name := ProgramName(words[0])
	if p, ok := ProgramOf(words); ok && p.Text > 0 && p.Text < len(c.Words) && name != "source" && name != "." {
		r.programText(p, i)
		return
	}
	switch name {
	case "iex", "invoke-expression":
		if len(c.Words) > 1 && c.Words[1].Known {
			r.native(join(c.Words[1:]), i)
		}
	case "start-process", "saps", "start", "call", "invoke-command":
		for k := 1; k < len(words); k++ {
			if n := ProgramName(words[k]); Interpreter(n) != "" {
				inner := Command{Words: plainArgs(c.Words[k:]), Span: c.Span, Text: c.Text, Native: true}
				x := *r.analyzer
				x.outer, x.depth = i, r.depth+1
				if n := x.add(inner); n >= 0 {
					r.out.Commands[i].Wraps = n
					(&nativeReader{analyzer: &x}).nativeRuns(n)
				}
				return
			}
		}
	}
}

// plainArgs takes -ArgumentList and its like out of the words of Start-Process, and
// splits what is quoted as a whole.
func plainArgs(list []Term) []Term {
	out := list[:1:1]
	for _, t := range list[1:] {
		low := strings.ToLower(t.Text)
		if strings.HasPrefix("-argumentlist", low) && len(low) > 1 || low == "-args" {
			continue
		}
		if strings.HasPrefix(low, "-") && strings.Contains(low, " ") {
			for _, f := range strings.Fields(t.Text) {
				out = append(out, Term{Written: f, Text: f, script: f, Known: t.Known, Span: t.Span})
			}
			continue
		}
		out = append(out, t)
	}
	return out
}

// decoded analyzes base64 that a command runs.
func (r *nativeReader) decoded(i int) {
	name := ""
	c := r.out.Commands[i]
	if len(c.Words) > 0 {
		name = ProgramName(c.Words[0].Text)
	}
	if name != "iex" && name != "invoke-expression" && name != "scriptblock::create" || r.depth >= maxDepth {
		return
	}
	list := c.Inner
	if c.From >= 0 {
		list = append(list[:len(list):len(list)], c.From)
	}
	for n := 0; n < len(list) && n < 32; n++ {
		in := r.out.Commands[list[n]]
		list = append(list[:len(list):len(list)], in.Inner...)
		if len(in.Words) > 1 && in.Words[0].Text == "convert::frombase64string" {
			if text, ok := DecodeUTF16(in.Words[1].Text); ok && *r.spent < maxDecodedAll {
				*r.spent += len(text)
				r.native(Term{script: text, how: []string{"base64"}, Span: in.Span}, i)
			}
		}
	}
}
