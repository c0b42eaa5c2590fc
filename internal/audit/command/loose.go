package command

import (
	"strconv"
	"strings"

	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/shell"
)

// reader reads commands of PowerShell and the Windows prompt. It accepts any text.
type reader struct {
	*machine
	text  string
	i     int
	lang  string
	depth int
}

// token is a word. expr: it is an expression of PowerShell and does not name a program.
type token struct {
	value
	written string
	expr    bool
}

const maxLooseDepth = 40

// loose interprets lines that are not valid shell: each by itself, and if it is not valid either
// without the quotes or brackets that may be in the way.
func (m *machine) loose(text string, in value) value {
	var out value
	for from := 0; from < len(text); {
		end := lineEnd(text, from)
		n := *m
		n.base, n.src = m.base+from, text[from:end]
		from = end
		if len(n.src) > 4<<10 {
			continue
		}
		clean := maskPlaceholders(shell.Parsable(n.src))
		for _, change := range [...]*strings.Replacer{
			strings.NewReplacer(), strings.NewReplacer(" (", "$("), strings.NewReplacer("'", " "), strings.NewReplacer("'", " ", `"`, " "),
			strings.NewReplacer("'", " ", `"`, " ", "(", " ", ")", " ", "`", " ", "{", " ", "}", " "),
		} {
			if file, err := shell.NewParser().Parse(strings.NewReader(change.Replace(clean)), ""); err == nil {
				out = both(out, n.stmts(file.Stmts, in))
				break
			}
		}
	}
	return out
}

// native interprets a text without a grammar.
func (m *machine) native(text, lang string, in value) value {
	r := reader{machine: m, text: text[:min(len(text), maxScript)], lang: lang}
	return r.list(0, in)
}

func (r *reader) peek(n int) byte {
	if r.i+n < len(r.text) {
		return r.text[r.i+n]
	}
	return 0
}

