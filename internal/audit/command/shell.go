package command

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/shell"
)

// Interpretation limits.
const (
	// maxWork limits the work that is done for one package. Work is measured in bytes of text that
	// are parsed, translated or passed to a command. Each statement, word and call of the parser
	// counts as stepWork additional bytes.
	maxWork  = 32 << 20
	stepWork = 64
	maxChunk = 16 << 10
	maxDepth = 12
	maxVars  = 2000
	maxWords = 100
)

// spend adds to the work done for a file, and reports whether the package is still within its
// limit.
func (x *Extractor) spend(file, steps, bytes int) bool {
	if x.work += steps*stepWork + bytes; x.work > maxWork {
		x.set.Miss(file, signal.MissedTooMany, "too many commands to analyze")
	}
	return x.work <= maxWork
}

func (m *machine) spend(steps, bytes int) bool {
	return m.x.spend(m.set.Regions[m.region].File, steps, bytes)
}

// shellCommands interprets shell commands and returns their output. If the parser rejects a line,
// that line is handled separately, and parsing resumes after it.
func (m *machine) shellCommands(text string, in value) value {
	clean := mask(shell.Parsable(text))
	base := m.base
	defer func() { m.base = base }()
	var out value
	failures := 0
	for from := 0; from < len(text); {
		to := chunkEnd(clean, from)
		m.base, m.src = base+from, text[from:to]
		// Limit the number of failures, because the parser must read the chunk again after each
		// one.
		if failures <= 8+from/2048 {
			list, failed := m.parse(clean[from:to])
			out = concatOutput(out, m.stmts(list, in))
			if failed < 0 {
				from = to
				continue
			}
			failures++
			to = lineEnd(clean, from+failed)
			if n := len(list); n > 0 {
				from = min(from+offset(list[n-1].End()), to)
			}
		}
		m.base = base + from
		out = concatOutput(out, m.runInvalidLines(text[from:to], in))
		from = to
	}
	return out
}