// more reports whether there is text left that may be read.
func (r *reader) more() bool {
	return r.i < len(r.text) && r.x.steps <= maxCommands && r.depth <= maxLooseDepth
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// list reads commands up to a closing bracket, or to the end for 0.
func (r *reader) list(until byte, in value) value {
	var out value
	r.depth++
	defer func() { r.depth-- }()
	for r.more() {
		c := r.text[r.i]
		switch {
		case until != 0 && c == until:
			r.i++
			return out
		case isSpace(c) || strings.IndexByte("\n;,)}|", c) >= 0, c == '&' && (r.lang != "ps1" || r.peek(1) == '&'):
			r.i++
		case c == '#' && r.lang != "bat":
			r.i = lineEnd(r.text, r.i)
		default:
			from := r.i
			stage := r.command(in)
			for r.more() && r.text[r.i] == '|' && r.peek(1) != '|' {
				r.i++
				stage = r.command(stage)
			}
			out = both(out, stage)
			r.i = max(r.i, from+1)
		}
	}
	if r.depth > maxLooseDepth {
		r.i = len(r.text)
	}
	return out
}

// pending is a command that is being read. Invoke: its first word is called whatever it is. Plus:
// the next word is added to the last.
type pending struct {
	call
	tokens       []token
	targets      []target
	out          value
	start        int
	invoke, plus bool
}

// command reads one command and interprets it.
func (r *reader) command(in value) value {
	p := pending{start: -1}
	p.in, p.native = in, true
	for r.more() && len(p.tokens) < 2000 && strings.IndexByte("\n;|)}", r.text[r.i]) < 0 {
		from := r.i
		if r.skipSpace(r.text[from]) {
			continue
		}
		if c := r.text[from]; c == '=' && len(p.tokens) == 1 && strings.HasPrefix(p.tokens[0].written, "$") {
			r.i++
			r.assign(p.tokens[0].written, r.command(value{}))
			return value{}
		} else if c == '&' && (r.lang != "ps1" || p.start >= 0 || r.peek(1) == '&') {
			break
		}
		if !r.mark(&p) {
			t := r.word(in)
			r.i = max(r.i, from+1)
			r.take(&p, t, from)
		}
	}
	if p.start < 0 {
		return p.out
	}
	p.at, p.text = r.span(p.start, r.i), strings.TrimSpace(r.text[p.start:r.i])
	v := both(p.out, r.start(&p.call, p.tokens, p.invoke))
	for _, t := range p.targets {
		r.write(p.at, t.value, v, t.append)
	}
	if len(p.targets) > 0 {
		return value{}
	}
	return v
}

// mark reads what is not a word: a call operator, a block or a redirection. It reports whether
// there is one.
func (r *reader) mark(p *pending) bool {
	switch c := r.text[r.i]; {
	case c == '&':
		r.i++
		p.invoke = true
	case c == '{' && r.lang != "bat":
		r.i++
		v := r.block(p.in)
		p.out = both(p.out, v)
		p.tokens = append(p.tokens, token{value: value{holds: v.holds}, expr: true})
	case c == '>' || c == '<' && r.peek(1) != '(':
		p.targets = r.redirection(&p.call, p.targets)
	default:
		return false
	}
	return true
}

// take adds a word to a command.
func (r *reader) take(p *pending, t token, from int) {
	if p.start < 0 {
		p.start = from
	}
	n := len(p.tokens)
	switch {
	case r.lang == "ps1" && t.written == "+" && n > 0:
		p.plus = true
	case p.plus:
		p.plus = false
		p.tokens[n-1].value = concat(p.tokens[n-1].value, t.value)
	case n == 0 && r.skips(t):
		p.start = -1
	default:
		p.tokens = append(p.tokens, t)
	}
}

// skipSpace skips what separates words, and the end of a line that goes on.
func (r *reader) skipSpace(c byte) bool {
	switch {
	case isSpace(c) || c == ',':
		r.i++
	case r.peek(1) == '\n' && (c == '`' || c == '^'):
		r.i += 2
	default:
		return false
	}
	return true
}

func concat(list ...value) value {
	var b builder
	for i := range list {
		b.add(list[i], list[i].source())
	}
	return b.done()
}

// skips reports whether a word before a command is a keyword.
func (r *reader) skips(t token) bool {
	word := strings.ToLower(t.written)
	if word == "for" {
		r.forEach()
	}
	return keyword().MatchString(word)
}

var keyword = lazyregexp.New(`^(?:for|in|then|do|else|if|while|until|!|time|try|catch|finally|foreach|elseif|begin|process|@echo|return|throw|switch)$`)

// forEach reads the head of a loop of the Windows prompt: for /f "…" %%i in ('command') do
func (r *reader) forEach() {
	head := r.text[r.i:lineEnd(r.text, r.i)]
	name, rest, ok := strings.Cut(head, " in (")
	end := strings.Index(rest, ") do")
	if !ok || end < 0 {
		return
	}
	at := r.i + len(name) + len(" in (")
	v := literal(rest[:end])
	if strings.HasPrefix(v.text, "'") || strings.HasPrefix(v.text, "`") {
		v = r.sub(strings.Trim(v.text, "'`"), at+1)
	}
	r.assign(name[strings.LastIndexByte(name, ' ')+1:], v.lines())
	r.i = at + end + len(") do")
}

// start interprets a command by its words.
func (r *reader) start(x *call, words []token, invoke bool) value {
	if len(words) == 0 {
		return value{}
	}
	first := &words[0]
	for i := range words {
		x.words = append(x.words, words[i].value)
	}
	switch {
	case r.lang == "bat" && (strings.EqualFold(first.text, "rem") || strings.HasPrefix(first.text, "::")):
		return value{}
	case r.lang == "bat" && strings.EqualFold(first.text, "set") && len(words) > 1:
		name, text, _ := strings.Cut(joined("", x.words[1:]).text, "=")
		r.assign(name, x.words[1].part(text))
		return value{}
	case len(words) > 2 && words[1].text == "in" && strings.HasPrefix(first.written, "$"):
		r.assign(first.written, oneOf(x.words[2:]))
		return value{}
	case first.expr && !invoke && r.lang == "ps1":
		return r.expression(x.words)
	}
	x.written = first.written
	return r.run(x)
}

// expression is the value of words joined by operators, or a list of them.
func (r *reader) expression(words []value) value {
	out := words[0]
	for i := 1; i < len(words); i++ {
		w, rest := words[i], words[i+1:]
		switch strings.ToLower(w.text) {
		case "-join":
			out.text = strings.Join(append([]string{out.text}, out.others...), concat(rest...).text)
			out.others, out.known, out.like = nil, out.known || out.like, false
			return out
		case "-f":
			for k, v := range rest {
				out.text = strings.ReplaceAll(out.text, "{"+strconv.Itoa(k)+"}", v.text)
				out.known = out.known && v.known
				out.carry(v.holds...)
			}
			return out
		case "-replace":
			if len(rest) > 1 && rest[0].text != "" && !strings.ContainsAny(rest[0].text, `\[.*+?`) {
				out.text = strings.ReplaceAll(out.text, rest[0].text, rest[1].text)
			}
			return out
		}
		out.carry(w.holds...)
		if w.known && (out.known || out.like) {
			out.others, out.known, out.like = append(out.others, w.text), false, true
		}
	}
	return out
}

func (r *reader) redirection(x *call, targets []target) []target {
	reads, adds := r.text[r.i] == '<', r.peek(1) == '>'
	for r.more() && strings.IndexByte("<> ", r.text[r.i]) >= 0 {
		r.i++
	}
	if c := r.peek(0); c == '&' || c == '(' {
		r.i++
		return targets
	}
	from := r.i
	t := r.word(value{})
	switch {
	case r.i == from || strings.EqualFold(t.text, "nul") || strings.EqualFold(t.text, "$null"):
	case reads:
		x.in = r.readFile(r.span(from, r.i), t.value)
	default:
		targets = append(targets, target{t.value, adds})
	}
	return targets
}

// block interprets the commands in braces, which see what is piped in as $_.
func (r *reader) block(in value) value {
	old := r.doc.vars["_"]
	r.assignVar("_", in)
	out := r.list('}', in)
	r.assignVar("_", old)
	return out
}

func (r *reader) assign(written string, v value) {
	r.assignVar(strings.ToLower(strings.Trim(written, `${}%"`)), v)
}

// wording is a word that is being read. Member is where what follows a value begins, such as .Name.
type wording struct {
	builder
	from, member int
	expr         bool
}

// word reads one word.
func (r *reader) word(in value) token {
	w := wording{from: r.i, member: r.i}
	for r.more() && !r.endsWord(&w) {
		at := r.i
		v, part := r.piece(&w, in)
		r.i = max(r.i, at+1)
		if !part {
			continue
		}
		if r.lang == "ps1" && w.expr && r.peek(0) == '+' && strings.IndexByte(`'"$`, r.peek(1)) >= 0 {
			r.i++
		}
		w.member = r.i
		w.add(v, v.source())
	}
	t := token{value: w.done(), written: r.text[w.from:r.i], expr: w.expr}
	if r.lang == "ps1" && t.known {
		t.value = cast(t.written, t.value)
	}
	return t
}

// endsWord reports whether a word ends at the current place.
func (r *reader) endsWord(w *wording) bool {
	c := r.text[r.i]
	switch {
	case isSpace(c) || strings.IndexByte("\n;|)}>&", c) >= 0:
		return true
	case c == '<':
		return r.peek(1) != '('
	case r.lang != "ps1":
		return false
	}
	inside := r.i > w.from
	return c == ',' || c == '=' && w.expr || c == '{' && inside || c == '(' && inside && !w.expr && !r.isMember(w.member)
}

// piece reads a part of a word. It reports whether it is one, and not the name of a member or type.
func (r *reader) piece(w *wording, in value) (value, bool) {
	at, c := r.i, r.text[r.i]
	first := at == w.from
	expression := r.lang == "ps1" && w.expr
	switch {
	case r.isSpecial(c):
		w.expr = w.expr || first
		return r.special(w, c, in), true
	case strings.IndexByte("`^", c) >= 0:
		return r.escape(c), true
	case c == '[' && r.lang == "ps1" && (first || w.expr):
		// A type or an index.
		r.i += max(strings.IndexByte(r.text[at:min(len(r.text), at+80)], ']'), 0) + 1
		w.expr = true
		return value{}, false
	case expression && (c == '.' || c == ':'):
		if r.text[w.from] != '[' || w.started {
			w.member = at
		}
		r.i += len(memberName().FindString(r.text[at:min(len(r.text), at+200)]))
		return value{}, false
	}
	w.expr = w.expr || first && c >= '0' && c <= '9'
	for r.i++; isName(c) && r.more() && isName(r.text[r.i]); {
		r.i++
	}
	return literal(r.text[at:r.i]), true
}

var memberName = lazyregexp.New(`^[.:][\w.:]*`)

// isSpecial reports whether a quotation, a variable or brackets begin.
func (r *reader) isSpecial(c byte) bool {
	switch c {
	case '\'', '"', '$', '(':
		return true
	case '%':
		return r.lang == "bat"
	}
	return (c == '@' || c == '<') && (r.peek(1) == '(' || r.peek(1) == '{')
}

// special reads a quotation, a variable or brackets.
func (r *reader) special(w *wording, c byte, in value) value {
	switch c {
	case '\'', '"':
		return r.quoted(c)
	case '$', '%':
		return r.variableAt(in)
	}
	return r.group(w, c)
}

// escape reads a character that is escaped.
func (r *reader) escape(c byte) value {
	if escapes := (c == '`') == (r.lang == "ps1"); escapes && r.peek(1) != 0 && r.peek(1) != '\n' {
		r.i++
	}
	r.i++
	return literal(r.text[r.i-1 : r.i])
}

// group reads brackets: a call of a member, a table, or commands whose output is the value.
func (r *reader) group(w *wording, c byte) value {
	at := r.i
	switch {
	case c == '(' && r.lang == "ps1" && r.isMember(w.member):
		r.i++
		v := r.method(r.text[w.member:at], w.done())
		w.builder = builder{}
		return v
	case r.peek(1) == '{' && c == '@':
		r.i += 2
		return value{holds: concat(r.values('}')...).holds}
	}
	r.i += 1 + btoi(c != '(')
	v := r.list(')', value{})
	return cast(r.text[w.from:at], v)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isName(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }

// isMember reports whether the name of a method ends at the current place.
func (r *reader) isMember(from int) bool {
	text := r.text[from:r.i]
	return len(text) > 1 && (text[0] == '.' || text[0] == '[' && strings.Contains(text, "::")) && isName(text[len(text)-1])
}

// method interprets the call of a method as a command with its name: that after the last dot, of
// a type with its last part, such as convert::frombase64string.
func (r *reader) method(written string, receiver value) value {
	name := strings.ToLower(written)
	kind, rest, static := strings.Cut(name, "::")
	if name = rest; static {
		kind = strings.Trim(kind, "[]")
		name = kind[strings.LastIndexByte(kind, '.')+1:] + "::" + rest
	} else {
		name = kind
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	start := max(r.i-len(written)-1, 0)
	x := call{words: append([]value{literal(name)}, r.values(')')...), in: receiver, native: true}
	x.at, x.text = r.span(start, r.i), r.text[start:r.i]
	return r.run(&x)
}

// values reads words up to a closing bracket: arguments, or the entries of a table.
func (r *reader) values(until byte) []value {
	var list []value
	plus := false
	r.depth++
	defer func() { r.depth-- }()
	for r.more() {
		c := r.text[r.i]
		from := r.i
		switch {
		case c == until:
			r.i++
			return list
		case c == '+':
			plus = true
		case c == '{':
			r.i++
			list = append(list, r.block(value{}))
		case isSpace(c) || strings.IndexByte("\n,;=", c) >= 0:
		default:
			v := r.word(value{}).value
			if plus && len(list) > 0 {
				list[len(list)-1] = concat(list[len(list)-1], v)
			} else if r.i > from {
				list = append(list, v)
			}
			plus = false
		}
		r.i = max(r.i, from+1)
	}
	return list
}

// cast turns numbers into the characters that [char] makes of them.
func cast(written string, v value) value {
	if !strings.HasPrefix(strings.ToLower(written), "[char") {
		return v
	}
	var b strings.Builder
	v.each(func(text string) {
		if n, err := strconv.ParseUint(text, 0, 21); err == nil {
			b.WriteRune(rune(n))
		}
	})
	if b.Len() == 0 {
		return v
	}
	return value{text: b.String(), known: true, holds: append(v.holds, cargo{what: decoded, name: "[char]"})}
}

// quoted reads a quotation.
func (r *reader) quoted(c byte) value {
	end := r.i + 1
	limit := min(len(r.text), r.i+maxText)
	for end < limit && r.text[end] != c {
		if c == '"' && r.text[end] == '`' && r.lang == "ps1" {
			end++
		}
		end++
	}
	if end >= limit {
		r.i++
		return literal("")
	}
	n := *r
	n.text, n.i = r.text[:end], r.i+1
	text := r.text[r.i+1 : end]
	r.i = end + 1
	if r.peek(0) == c {
		// A doubled quote is one.
		rest := r.quoted(c)
		return concat(literal(text+string(c)), rest)
	}
	if c == '\'' || !strings.ContainsAny(text, "$%`") {
		return literal(text)
	}
	return n.interpolated()
}

// interpolated is the value of a text in double quotes: the rest of the reader's.
func (n *reader) interpolated() value {
	var b builder
	from := n.i
	flush := func() { b.add(literal(n.text[from:n.i]), n.text[from:n.i]) }
	for n.more() {
		c := n.text[n.i]
		switch {
		case c == '$' && (isName(n.peek(1)) || n.peek(1) == '(' || n.peek(1) == '{') || c == '%' && n.lang == "bat":
			flush()
			v := n.variableAt(value{})
			b.add(v, v.source())
			from = n.i
		case c == '`' && n.lang == "ps1":
			flush()
			from = min(n.i+1, len(n.text))
			n.i = min(n.i+2, len(n.text))
		default:
			n.i++
		}
	}
	flush()
	return b.done()
}

// variableAt reads a variable or $(…) at the current place.
func (r *reader) variableAt(in value) value {
	start := r.i
	r.i++
	if r.text[start] == '$' && r.peek(0) == '(' {
		r.i++
		return r.list(')', value{}).trimmed()
	}
	found := variableName().FindStringSubmatch(r.text[start:min(len(r.text), start+128)])
	if found == nil {
		return literal(r.text[start:r.i])
	}
	r.i = start + len(found[0])
	name := found[1] + found[2] + found[3]
	v, ok := r.doc.vars[strings.ToLower(name)]
	switch {
	case ok && (v.text != "" || len(v.holds) > 0 || v.known):
		if v.text == "" {
			v.text = found[0]
		}
		return v
	case name == "_":
		return in
	}
	name = name[strings.IndexByte(name, ':')+1:]
	v = value{text: found[0], known: strings.EqualFold(name, "true") || strings.EqualFold(name, "false")}
	if tags := known.Env(name); name != "" && len(tags) > 0 {
		v.holds = []cargo{{what: secret, tags: tags, name: name, unit: r.root()}}
	}
	return v
}

// variableName is $name, $env:name, ${name}, %name% or %%n.
var variableName = lazyregexp.New(`^(?:\$\{([^}\n]*)\}|\$(\w+(?::\w+)?)|%{1,2}([\w()]+)%?)`)

// sub interprets a part of the text by itself.
func (r *reader) sub(text string, at int) value {
	n, m := *r, *r.machine
	m.base += at
	n.machine, n.text, n.i = &m, text, 0
	return n.list(0, value{})
}