// chunkEnd returns the end of the line at which to split a long text. The chunks have a limited
// number of bytes and brackets, because the parser reads one chunk at a time.
func chunkEnd(text string, from int) int {
	brackets, line := 0, from
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[', '`':
			brackets++
		case '\n':
			line = i + 1
		}
		if brackets > shell.MaxBrackets || i-from >= maxChunk {
			if line > from {
				return line
			}
			return i
		}
	}
	return len(text)
}

// parse parses text. It returns the statements up to the first syntax error, and the offset of the
// error, or -1 if there is none.
func (m *machine) parse(text string) (list []*syntax.Stmt, failed int) {
	if !m.spend(1, 0) {
		return nil, -1
	}
	failed = -1
	input := strings.NewReader(text)
	// Drain the sequence even after an error, because the parser is reused.
	for stmt, err := range m.x.parser.StmtsSeq(input) {
		var at syntax.ParseError
		switch {
		case failed >= 0:
		case err == nil:
			list = append(list, stmt)
		case errors.As(err, &at):
			failed = min(offset(at.Pos), len(text))
		default:
			failed = 0
		}
	}
	m.spend(0, len(text)-input.Len())
	return list, failed
}

func lineEnd(text string, from int) int {
	if i := strings.IndexByte(text[min(from, len(text)):], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(text)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func offset(p syntax.Pos) int { return int(p.Offset()) }

// mask replaces bytes that the parser would misread with bytes that are valid in words. The length
// stays the same, and unmask reverses the change. mask also replaces $IFS with spaces unless the
// text assigns a value to IFS.
func mask(text string) string {
	if strings.Contains(text, "IFS") && !strings.Contains(text, "IFS=") {
		text = strings.NewReplacer("${IFS}", "      ", "$IFS", "    ").Replace(text)
	}
	if strings.IndexByte(text, '<') >= 0 {
		text = regex("placeholder").ReplaceAllStringFunc(text, func(s string) string {
			at := strings.IndexByte(s, '<')
			return s[:at] + masks().Replace(s[at:])
		})
	}
	if strings.IndexByte(text, '\'') >= 0 {
		text = regex("contraction").ReplaceAllString(text, "$1\x04$2")
	}
	return text
}

var (
	masks = sync.OnceValue(func() *strings.Replacer {
		return strings.NewReplacer("<", "\x01", ">", "\x02", " ", "\x03", "|", "\x05")
	})
	unmask = sync.OnceValue(func() *strings.Replacer {
		return strings.NewReplacer("\x01", "<", "\x02", ">", "\x03", " ", "\x04", "'", "\x05", "|")
	})
)

// sourceText returns a node's source text.
func (m *machine) sourceText(n syntax.Node) string {
	from, to := offset(n.Pos()), min(offset(n.End()), len(m.src))
	return m.src[min(from, to):to]
}

// stmt interprets a statement with the given input and returns its output.
func (m *machine) stmt(s *syntax.Stmt, in value) value {
	if s == nil || m.depth > maxDepth || !m.spend(1, 0) {
		return value{}
	}
	m.depth++
	defer func() { m.depth-- }()
	at := m.node(s)
	var targets []target
	for _, r := range s.Redirs {
		in, targets = m.redirect(at, r, in, targets)
	}
	out := in
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		out = m.call(call, in)
	} else if s.Cmd != nil {
		out = m.command(s.Cmd, in)
	}
	for _, t := range targets {
		m.write(at, t.value, out, t.append)
	}
	if len(targets) > 0 {
		return value{}
	}
	return out
}

// target is a file that a redirection writes to.
type target struct {
	value
	append bool
}

// redirect interprets a redirection. It returns the statement's input and the
// targets for its output.
func (m *machine) redirect(at span, r *syntax.Redirect, in value, targets []target) (value, []target) {
	number := ""
	if r.N != nil {
		number = r.N.Value
	}
	if r.Hdoc != nil {
		return m.word(r.Hdoc), targets
	}
	w := m.word(r.Word)
	stream, isStream := m.state.streams[strings.TrimSuffix(w.text, "-")]
	switch r.Op {
	case syntax.WordHdoc:
		w.text += "\n"
		return w, targets
	case syntax.RdrIn:
		return m.readFile(at, w), targets
	case syntax.RdrInOut:
		in = m.readFile(at, w)
		m.state.streams[number] = value{text: w.text, sources: in.sources}
		return in, targets
	case syntax.DplIn:
		if isStream {
			in = value{sources: stream.sources}
		}
		return in, targets
	case syntax.DplOut:
		if isStream {
			w = stream
		} else if strings.Trim(w.text, "0123456789-") == "" {
			return in, targets
		}
		number = ""
	}
	if number != "2" {
		targets = append(targets, target{w, r.Op == syntax.AppOut || r.Op == syntax.AppAll})
	}
	return in, targets
}

func (m *machine) stmts(list []*syntax.Stmt, in value) value {
	var out value
	for _, s := range list {
		out = concatOutput(out, m.stmt(s, in))
	}
	return out
}

// command interprets a compound command.
func (m *machine) command(c syntax.Command, in value) value {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		left := m.stmt(c.X, in)
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return m.stmt(c.Y, left)
		}
		return concatOutput(left, m.stmt(c.Y, in))
	case *syntax.ForClause:
		if iter, ok := c.Loop.(*syntax.WordIter); ok {
			m.assignVar(iter.Name.Value, oneOf(m.wordList(iter.Items)))
		}
		return m.stmts(c.Do, in)
	case *syntax.FuncDecl:
		m.declareFunction(c)
		return value{}
	case *syntax.WhileClause:
		return m.while(c, in)
	case *syntax.DeclClause:
		return m.declare(c, in)
	}
	return m.statementsIn(c, in)
}

// while interprets a loop. If an endless loop sends requests without a pause, it reports a flood of
// requests.
func (m *machine) while(c *syntax.WhileClause, in value) value {
	before := len(m.set.Signals)
	out := m.statementsIn(c, in)
	text := m.sourceText(c)
	if !regex("endlessLoop").MatchString(text) || regex("pauses").MatchString(text) {
		return out
	}
	for _, s := range m.set.Signals[before:] {
		if s.Kind == signal.Fetch || s.Kind == signal.Send {
			m.add(m.node(c), signal.Sabotage, text, s.Object, "flood")
			break
		}
	}
	return out
}

// statementsIn interprets the statements in a node, in order.
func (m *machine) statementsIn(n syntax.Node, in value) value {
	var out value
	syntax.Walk(n, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if ok {
			out = concatOutput(out, m.stmt(s, in))
		}
		return !ok
	})
	return out
}

func (m *machine) wordList(words []*syntax.Word) []value {
	var list []value
	for _, w := range words {
		list = append(list, m.words(w)...)
	}
	return list
}

// oneOf returns a value that may be any value in the list, such as the value of a loop variable.
func oneOf(list []value) value {
	out := value{items: list[:min(len(list), maxWords)]}
	for i, v := range list {
		v = v.lines()
		out.addSources(v.sources...)
		if i == 0 {
			out.text, out.known, out.isPattern, out.alternatives = v.text, v.known, v.isPattern, v.alternatives
			continue
		}
		v.eachText(out.addAlternative)
	}
	return out
}

// function is a declared function. called counts how often its body was interpreted.
type function struct {
	machine machine
	name    string
	body    *syntax.Stmt
	called  int
}

func (m *machine) declareFunction(c *syntax.FuncDecl) {
	if c.Name == nil || len(m.state.functions) > maxVars {
		return
	}
	// A fork bomb calls itself twice.
	body := strings.Join(strings.Fields(m.sourceText(c.Body)), "")
	if strings.Contains(body, c.Name.Value+"|"+c.Name.Value+"&") {
		m.add(m.node(c), "sabotage", m.sourceText(c), "", "bomb")
	}
	f := &function{machine: *m, name: c.Name.Value, body: c.Body}
	m.state.functions[c.Name.Value] = f
	m.state.declared = append(m.state.declared, f)
}

// function interprets a function call.
func (m *machine) function(f *function, words []value, in value) value {
	if f.called++; f.called > 4 || m.depth > maxDepth {
		return value{}
	}
	n := f.machine
	n.depth = m.depth + 1
	return n.withArguments(words, func() value { return n.stmt(f.body, in) })
}

// withArguments runs do with $0, $1 and so on set.
func (m *machine) withArguments(words []value, do func() value) value {
	vars := map[string]value{}
	for i, w := range words[:min(len(words), 10)] {
		vars[strconv.Itoa(i)] = w
	}
	if len(words) > 1 {
		vars["@"], vars["*"] = oneOf(words[1:]), joined(words[1:])
	}
	for name, v := range vars {
		m.state.vars[name], vars[name] = v, m.state.vars[name]
	}
	out := do()
	maps.Copy(m.state.vars, vars)
	return out
}

// call interprets a simple command.
func (m *machine) call(c *syntax.CallExpr, in value) value {
	x := call{in: in, at: m.node(c)}
	for _, a := range c.Assigns {
		name, v := m.assign(a, len(c.Args) == 0)
		x.assigns = append(x.assigns, name+"="+v.text)
		m.runCommandVariable(x.at, name, v)
	}
	if x.words = m.wordList(c.Args); len(c.Args) > 0 {
		x.rawName = m.sourceText(c.Args[0])
	}
	if x.text = m.sourceText(c); m.native {
		x.text = m.textAt(x.at)
	}
	if len(x.words) == 0 {
		m.addEffects(&x, "=", x.assigns)
		return in
	}
	return m.run(&x)
}

// assign evaluates an assignment and returns the variable's name and value. If persistent is set,
// it also sets the variable.
func (m *machine) assign(a *syntax.Assign, persistent bool) (string, value) {
	var v value
	switch {
	case a.Value != nil:
		v = m.word(a.Value)
	case a.Array != nil:
		var list []value
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				list = append(list, m.words(e.Value)...)
			}
		}
		v = oneOf(list)
	}
	if a.Name == nil {
		return "", v
	}
	name := a.Name.Value
	if persistent && !a.Naked {
		if old, ok := m.state.vars[name]; a.Append && ok {
			items := append(slices.Clip(old.items), v.items...)
			v = concat(old, v)
			v.items = items[:min(len(items), maxWords)]
		}
		m.assignVar(name, v)
	}
	return name, v
}

func (m *machine) assignVar(name string, v value) {
	if len(m.state.vars) < maxVars && len(v.text) <= maxText {
		m.state.vars[name] = v
	}
}

// runCommandVariable interprets the value of a variable as a command if there is a program that
// runs the value, as git does with GIT_SSH_COMMAND.
func (m *machine) runCommandVariable(at span, name string, v value) {
	if regex("commandName").MatchString(name) && v.known {
		m.nestedAt(at).shellCommands(strings.TrimLeft(v.text, "|-"), value{})
	}
}

// declare interprets export, local, declare and readonly.
func (m *machine) declare(d *syntax.DeclClause, in value) value {
	x := call{in: in, at: m.node(d), text: m.sourceText(d)}
	x.words = append(x.words, literal(d.Variant.Value))
	for _, a := range d.Args {
		if a.Naked {
			x.words = append(x.words, m.word(a.Value))
			if a.Name != nil {
				x.words[len(x.words)-1] = literal(a.Name.Value)
			}
			continue
		}
		name, v := m.assign(a, true)
		x.assigns = append(x.assigns, name+"="+v.text)
		m.runCommandVariable(x.at, name, v)
		v.text = name + "=" + v.text
		x.words = append(x.words, v)
	}
	return m.run(&x)
}

// words expands a word, which may become several words if it contains {a,b} or if its value
// contains spaces.
func (m *machine) words(w *syntax.Word) []value {
	var list []value
	written := m.sourceText(w)
	// Limit the number of braces, because the time to split a word grows with the square of
	// their number.
	if n := strings.Count(written, "{"); n > 0 && n < maxWords && syntax.SplitBraces(w) {
		for part, err := range expand.BracesSeq(nil, w) {
			if err != nil || len(list) == maxWords {
				break
			}
			list = append(list, m.word(part))
		}
		return list
	}
	if found := regex("elements").FindStringSubmatch(written); found != nil {
		if v := m.state.vars[found[1]+found[2]]; v.items != nil {
			return v.items
		}
	}
	v := m.word(w)
	if !v.known || strings.ContainsAny(written, " '\"") || !strings.Contains(written, "$") {
		return []value{v}
	}
	ifs, _ := m.variable("IFS")
	separates := func(r rune) bool { return strings.ContainsRune(ifs.text+" \t\n", r) }
	for _, field := range strings.FieldsFunc(v.text, separates) {
		if len(list) < maxWords {
			list = append(list, v.withText(field))
		}
	}
	return list
}

// word returns the value of a word.
func (m *machine) word(w *syntax.Word) value {
	if w == nil {
		return literal("")
	}
	return m.parts(w.Parts, false)
}

func (m *machine) parts(list []syntax.WordPart, quoted bool) value {
	var values []value
	for i, part := range list {
		if i == 0 || i+1 == len(list) || !m.unset(list[i-1], part, list[i+1]) {
			values = append(values, m.part(part, quoted))
		}
	}
	return concat(values...)
}

// unset reports whether a part of a word is an unset variable between two letters. Such a variable
// only disguises the word.
func (m *machine) unset(before, part, after syntax.WordPart) bool {
	head, isText := before.(*syntax.Lit)
	tail, goesOn := after.(*syntax.Lit)
	p, isParam := part.(*syntax.ParamExp)
	if !isText || !goesOn || !isParam || p.Param == nil || p.Slice != nil || head.Value == "" || tail.Value == "" {
		return false
	}
	v, set := m.variable(p.Param.Value)
	return !set && len(v.sources) == 0 && isLetter(head.Value[len(head.Value)-1]) && isLetter(tail.Value[0])
}

func (m *machine) part(part syntax.WordPart, quoted bool) value {
	switch part := part.(type) {
	case *syntax.Lit:
		text := unmask().Replace(part.Value)
		if quoted {
			return literal(shell.UnescapeDouble(text))
		}
		text, glob := shell.Unquoted(text)
		return value{text: text, known: true, isPattern: glob}
	case *syntax.SglQuoted:
		if part.Dollar {
			text, _, _ := expand.Format(nil, part.Value, nil)
			return literal(text)
		}
		return literal(unmask().Replace(part.Value))
	case *syntax.DblQuoted:
		return m.parts(part.Parts, true)
	case *syntax.ParamExp:
		return m.param(part)
	case *syntax.CmdSubst:
		v := m.stmts(part.Stmts, value{})
		if v.text = strings.TrimRight(v.text, "\n"); v.text == "" && !v.known {
			v.text = m.opaque(v, m.sourceText(part))
		}
		return v
	case *syntax.ProcSubst:
		return m.pipeFile(part)
	}
	m.statementsIn(part, value{})
	return value{text: m.sourceText(part)}
}

// opaque returns a placeholder for a command substitution with an unknown output. The placeholder
// refers to a new variable, whose value is v. written is the text of the substitution in the
// source.
func (m *machine) opaque(v value, written string) string {
	if m.native {
		written = "$(…)"
	}
	name := "__" + strconv.Itoa(len(m.state.opaque))
	m.assignVar(name, v)
	name = "${" + name + "}"
	m.state.opaque[name] = written
	return name
}

// display replaces the placeholders for unknown values with their source text.
func (m *machine) display(text string) string {
	return regex("opaque").ReplaceAllStringFunc(text, func(name string) string {
		return cmp.Or(m.state.opaque[name], name)
	})
}

// pipeFile returns the name of the file that stands for <(…) or >(…).
func (m *machine) pipeFile(p *syntax.ProcSubst) value {
	name := "/dev/fd/" + strconv.Itoa(100+len(m.x.files))
	f := &file{state: m.state}
	if p.Op == syntax.CmdOut {
		n := *m
		f.reader = func(in value) { n.stmts(p.Stmts, in) }
	} else {
		f.value = m.stmts(p.Stmts, value{})
	}
	m.x.files[name] = f
	return literal(name)
}

// param evaluates a parameter expansion.
func (m *machine) param(p *syntax.ParamExp) value {
	if p.Index != nil {
		m.statementsIn(p.Index, value{})
	}
	if p.Param == nil {
		return value{text: m.sourceText(p)}
	}
	v, set := m.variable(p.Param.Value)
	if e := p.Exp; e != nil && e.Op < syntax.RemSmallPrefix {
		required := e.Op == syntax.ErrorUnset || e.Op == syntax.ErrorUnsetOrNull
		if required || set && v.text != "" {
			return v
		}
		// The environment may already set the variable, so the default may not be used.
		w := m.word(e.Word)
		w.addSources(v.sources...)
		return w
	}
	if p.Short || strings.Trim(m.sourceText(p), "${}") == p.Param.Value {
		return v
	}
	env := environ{machine: m}
	text, err := expand.Literal(&expand.Config{Env: &env}, &syntax.Word{Parts: []syntax.WordPart{p}})
	m.spend(0, len(text))
	if err != nil || env.unknown || strings.Contains(text, "\x00") {
		v.isPattern = v.isPattern || v.known
		v.known = false
		return v
	}
	return value{text: text, known: true, sources: v.sources}
}

// environ provides the values of known variables to the expander. unknown reports whether the
// expander asked for a variable whose value is unknown.
type environ struct {
	*machine
	unknown bool
}

// Get implements expand.Environ.
func (e *environ) Get(name string) expand.Variable {
	v, _ := e.variable(name)
	if !v.known && (name == "HOME" || name == "PWD" || name == "OLDPWD") {
		v = literal("/\x00") // Only the first character is known. It can disguise a slash.
	}
	if !v.known || len(v.text) > 1024 {
		e.unknown = true
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: v.text}
}

// Each implements expand.Environ. It yields nothing, because no expansion lists variables.
func (e *environ) Each(func(string, expand.Variable) bool) {}

// runInvalidLines interprets lines that the parser rejected, one at a time. If necessary, it first
// replaces their quotation marks or brackets.
func (m *machine) runInvalidLines(text string, in value) value {
	changes := [...]*strings.Replacer{
		strings.NewReplacer(), strings.NewReplacer(" (", "$("), // fish
		strings.NewReplacer("'", " ", `"`, " "), strings.NewReplacer("(", " ", ")", " ", "`", " ", "{", " ", "}", " "),
	}
	var out value
	for from := 0; from < len(text); {
		end := lineEnd(text, from)
		n := *m
		n.base, n.src = m.base+from, text[from:end]
		from = end
		if len(n.src) > 4<<10 {
			continue
		}
		clean := mask(shell.Parsable(n.src))
		for _, change := range changes {
			clean = change.Replace(clean)
			if list, failed := m.parse(clean); failed < 0 {
				out = concatOutput(out, n.stmts(list, in))
				break
			}
		}
	}
	return out
}
